// Command paper makes the tables and figures of the paper (see package exhibits).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"aibd/dataset"
	"aibd/internal/cli"
	"aibd/internal/files"
	"aibd/paper/exhibits"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes a command line. It returns the exit status: 1 for bad input and failures, 2 for wrong
// usage, 130 after an interrupt.
func run(args []string, stdout, stderr io.Writer) int {
	var o options
	c := newCommand(&o)
	c.SetArgs(args)
	c.SetOut(stdout)
	c.SetErr(stderr)
	err := c.Execute()
	if err != nil {
		fmt.Fprintf(stderr, "paper: %v\n", err)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return 130
	case o.right:
		return 1
	}
	return 2
}

var errInterrupted = errors.New("stopped early")

type options struct {
	exhibits.Options
	all, prepare, quiet bool
	right               bool // the usage is right
}

func newCommand(o *options) *cobra.Command {
	c := &cobra.Command{
		Use:   "paper [NAME...]",
		Short: "Reproduce the tables and figures of the paper",
		Long: `Reproduces the tables and figures (exhibits) of Warr, Dahl, Meyer and Lui, The Attraction
Indian Buffet Distribution: CSV, SVG and PNG files, and the page ` + exhibits.PageFile + ` that compares
them with the printed values. Without a NAME and without --all it lists the exhibits.

It skips exhibits that exist with the same settings and version. After ^C, the same command
continues, and so do its fits. The exhibits of the application need the Alzheimer's file,
which is not part of the project: --alzheimers, or alzheimers.csv in the directory
AIBD_DATA. It is an extract of the
` + dataset.AlzheimersSource + `.`,
		Example: `  # List the exhibits
  go run ./paper

  # Make two
  go run ./paper states sharing

  # Make all with small sizes
  go run ./paper --all --quick --out small

  # Write the runs of the application, which take longest, to sample them on a cluster
  go run ./paper application --alzheimers alzheimers.csv --prepare   # then: aibd slurm reproduction/runs/*`,
		Args:              cobra.ArbitraryArgs,
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&o.all, "all", false, "Make all exhibits, except those with missing input files.")
	f.StringVar(&o.Dir, "out", "reproduction", "The `directory` to write to.")
	f.BoolVar(&o.prepare, "prepare", false, "Write the runs of the exhibits without sampling, and print their directories: aibd resume --chain samples them.")
	f.BoolVar(&o.Quick, "quick", false, "Use small sizes, as a test.")
	f.BoolVar(&o.Again, "again", false, "Make existing exhibits again, but keep complete fits.")
	f.StringVar(&o.Alzheimers, "alzheimers", "", "The Alzheimer's `file`.")
	f.StringVar(&o.People, "people", "", "A CSV `file` with columns id and inferred_person: which rows may be of one person.")
	f.Uint64Var(&o.Seed, "seed", 1, "Seed of all random numbers.")
	f.BoolVar(&o.quiet, "quiet", false, "Print only the name of the page.")
	return c
}

func (o *options) run(c *cobra.Command, args []string) error {
	chosen, err := o.choose(args)
	if err != nil {
		return err
	}
	o.right = true
	if err := o.findFiles(); err != nil {
		return err
	}
	if !o.all && len(args) == 0 {
		return o.list(c.OutOrStdout())
	}
	for _, e := range chosen {
		if missing := o.Missing(e); missing != "" && !o.all {
			return fmt.Errorf("%s: missing %s", e.Name, missing)
		}
	}
	o.Version, o.Log = cli.Version(), c.ErrOrStderr()
	if o.quiet {
		o.Log = io.Discard
	}
	o.Meter = func(what string, all int, done func() int) func() { return cli.Follow(o.Log, what, all, done) }
	if o.prepare {
		dirs, err := exhibits.Prepare(o.Options, chosen)
		for _, dir := range dirs {
			fmt.Fprintln(c.OutOrStdout(), dir)
		}
		if err == nil && len(dirs) == 0 {
			return errors.New("--prepare: found no runs to write, expected an exhibit of the application with its input files")
		}
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := exhibits.Make(ctx, o.Options, chosen); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return fmt.Errorf("%w: complete exhibits are in %s; the same command continues", errInterrupted, o.Dir)
		}
		return err
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), filepath.Join(o.Dir, exhibits.PageFile))
	return err
}

// choose returns the exhibits that the command line names. All its errors are of usage.
func (o *options) choose(args []string) ([]exhibits.Exhibit, error) {
	if o.all && len(args) > 0 {
		return nil, fmt.Errorf("found both %s and --all, expected one", args[0])
	}
	if o.all {
		return exhibits.All(), nil
	}
	return exhibits.Named(args)
}

// findFiles looks for the Alzheimer's file in AIBD_DATA, and checks that the input files can be read.
func (o *options) findFiles() error {
	if folder := os.Getenv("AIBD_DATA"); o.Alzheimers == "" && folder != "" {
		if path := filepath.Join(folder, "alzheimers.csv"); readable(path) == nil {
			o.Alzheimers = path
		}
	}
	for _, file := range []string{o.Alzheimers, o.People} {
		if file != "" {
			if err := readable(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable returns an error if a file cannot be opened.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return files.Named(path, err)
	}
	return f.Close()
}

// list prints the exhibits and their state.
func (o *options) list(w io.Writer) error {
	name, title, missing := 0, 0, false
	for _, e := range exhibits.All() {
		name, title = max(name, len(e.Name)), max(title, utf8.RuneCountInString(e.Title))
	}
	for _, e := range exhibits.All() {
		state := ""
		switch made, err := exhibits.ReadResult(o.Dir, e.Name); {
		case err == nil && made.Settings.Quick:
			state = "made, quick"
		case err == nil:
			state = "made"
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case o.Missing(e) != "":
			state, missing = "missing input", true
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", name, e.Name, title, e.Title, state), " "))
	}
	if missing {
		fmt.Fprintf(w, "\nThe application needs the Alzheimer's file (--alzheimers), an extract of the\n%s,\nwhich is not part of the project. The exhibits people and distances also need --people.\n", dataset.AlzheimersSource)
	}
	return nil
}
