package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"aibd/internal/spec"
)

// The help of a fit fits two screens, and each table of settings one. Every setting is there.
func TestHelpIsShort(t *testing.T) {
	help := call(t, "fit", "--help")
	flags := 0
	newFit().Flags().VisitAll(func(*pflag.Flag) { flags++ })
	if lines := strings.Count(help, "\n"); lines > 100 || flags+1 > 40 { // --help is added later
		t.Errorf("found %d lines and %d flags, expected at most 100 and 40", lines, flags+1)
	}
	listed := call(t, "settings")
	for _, s := range spec.Settings() {
		if !strings.Contains(listed, "\n    "+string(s.Key)+" ") {
			t.Errorf("found no %s in the list", s.Key)
		}
	}
	for screen := range strings.SplitSeq(listed, "\n\n") {
		if lines := strings.Count(screen, "\n"); lines > 40 {
			t.Errorf("found a group of %d lines, expected at most 40: %.40s", lines, screen)
		}
	}
}
