package cli

// aibd reproduce

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

	"aibd/dataset"
	"aibd/internal/files"
	"aibd/internal/reproduce"
)

type reproduceOptions struct {
	reproduce.Options
	all, prepare, quiet bool
}

func newReproduce() *cobra.Command {
	var o reproduceOptions
	c := &cobra.Command{
		Use:   "reproduce [NAME...]",
		Short: "Reproduce the tables and figures of the paper",
		Long: `Reproduces the tables and figures (exhibits) of Warr, Dahl, Meyer and Lui, The Attraction
Indian Buffet Distribution: CSV, SVG and PNG files, and the page ` + reproduce.PageFile + ` that compares
them with the printed values. Without a NAME and without --all it lists the exhibits.

It skips exhibits that exist with the same settings and version. After ^C, the same command
continues, and so do its fits. The exhibits of the application need the Alzheimer's file,
which is not part of the project: --alzheimers, or alzheimers.csv in the directory
AIBD_DATA. It is an extract of the
` + dataset.AlzheimersSource + `.`,
		Example: `  # List the exhibits
  aibd reproduce

  # Make two
  aibd reproduce states sharing

  # Make all with small sizes
  aibd reproduce --all --quick --out small

  # Write the runs of the application, which take longest, to sample them on a cluster
  aibd reproduce application --alzheimers alzheimers.csv --prepare   # then: aibd slurm reproduction/runs/*`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.BoolVar(&o.all, "all", false, "Make all exhibits, except those with missing input files.")
	f.StringVar(&o.Dir, "out", "reproduction", "The `directory` to write to.")
	f.BoolVar(&o.prepare, "prepare", false, "Write the runs of the exhibits without sampling, and print their directories: aibd resume --chain samples them.")
	f.BoolVar(&o.Quick, "quick", false, "Use small sizes, as a test.")
	f.BoolVar(&o.Again, "again", false, "Make existing exhibits again, but keep complete fits.")
	f.StringVar(&o.Alzheimers, "alzheimers", "", "The Alzheimer's `file`.")
	f.StringVar(&o.People, "people", "", "A CSV `file` with columns id and inferred_person: which rows may be of one person.")
	f.Uint64Var(&o.Seed, "seed", 1, "Seed of all random numbers.")
	f.IntVar(&o.Cores, "cores", 0, "Number of cores; 0 for all. The results do not depend on it.")
	f.BoolVar(&o.quiet, "quiet", false, "Print only the name of the page.")
	return c
}

func (o *reproduceOptions) run(c *cobra.Command, args []string) error {
	if err := atLeast(0, "cores", o.Cores); err != nil {
		return err
	}
	if o.all && len(args) > 0 {
		return usageError{fmt.Errorf("found both %s and --all, expected one", args[0])}
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
			return fmt.Errorf("%s: missing %s", e.Name, missing)
		}
	}
	if o.prepare {
		o.Version = version
		dirs, err := reproduce.Prepare(o.Options, exhibits)
		for _, dir := range dirs {
			fmt.Fprintln(c.OutOrStdout(), dir)
		}
		if err == nil && len(dirs) == 0 {
			return usageError{errors.New("--prepare: found no runs to write, expected an exhibit of the application with its input files")}
		}
		return err
	}
	o.Version, o.Log = version, logOf(c, o.quiet)
	o.Meter = meter{o.Log}
	ctx, stop := interruptible()
	defer stop()
	if err := reproduce.Make(ctx, o.Options, exhibits); err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return fmt.Errorf("%w: complete exhibits are in %s; the same command continues", errInterrupted, o.Dir)
		}
		return err
	}
	fmt.Fprintln(c.OutOrStdout(), filepath.Join(o.Dir, reproduce.PageFile))
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
func (o *reproduceOptions) list(w io.Writer) error {
	name, title, missing := 0, 0, false
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
			state, missing = "missing input", true
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", name, e.Name, title, e.Title, state), " "))
	}
	if missing {
		fmt.Fprintf(w, "\n%s", wrap("The application needs the Alzheimer's file (--alzheimers), an extract of the "+dataset.AlzheimersSource+", which is not part of the project. The exhibit people also needs --people.", "", 88))
	}
	return nil
}

// meter shows progress like the verbs that sample, after a second.
type meter struct{ w io.Writer }

func (m meter) Start(what string, all int, done func() int) (stop func()) {
	bar := newProgress(m.w, what, done(), all)
	bar.delay = time.Second
	return bar.follow(done)
}
