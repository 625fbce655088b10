package cli

import (
	"strings"
	"testing"

	"aibd/internal/spec"
)

// The help of a fit fits two screens, and each table of settings one. Every usual setting is there.
func TestHelpIsShort(t *testing.T) {
	help := call(t, "fit", "--help")
	if lines, flags := strings.Count(help, "\n"), strings.Count(help, "\n      --")+strings.Count(help, "\n  -"); lines > 100 || flags > 40 {
		t.Errorf("found %d lines and %d flags, expected at most 100 and 40", lines, flags)
	}
	listed := call(t, "settings")
	for _, s := range spec.Settings() {
		key, want := string(s.Key), !s.Rare
		if table, _ := s.Table(); strings.Contains(table, ".") {
			key, want = table+".*", true
		}
		if strings.Contains(listed, "\n    "+key+" ") != want {
			t.Errorf("found %s in the list: %v", key, !want)
		}
	}
	for screen := range strings.SplitSeq(listed, "\n\n") {
		if lines := strings.Count(screen, "\n"); lines > 40 {
			t.Errorf("found a group of %d lines, expected at most 40: %.40s", lines, screen)
		}
	}
}
