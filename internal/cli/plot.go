package cli

// aibd plot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/files"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/picture"
	"aibd/internal/runs"
	"aibd/internal/visible"
)

// plotOptions are the flags.
type plotOptions struct {
	out  string
	list bool
}

func newPlot() *cobra.Command {
	var o plotOptions
	c := &cobra.Command{
		Use:   "plot RUN [NAME]",
		Short: "Draw a picture of a run: traces, densities, sharing and others",
		Long: `Draws a picture of a run to a file. Without a NAME, it lists the pictures:

` + pictureList() + `
The file is NAME.svg unless --out names another; it is SVG or PNG by its extension. The name
all draws all pictures that the run has, as SVG, in the directory given by --out. A picture
says below its title if the chains disagree. The estimate comes from aibd estimate with its
default flags.`,
		Example: `  # List the pictures, draw one
  aibd fit --warmup 200 --draws 300 --out drawn
  aibd plot drawn --list
  aibd plot drawn trace --out traces.png

  # Draw all
  aibd plot drawn all --out pictures`,
		Args: wants(1, 2, "the directory of a RUN and the NAME of a picture"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 || o.list {
				if _, err := runs.Open(args[0]); err != nil {
					return err
				}
				_, err := io.WriteString(c.OutOrStdout(), pictureList())
				return err
			}
			return o.run(c, args[0], args[1])
		},
	}
	outputFlag(c, &o.out, "out", "Write to this .svg or .png `file`; with all, to this directory.")
	c.Flags().BoolVar(&o.list, "list", false, "List the pictures.")
	return c
}

// pictureList returns the pictures, a line each.
func pictureList() string {
	var b strings.Builder
	for _, k := range picture.Kinds {
		fmt.Fprintf(&b, "  %-17s %s\n", k.Name, k.Shows)
	}
	return b.String()
}

// run draws a picture, or all.
func (o *plotOptions) run(c *cobra.Command, dir, name string) error {
	kinds := picture.Kinds
	if name != "all" {
		i := slices.IndexFunc(kinds, func(k picture.Kind) bool { return k.Name == name })
		if i < 0 {
			names := append([]string{"all"}, lists.Map(kinds, func(k picture.Kind) string { return k.Name })...)
			return usageError{hint.Unknown("picture", name, names)}
		}
		kinds = kinds[i : i+1]
	}
	path := func(k picture.Kind) string { return o.out }
	switch {
	case name == "all" && o.out == "":
		return usageError{errors.New("all: expected --out with a directory")}
	case name == "all":
		path = func(k picture.Kind) string { return filepath.Join(o.out, k.Name+".svg") }
	case o.out == "":
		path = func(k picture.Kind) string { return k.Name + ".svg" }
	}
	if _, err := figureKind("out", path(kinds[0])); err != nil {
		return err
	}
	for _, k := range kinds {
		if name == "all" && !isDir(o.out) {
			break
		}
		if err := checkOutput(c, []string{dir}, "", path(k)); err != nil {
			return err
		}
	}
	j, err := judgedRun(c, dir)
	if err != nil {
		return err
	}
	if name == "all" {
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return files.Named(o.out, err)
		}
	}
	gallery := picture.NewGallery(j)
	for _, k := range kinds {
		stop := doing(c, "Drawing "+k.Name)
		f, err := gallery.Draw(k)
		stop()
		if name == "all" && errors.Is(err, picture.ErrNone) {
			fmt.Fprintf(c.OutOrStdout(), "No %s: %s\n", k.Name, visible.Text(err.Error()))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		if err := saveFigure(path(k), f); err != nil {
			return err
		}
		fmt.Fprintf(c.OutOrStdout(), "Wrote %s\n", visible.Text(path(k)))
	}
	return nil
}
