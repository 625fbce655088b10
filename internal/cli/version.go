package cli

// aibd version.

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the version of the program. Runs record it. A release sets it with -ldflags -X.
var version = "0.1.0"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Prints the version of aibd, of its source where that is known, and of Go.",
		Example: "  aibd version",
		Args:    wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = " (" + s.Value[:min(len(s.Value), 12)] + ")"
					}
				}
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "aibd %s%s %s %s/%s\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
