package cli

// aibd prior predict: can the prior produce data like X?

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/figure"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/picture"
	"aibd/internal/quantity"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
)

type priorPredictOptions struct {
	fit             fitOptions
	size            int
	quantities      []string
	plot, csv       string
	asJSON, isQuiet bool
}

func newPriorPredict() *cobra.Command {
	o := &priorPredictOptions{}
	c := &cobra.Command{
		Use:   "predict [FILE | RUN]",
		Short: "Check whether the prior can produce data like X",
		Long: `Prior predictive checks: draws mass, temperature, permutation, Z, SigmaX, SigmaA, the noise
scales of columns, loadings and X from the priors of the spec, and compares X with these
replicates. It has the flags and defaults of fit; unlike in the other verbs of prior, nothing is
fixed unless a flag says so. It also prints quantiles of what the prior says about features,
distances and noise.

p is the share of replicates that exceed X. A p near 0 or 1 means that the prior contradicts
the data: it hardly ever produces data like X. If X came from the prior, about 2 of 100 p
would be below 0.01 or above 0.99 by chance; the first line names the kinds of quantities with
more than twice as many. Default priors depend on the standard deviations of X, and are wide.

The quantities, their units and the cells that count are the same as in aibd check, without the
residuals of items. An intercept has a flat prior, under which the level of a column is improper:
each column of a replicate is shifted to the mean of X, and means are not compared.

` + quantityHelp,
		Example: `  # Can the default priors produce the 50 states?
  aibd prior predict

  # Smaller noise, and a quantity of your own, as a picture
  aibd prior predict --set prior.sigma_x.shape=3 --set prior.sigma_x.rate=10 --quantity 'near(Income)' --plot prior.svg

  # The replicates as a table
  aibd data write bars --items 12
  aibd prior predict bars.csv --n 20 --csv replicates.csv`,
		Args: wants(0, 1, "at most one FILE or RUN"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.fit.flags = addSpecFlags(c, modelSettings("seed"))
	c.Flags().StringVar(&o.fit.specFile, "spec", "", "A spec in TOML or a run.json: a `file`. Flags override it.")
	c.Flags().IntVar(&o.size, "n", 400, "Number of draws.")
	addQuantities(c, &o.quantities)
	outputFlag(c, &o.plot, "plot", "Draw all quantities to an .svg or .png `file`.")
	outputFlag(c, &o.csv, "csv", "Write the replicates of X, in the units of the file, to a CSV `file`, with a row for each draw and item.")
	c.Flags().BoolVar(&o.asJSON, "json", false, "Print JSON, with all quantities.")
	c.Flags().BoolVar(&o.isQuiet, "quiet", false, "Do not describe the data and the priors.")
	return c
}

const (
	maxReplicated = 10_000_000  // cells of replicates in a table
	maxCompared   = 100_000_000 // quantities of replicates that checks hold
)

// maxDraws returns the max number of draws that fit in memory, at least the default without a table.
func (o *priorPredictOptions) maxDraws(items, columns int) int {
	most := max(400, maxCompared/(columns*(columns+7)/2))
	if o.csv != "" {
		most = min(most, maxReplicated/(items*columns))
	}
	return most
}

func (o *priorPredictOptions) run(c *cobra.Command, args []string) error {
	if err := cmp.Or(checkPlot(o.plot), atLeast(1, "n", o.size)); err != nil {
		return err
	}
	if dir := runIn(args); dir != "" {
		args = []string{filepath.Join(dir, "run.json")}
	}
	log := logOf(c, o.isQuiet)
	s, err := o.fit.spec(args, log)
	if err != nil {
		return err
	}
	p, err := input.Build(s)
	if err != nil {
		return err
	}
	if most := o.maxDraws(len(p.IDs), len(p.Columns)); o.size > most {
		return fmt.Errorf("--n: found %d, expected at most %d with %s and %s", o.size, most, plural(len(p.IDs), "item"), plural(len(p.Columns), "column"))
	}
	quantities, err := parseQuantities(o.quantities, quantity.Table{Columns: p.Columns, Units: p.SeenUnits(), Nearest: p.Nearest})
	if err != nil {
		return err
	}
	writeLines(log, describe.Model(p))
	found, err := o.predict(p, quantities)
	if err != nil {
		return err
	}
	if err := writeOutputs(tableOutput(o.csv, func() table { return found.replicates }),
		figureOutput(o.plot, func() figure.Figure { return found.figure(p) })); err != nil {
		return err
	}
	return show(c, o.asJSON, found, found.write)
}

// priorPredicted holds what the prior predicts.
type priorPredicted struct {
	Law   string `json:"law"`
	Level string `json:"level,omitempty"` // of columns, if there is an intercept
	*results.Checks
	Scalars []priorScalar `json:"scalars"`

	replicates table // of X, if asked for
}

// flatLevel tells what a flat prior of the intercept means.
const flatLevel = "The intercept has a flat prior, so the prior says nothing about the level of a column: replicates have the column means of X."

// priorScalar holds quantiles of a scalar under the prior.
type priorScalar struct {
	Name string         `json:"name"`
	Q5   results.Number `json:"q5"`
	Q50  results.Number `json:"q50"`
	Q95  results.Number `json:"q95"`
}

// predict draws from the prior and checks X.
func (o *priorPredictOptions) predict(p *model.Problem, quantities []predict.Quantity) (*priorPredicted, error) {
	r, err := results.NewReplicator(p.Posterior.Data, &p.Observed)
	if err != nil {
		return nil, err
	}
	r.Prior = true
	f := &priorPredicted{Law: describe.Law(p.Spec.Prior, p.Distances())}
	if p.Spec.Data.HasIntercept() {
		f.Level = flatLevel
	}
	if o.csv != "" {
		f.replicates.add(append([]string{"draw", "item"}, p.Columns...)...)
	}
	checker, rng := predict.NewChecker(r, quantities...), mcmc.NewStream(p.Spec.Sampler.Seed, "prior predictive").Rand
	scalars := priorScalars(p)
	values, units := make([][]float64, len(scalars)), p.SeenUnits()
	err = p.DrawPrior(o.size, draws.RecorderFunc(func(d *draws.Draw) error {
		y, err := r.Draw(d, rng)
		if err != nil {
			return err
		}
		checker.Add(d, y)
		for i, s := range scalars {
			values[i] = append(values[i], s.of(d, y))
		}
		if o.csv == "" {
			return nil
		}
		for i, row := range y.X {
			cells := []string{strconv.Itoa(d.Iteration + 1), p.IDs[i]}
			for v, x := range row {
				cells = append(cells, cell(units.Undo(v, x)))
			}
			f.replicates.add(cells...)
		}
		return nil
	}))
	if err != nil {
		return nil, err
	}
	for i, s := range scalars {
		q := func(at float64) results.Number { return results.Number(posterior.Quantile(values[i], at)) }
		f.Scalars = append(f.Scalars, priorScalar{s.name, q(0.05), q(0.5), q(0.95)})
	}
	f.Checks = results.NewChecks(checker, o.size, p.Columns, p.IDs, units, quantities)
	f.Prior = true
	return f, nil
}

// A drawnScalar is a scalar of a draw and its replicate.
type drawnScalar struct {
	name string
	of   func(d *draws.Draw, y predict.Replicate) float64
}

// priorScalars returns the scalars of which quantiles are told.
func priorScalars(p *model.Problem) []drawnScalar {
	scalar := func(key, unit string) drawnScalar {
		s := draws.ScalarOf(key)
		return drawnScalar{verdict.Quantity{Name: s.Name, Unit: unit}.Label(), func(d *draws.Draw, _ predict.Replicate) float64 {
			row := draws.RowOf(d)
			return s.Of(&row)
		}}
	}
	of := func(name string, f func(d *draws.Draw) float64) drawnScalar {
		return drawnScalar{name, func(d *draws.Draw, _ predict.Replicate) float64 { return f(d) }}
	}
	all := []drawnScalar{
		of("features", func(d *draws.Draw) float64 { return float64(d.Z.K()) }),
		of("features of more than one item", results.SharedFeatures),
		of("features of an item, on average", results.FeaturesPerItem),
	}
	if law, ok := p.Posterior.Law.(prior.Attraction); ok {
		for m := range p.Distances() {
			near, far, pairs := results.NearFar(law, m, p.Spec.Prior.Decay)
			by := ""
			if len(p.Further) > 0 {
				by = ", by " + p.Spec.Distance.All()[m].Label()
			}
			for _, group := range []struct {
				name  string
				pairs [][2]int
			}{{"nearest", near}, {"farthest", far}} {
				if n := len(group.pairs); n > 0 {
					name := fmt.Sprintf("features that the %s %d of %d pairs share%s", group.name, n, pairs, by)
					all = append(all, of(name, func(d *draws.Draw) float64 { return posterior.MeanSharing(d.Z, [][][2]int{group.pairs})[0] }))
				}
			}
		}
	}
	all = append(all, scalar(draws.KeyMass, ""))
	if p.Spec.Prior.HasTemperature() {
		for m := range p.Distances() {
			all = append(all, ofTemperature(p, m)...)
		}
	}
	return append(all, scalar(draws.KeySigmaX, ""), scalar(draws.KeySigmaA, ""),
		drawnScalar{"percent of the sum of squares that features explain", explainedShare})
}

// ofTemperature returns the temperature of distance m and what it means.
func ofTemperature(p *model.Problem, m int) (all []drawnScalar) {
	law, d, unit := p.Spec.Prior, p.Spec.Distance.All()[m], p.Distances()[m].Unit
	of := func(name string, f func(temperature float64) float64) {
		all = append(all, drawnScalar{name, func(d *draws.Draw, _ predict.Replicate) float64 {
			if m > 0 {
				return f(d.Further[m-1])
			}
			return f(d.Temperature)
		}})
	}
	name := "temperature"
	if len(p.Further) > 0 {
		name += " of " + d.Label()
	}
	of(verdict.Quantity{Name: name, Unit: describe.TemperatureUnit(law, unit)}.Label(), func(x float64) float64 { return x })
	switch {
	case law.Decay != "exponential":
	case d.Kind == "same":
		of("similarity of items that differ in "+d.Columns[0]+", as a factor", describe.Strangers)
	case unit != "":
		per, unit := describe.UnitOf(d, unit)
		of("distance at which similarity halves ("+unit+")", func(x float64) float64 { return per * math.Ln2 / x })
	}
	return all
}

// explainedShare returns the percentage of the sums of squares about column means of signal and noise
// that the signal has.
func explainedShare(_ *draws.Draw, y predict.Replicate) float64 {
	var signal, noise float64
	for v := range y.Signal[0] {
		var s, e []float64
		for i, row := range y.Latent {
			if !math.IsNaN(row[v]) {
				s, e = append(s, y.Signal[i][v]), append(e, row[v]-y.Signal[i][v])
			}
		}
		signal += stat.PopVariance(s, nil) * float64(len(s))
		noise += stat.PopVariance(e, nil) * float64(len(e))
	}
	return 100 * signal / (signal + noise)
}

// figure draws the checks.
func (f *priorPredicted) figure(p *model.Problem) figure.Figure {
	lines := []string{fmt.Sprintf("%s, %d items; %s; %s of the prior.", p.Spec.Data.Source(), len(p.IDs), f.Law, plural(f.Replicates, "draw"))}
	if f.Level != "" {
		lines = append(lines, f.Level)
	}
	return picture.PriorChecks(f.Checks, lines...)
}

func (f *priorPredicted) write(w io.Writer) {
	writeChecks(w, f.Checks)
	if f.Level != "" {
		fmt.Fprint(w, "\n"+wrap(f.Level, "", lineWidth(w)))
	}
	fmt.Fprintln(w)
	t := table{{"under the prior", "5%", "median", "95%"}}
	for _, s := range f.Scalars {
		t.add(s.Name, words.Significant(float64(s.Q5), 3), words.Significant(float64(s.Q50), 3), words.Significant(float64(s.Q95), 3))
	}
	t.write(w)
}
