package cli

// aibd man.

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"aibd/internal/files"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIRECTORY",
		Short:   "Write the manual pages",
		Long:    "Writes a manual page for aibd and for each verb to DIRECTORY, in the format of man(1).",
		Example: "  aibd man man1",
		Args:    wants(1, 1, "a directory"),
		Hidden:  true, // for those who package the program
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return files.Named(args[0], err)
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "aibd " + version, Manual: "aibd manual"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return nil
		},
	}
}
