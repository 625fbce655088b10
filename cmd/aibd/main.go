// Command aibd fits feature allocation models with pairwise information.
package main

import (
	"io"
	"os"

	"aibd/internal/cli"
)

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	os.Exit(cli.Status(err))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return cli.Run(args, stdin, stdout, stderr)
}
