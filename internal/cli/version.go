package cli

// aibd version.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
)

// version is the version of the program and of the packages for R and Python. Runs record it. A release
// sets it with -ldflags -X.
var version = "0.2.0"

// Version returns the version of the program.
func Version() string { return version }

// versionLine returns the version of the program, the revision of its source if it is recorded, the
// format of its draws, the version of Go, the operating system and the architecture.
func versionLine() string {
	revision, modified := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = "+changes"
			}
		}
	}
	return fmt.Sprintf("aibd %s%s%s draws %d %s %s/%s", version, revision, modified, runs.DrawsFormat, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Prints the version of aibd, the revision of its source if it is recorded, the format of\ndraws, the version of Go, the operating system and the architecture. So does aibd --version.\nPrograms with the same format of draws make the same draws from a spec and a seed.",
		Example: "  aibd version",
		Args:    wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		},
	}
}
