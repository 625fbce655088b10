// Command man writes a manual page for aibd and for each of its verbs, in the format of man(1).
//
//	go run ./cmd/man DIRECTORY
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra/doc"

	"aibd/internal/cli"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintf(os.Stderr, "man: found the arguments %q, expected a directory\n", os.Args[1:])
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write writes the pages to a directory, which it makes.
func write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root := cli.Command()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "aibd " + cli.Version(), Manual: "aibd manual"}, dir)
}
