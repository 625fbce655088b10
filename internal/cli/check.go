package cli

// aibd check: does the model reproduce the data?

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/mcmc"
	"aibd/predict"
)

func newCheck() *cobra.Command {
	var (
		asJSON, strict bool
		plot           string
		replicates     int
	)
	c := &cobra.Command{
		Use:   "check RUN",
		Short: "Check whether the model reproduces the data",
		Long: `Posterior predictive checks: draws replicates of X with the features and loadings of the
posterior draws, and compares them with X. It looks at mean, standard deviation, minimum and
maximum of each column, at the correlation of each pair of columns, and at the residuals of
each item (their mean square in units of the noise).

p is the share of replicates that exceed X. A p near 0 or 1 shows what the model does not
reproduce. As the replicates are drawn given X, other values do not prove that the model
fits. X is as the model sees it: centred, scaled and in logarithms as the spec says. Binary
and ordinal cells are the numbers of their categories from 0, and cells beyond a limit are the
limit, in X and in the replicates; residuals are those of latent values. Where X has missing or
held-out cells, only the observed cells of X and of the replicates count.`,
		Example: `  # What the model does not reproduce
  aibd fit --warmup 200 --draws 300 --out checked
  aibd check checked

  # A picture of all quantities
  aibd check checked --plot checks.svg`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(checkPlot(plot), atLeast(1, "replicates", replicates)); err != nil {
				return err
			}
			j, err := judgeAt(args[0])
			if err != nil {
				return err
			}
			k, err := j.check(replicates)
			if err != nil {
				return err
			}
			if err := writeOutputs(figureOutput(plot, func() figure.Figure { return k.figure(j) })); err != nil {
				return err
			}
			return j.show(c, asJSON, strict, k, func(w io.Writer) {
				j.writeVerdict(w)
				k.write(w)
			})
		},
	}
	addStrict(c, &strict)
	c.Flags().BoolVar(&asJSON, "json", false, "Print JSON, with all quantities.")
	c.Flags().StringVar(&plot, "plot", "", "Draw all quantities to an .svg or .png `file`.")
	c.Flags().IntVar(&replicates, "replicates", 400, "Max number of replicates, one for each of equally spaced draws.")
	return c
}

// checked holds the checks of a run.
type checked struct {
	Verdict    *verdict.Verdict `json:"verdict"`
	Replicates int              `json:"replicates"`
	Note       string           `json:"note,omitempty"`
	Kinds      []checkedKind    `json:"kinds"`
}

type checkedKind struct {
	Name    string       `json:"name"`
	Extreme int          `json:"extreme"` // p below 0.01 or above 0.99
	Checks  []namedCheck `json:"checks"`
}

type namedCheck struct {
	Of       string `json:"of"` // column, pair of columns or item
	Observed number `json:"observed"`
	Q5       number `json:"q5"` // of the replicates
	Q95      number `json:"q95"`
	P        number `json:"p"`
}

// extremeP is the p below which, or above one minus which, a check is a misfit.
const extremeP = 0.01

// distance returns how far p is from 0.5.
func (c namedCheck) distance() float64 { return math.Abs(float64(c.P) - 0.5) }

// extreme reports whether the check is a misfit.
func (c namedCheck) extreme() bool { return c.distance() > 0.5-extremeP }

// check checks a run with at most the given number of replicates.
func (j *judged) check(replicates int) (*checked, error) {
	x, err := j.Observations()
	if err != nil {
		return nil, err
	}
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(j.Chains...)
	step := (len(all) + replicates - 1) / replicates
	var from []*draws.Draw
	for t := 0; t < len(all); t += step {
		from = append(from, all[t])
	}
	kinds, err := predict.NewChecks(data, x, from, mcmc.NewStream(j.Run.Spec.Sampler.Seed, "check").Rand)
	if err != nil {
		return nil, err
	}
	k := &checked{Verdict: j.Verdict, Replicates: len(from), Note: j.Note}
	for _, of := range kinds {
		kind := checkedKind{Name: of.Name, Checks: []namedCheck{}}
		names := j.Run.Data.Columns
		if of.Name == "item residuals" {
			names = j.Run.Data.IDs
		}
		for _, c := range of.Checks {
			var name []string
			for _, i := range c.Of {
				name = append(name, names[i])
			}
			named := namedCheck{strings.Join(name, " - "), number(c.Observed), number(c.Q5), number(c.Q95), number(c.P)}
			if named.extreme() {
				kind.Extreme++
			}
			kind.Checks = append(kind.Checks, named)
		}
		k.Kinds = append(k.Kinds, kind)
	}
	return k, nil
}

// figure draws the checks.
func (k *checked) figure(j *judged) figure.Figure {
	var panels []picture.CheckPanel
	for _, kind := range k.Kinds {
		panel := picture.CheckPanel{Name: kind.Name}
		for _, c := range kind.Checks {
			panel.Checks = append(panel.Checks, picture.Check{
				Observed: float64(c.Observed), Q5: float64(c.Q5), Q95: float64(c.Q95), Distance: c.distance(), Extreme: c.extreme()})
		}
		panels = append(panels, panel)
	}
	return picture.Checks(j.Judged, panels)
}

// worst returns up to n checks with the most extreme p, if it is extreme.
func (k checkedKind) worst(n int) (worst []namedCheck) {
	for _, c := range k.Checks {
		if c.extreme() {
			worst = append(worst, c)
		}
	}
	slices.SortStableFunc(worst, func(a, b namedCheck) int { return cmp.Compare(b.distance(), a.distance()) })
	return worst[:min(n, len(worst))]
}

// write writes a sentence and a table of the misfits.
func (k *checked) write(w io.Writer) {
	fmt.Fprint(w, wrap(visible.Text(k.sentence()), "", lineWidth(w)))
	fmt.Fprintln(w, k.legend())
	t, more := k.misfits()
	if len(t) == 1 {
		return
	}
	fmt.Fprintln(w)
	t.write(w)
	if more > 0 {
		fmt.Fprintf(w, "... and %d more: use --json.\n", more)
	}
}

// legend explains p.
func (k *checked) legend() string {
	return fmt.Sprintf("p is the share of %s in which the replicate exceeds X; misfits have p below %v or above %v.", plural(k.Replicates, "draw"), extremeP, 1-extremeP)
}

// sentence says which kinds of quantities the model does not reproduce.
func (k *checked) sentence() string {
	var misfits, fits []string
	for _, kind := range k.Kinds {
		switch {
		case kind.Extreme > 0:
			misfits = append(misfits, fmt.Sprintf("%s (%d of %d)", kind.Name, kind.Extreme, len(kind.Checks)))
		case len(kind.Checks) > 0:
			fits = append(fits, kind.Name)
		}
	}
	line := "The replicates show no misfit."
	if len(misfits) > 0 {
		line = "The model does not reproduce: " + and(misfits) + "."
		if len(fits) > 0 {
			line += " No misfit: " + and(fits) + "."
		}
	}
	return line
}

// misfits returns the worst misfits of each kind, and the number of the others.
func (k *checked) misfits() (t table, more int) {
	const shown = 5
	t = table{{"misfit", "X", "replicates 5%", "95%", "p"}}
	for _, kind := range k.Kinds {
		for _, c := range kind.worst(shown) {
			t.add(kind.Name+": "+c.Of, significant(float64(c.Observed), 3), significant(float64(c.Q5), 3), significant(float64(c.Q95), 3), known(float64(c.P), 3))
		}
		more += max(0, kind.Extreme-shown)
	}
	return t, more
}
