package cli

// aibd reproduce: the tables and figures of the paper.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"aibd/internal/files"
	"aibd/internal/reproduce"
)

type reproduceOptions struct {
	reproduce.Options
	all, quiet bool
}

func newReproduce() *cobra.Command {
	var o reproduceOptions
	c := &cobra.Command{
		Use:   "reproduce [NAME...]",
		Short: "The tables and figures of the paper, made anew",
		Long: `Makes the tables and figures of Warr, Dahl, Meyer and Lui, The Attraction Indian Buffet
Distribution: numbers as CSV, pictures as SVG and PNG, and a page, ` + reproduce.PageFile + `, that sets
each beside the values that the paper prints. Without a NAME and without --all it lists
them.

An exhibit that is there with the same settings and version is not made again, so that
the same command goes on after ^C; fits go on where they stood. The exhibits of the
application need the Alzheimer's file, which is not part of the project: --alzheimers,
or alzheimers.csv in the folder AIBD_DATA. It is an extract of the
` + reproduce.AlzheimersSource + `.`,
		Example: `  # What there is
  aibd reproduce

  # Two of them
  aibd reproduce states sharing

  # All of them, small
  aibd reproduce --all --quick --out small`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.BoolVar(&o.all, "all", false, "Make all of them; those that wait for a file are passed over.")
	f.StringVar(&o.Dir, "out", "reproduction", "The `directory` to write to.")
	f.BoolVar(&o.Quick, "quick", false, "Make them with small sizes, to see that all works.")
	f.BoolVar(&o.Again, "again", false, "Make also those that are there. Fits that are complete stay.")
	f.StringVar(&o.Alzheimers, "alzheimers", "", "The Alzheimer's `file`.")
	f.StringVar(&o.People, "people", "", "A CSV `file` of which rows may be of one person, columns id and inferred_person.")
	f.Uint64Var(&o.Seed, "seed", 1, "Seed of all random numbers.")
	f.IntVar(&o.Cores, "cores", 0, "Cores to use; 0 for all. The results do not depend on it.")
	f.BoolVar(&o.quiet, "quiet", false, "Print nothing but the name of the page.")
	return c
}

func (o *reproduceOptions) run(c *cobra.Command, args []string) error {
	if o.Cores < 0 {
		return usageError{fmt.Errorf("--cores: found %d, expected at least 0", o.Cores)}
	}
	if o.all && len(args) > 0 {
		return usageError{fmt.Errorf("found %s beside --all, expected one of them", args[0])}
	}
	if o.Alzheimers == "" {
		if folder := os.Getenv("AIBD_DATA"); folder != "" {
			if path := filepath.Join(folder, "alzheimers.csv"); readable(path) == nil {
				o.Alzheimers = path
			}
		}
	}
	for _, file := range []string{o.Alzheimers, o.People} {
		if file != "" {
			if err := readable(file); err != nil {
				return err
			}
		}
	}
	exhibits, err := reproduce.Named(args)
	if err != nil {
		return usageError{err}
	}
	switch {
	case o.all:
		exhibits = reproduce.All()
	case len(args) == 0:
		return o.list(c.OutOrStdout())
	}
	for _, e := range exhibits {
		if missing := o.Missing(e); missing != "" && !o.all {
			return fmt.Errorf("%s: waits for %s", e.Name, missing)
		}
	}
	o.Version, o.Log = version, c.ErrOrStderr()
	if o.quiet {
		o.Log = io.Discard
	}
	o.Meter = meter{o.Log}
	ctx, stop := interruptible()
	defer stop()
	if err := reproduce.Make(ctx, o.Options, exhibits); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return fmt.Errorf("%w: what is complete is in %s; the same command goes on", errInterrupted, o.Dir)
		}
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), filepath.Join(o.Dir, reproduce.PageFile))
	return nil
}

// readable reports an error about a file that cannot be opened.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return files.Named(path, err)
	}
	return f.Close()
}

// list prints the exhibits and what has become of them.
func (o *reproduceOptions) list(w io.Writer) error {
	name, title, waits := 0, 0, false
	for _, e := range reproduce.All() {
		name, title = max(name, len(e.Name)), max(title, utf8.RuneCountInString(e.Title))
	}
	for _, e := range reproduce.All() {
		state := ""
		switch made, err := reproduce.ReadResult(o.Dir, e.Name); {
		case err == nil && made.Settings.Quick:
			state = "made, quick"
		case err == nil:
			state = "made"
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case o.Missing(e) != "":
			state, waits = "waits for a file", true
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", name, e.Name, title, e.Title, state), " "))
	}
	if waits {
		fmt.Fprintf(w, "\n%s", wrap("The application needs the Alzheimer's file (--alzheimers), an extract of the "+reproduce.AlzheimersSource+", which is not part of the project; people also a file of which rows may be of one person (--people).", "", 88))
	}
	return nil
}

// meter shows progress as the verbs that sample do.
type meter struct{ w io.Writer }

// meterDelay is how long something may take before it is worth a bar.
const meterDelay = time.Second

// Start shows how far something is until the function that it returns is called.
func (m meter) Start(what string, all int, done func() int) (stop func()) {
	bar := newProgress(m.w, what, done(), all)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
		case <-time.After(meterDelay):
			bar.show(done())
			stop := bar.follow(done)
			<-over
			stop()
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
