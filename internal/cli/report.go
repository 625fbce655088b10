package cli

// aibd report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/compare"
	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/report"
	"aibd/internal/results"
	"aibd/internal/visible"
	"aibd/internal/words"
)

func newReport() *cobra.Command {
	var (
		out, title string
		strict     bool
	)
	c := &cobra.Command{
		Use:   "report RUN [RUN...]",
		Short: "Write what was found as one HTML file",
		Long: `Writes an HTML file that you can mail, read on a phone and print. It needs no network and
no other file. It begins with the answer: can the chains be trusted, how many features are
there, does distance matter. Then it shows Z, the features one by one, sharing against
distance, prior against posterior, the fit and the chains. Every part that rests on chains
that disagree says so.

The report of several runs shows them side by side. If they are of the same data, it compares
them as aibd compare does.

Words and numbers come from aibd summary, estimate, sharing, check and compare. The
same draws give the same file.`,
		Example: `  # Report on a run: short/report.html
  aibd fit --warmup 200 --draws 300 --out short
  aibd report short

  # Two priors side by side
  aibd fit --prior ibp --warmup 200 --draws 300 --out plain
  aibd report short plain --out both.html --title "Do near states share features?"`,
		Args: wants(1, math.MaxInt, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" && len(args) > 1 {
				return usageError{fmt.Errorf("--out: found none, expected the name of a file for the report of %d runs", len(args))}
			}
			all, err := judgeEach(c, args)
			if err != nil {
				return err
			}
			write := func(content []byte) error { return writeFile(out, content) }
			if out == "" {
				run := all[0].Run
				out = filepath.Join(run.Dir, "report.html")
				write = func(content []byte) error {
					return uninterrupted(func(context.Context) error { return run.Write("report.html", content) })
				}
			}
			stop := doing(c, "Computing and drawing")
			page, err := newPage(all, title)
			stop()
			if err != nil {
				return err
			}
			content, err := page.HTML()
			if err != nil {
				return err
			}
			if err := write(content); err != nil {
				return err
			}
			for _, j := range all {
				if len(all) > 1 {
					fmt.Fprintln(c.OutOrStdout(), visible.Text(j.Run.Dir)+":")
				}
				writeVerdict(c.OutOrStdout(), j)
			}
			fmt.Fprintf(c.OutOrStdout(), "Wrote %s (%s)\n", visible.Text(out), words.Bytes(float64(len(content))))
			return eachStrictly(strict, all)
		},
	}
	outputFlag(c, &out, "out", "The `file` to write. Default: report.html in the directory of the RUN; several RUNs have no default.")
	c.Flags().StringVar(&title, "title", "", "The title of the report.")
	addStrict(c, &strict)
	return c
}

// A reported is a run with all that a report shows of it.
type reported struct {
	summary
	gallery   *picture.Gallery
	estimate  estimate
	sharing   posteriorSharing
	checked   *results.Checks // nil if unchecked says why
	unchecked error
}

// newReported computes what a report shows of a run.
func newReported(j *results.Judged) (*reported, error) {
	r := &reported{summary: summary{j.Summary()}, gallery: picture.NewGallery(j)}
	e, err := r.gallery.Estimate()
	if err != nil {
		return nil, err
	}
	r.estimate, r.sharing = estimate{e}, posteriorSharing{r.gallery.Sharing()}
	r.checked, r.unchecked = j.Check(400, nil)
	return r, nil
}

// newPage returns the report of runs.
func newPage(all []*results.Judged, title string) (*report.Page, error) {
	var runs []*reported
	for _, j := range all {
		r, err := newReported(j)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.Run.Dir, err)
		}
		runs = append(runs, r)
	}
	p := &report.Page{Title: title, Wide: len(runs) > 1}
	if p.Title == "" {
		p.Title = "What aibd found in " + runs[0].Run.Spec.Data.Source()
	}
	for _, r := range runs {
		line := r.headline()
		if p.Wide {
			line = r.Run.Dir + ": " + line
		}
		p.Lead = append(p.Lead, line)
	}
	if p.Wide {
		comparison, err := comparisonSection(all, runs)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, comparison)
	}
	sharing := "Sharing"
	if slices.ContainsFunc(runs, func(r *reported) bool { return r.sharing.Distances() != nil }) {
		sharing = "Sharing and distance"
	}
	for _, s := range []struct {
		id, title string
		write     func(*part)
	}{
		{"answer", "The answer", (*part).answer},
		{"z", "Which item has which feature", (*part).allocation},
		{"features", "The features one by one", (*part).features},
		{"sharing", sharing, (*part).bySharing},
		{"prior", "Prior and posterior", (*part).priors},
		{"fit", "Fit and residuals", (*part).fits},
		{"chains", "The chains", (*part).diagnostics},
		{"model", "Data and model", (*part).described},
	} {
		section := report.Section{ID: s.id, Title: s.title}
		for _, r := range runs {
			part := &part{reported: r}
			if s.write(part); part.err != nil {
				return nil, fmt.Errorf("%s: %w", r.Run.Dir, part.err)
			}
			pane := report.Pane{Blocks: part.blocks}
			if p.Wide {
				pane.Name = r.Run.Dir
			}
			if s.id != "answer" {
				pane.Doubt = r.Short()
			}
			section.Panes = append(section.Panes, pane)
		}
		p.Sections = append(p.Sections, section)
	}
	p.Foot = append(p.Foot, versionLine()+".")
	return p, nil
}

// comparisonSection compares runs: which predicts best, and the quantities side by side.
func comparisonSection(all []*results.Judged, runs []*reported) (report.Section, error) {
	s := report.Section{ID: "comparison", Title: "The runs side by side"}
	var blocks []report.Block
	if held, err := compare.HideCells(all, false); err != nil {
		blocks = append(blocks, report.Text("The runs cannot be compared by their predictions: "+err.Error()+"."))
	} else {
		blocks = append(blocks,
			report.Verdict{Good: held.Reliable, Line: held.Sentence},
			report.List(held.Doubts),
			report.Table{Caption: "Prediction of hidden cells", Legend: heldHeadline(held, all[0].Run) + "\n" + heldLegend, Rows: heldTable(held)})
	}
	blocks = append(blocks, report.Table{Caption: "Quantities of each run: " + results.FoundLegend, Rows: sideBySide(runs)})
	var doubts []string
	for _, r := range runs {
		if !r.Agreed {
			doubts = append(doubts, r.Run.Dir+": "+words.Small(r.Short()))
		}
	}
	s.Panes = []report.Pane{{Doubt: strings.Join(doubts, "; "), Blocks: blocks}}
	return s, nil
}

// sideBySide returns a row for each quantity and a column for each run.
func sideBySide(runs []*reported) table {
	t := table{{""}}
	for column, r := range runs {
		t[0] = append(t[0], r.Run.Dir)
		for _, q := range r.Quantities {
			i := slices.IndexFunc(t, func(row []string) bool { return row[0] == q.Label() })
			if i < 0 {
				i = len(t)
				t.add(append([]string{q.Label()}, slices.Repeat([]string{"-"}, len(runs))...)...)
			}
			t[i][column+1] = results.WithInterval(r.Verdict, q.Chains)
		}
	}
	return t
}

// inReport returns a figure as a picture of a report. Finding says in words what it shows.
func inReport(f figure.Figure, caption, finding string) (report.Picture, error) {
	svg, err := f.Encode("svg")
	caption = strings.ToUpper(caption[:1]) + caption[1:] + "."
	if f.Warning != "" {
		finding = f.Warning + ". " + finding
	}
	return report.Picture{Caption: caption, Alt: caption + " " + finding, SVG: svg}, err
}

// A part collects the blocks of a section on a run. Its first error stays.
type part struct {
	*reported
	blocks []report.Block
	err    error
}

func (r *part) add(blocks ...report.Block) { r.blocks = append(r.blocks, blocks...) }

func (r *part) say(text string) { r.add(report.Text(text)) }

func (r *part) details(summary string, blocks ...report.Block) {
	r.add(report.Details{Summary: summary, Blocks: blocks})
}

// picture adds a picture of aibd plot by its name. Finding says in words what it shows.
func (r *part) picture(name, finding string) {
	kind := picture.Kinds[slices.IndexFunc(picture.Kinds, func(k picture.Kind) bool { return k.Name == name })]
	if f, err := r.gallery.Draw(kind); err != nil {
		r.err = cmp.Or(r.err, fmt.Errorf("%s: %w", name, err))
	} else {
		r.figure(f, kind.Shows, finding)
	}
}

// figure adds a figure.
func (r *part) figure(f figure.Figure, caption, finding string) {
	block, err := inReport(f, caption, finding)
	r.err = cmp.Or(r.err, err)
	r.add(block)
}
