package cli

// aibd prior features.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/figure"
	"aibd/internal/model"
	"aibd/internal/picture"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/mcmc"
	"aibd/prior"
)

// maxOrders is the max number of items for which newFeatures averages over all orders:
// 8! = 40320.
const maxOrders = 8

func newPriorFeatures() *cobra.Command {
	var o *priorOptions
	c := &cobra.Command{
		Use:   "features [FILE]",
		Short: "Distribution of the number of features",
		Long: `Computes the distribution of the number of features. It is Poisson: with mean mass
times 1 + 1/2 + ... + 1/N under the laws ibp and aibd, whatever the distances, the
temperature and the permutation; under ddibp with a mean that depends on them all.
Averaged over permutations, the sequential dd-IBP has a mixture of Poissons.`,
		Example: `  # 50 items
  aibd prior features --prior ibp --items 50 --mass 2

  # As many items as the states of the USA; a figure
  aibd prior features --mass 13 --plot features.svg

  # The dd-IBP has more features at higher temperatures
  aibd prior features --prior ddibp --temperature 0
  aibd prior features --prior ddibp --temperature 5 --average`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := o.law(c, args, 0)
			if err != nil {
				return err
			}
			f := newFeatures(p, o.draws, o.seed)
			return o.show(c, f, func(path string) error { return saveFigure(path, f.figure()) })
		},
	}
	o = addPriorFlags(c, "")
	o.addPlot(c, "Draw the distribution")
	o.addAverage(c, maxOrders)
	return c
}

// features is the distribution of the number of features.
type features struct {
	Law         string    `json:"law"`
	Averaged    bool      `json:"averaged_over_permutations"`
	Method      string    `json:"method"`          // exact or Monte Carlo
	Draws       int       `json:"draws,omitempty"` // permutations of Monte Carlo
	Mean        float64   `json:"mean"`
	MeanStdErr  float64   `json:"mean_std_err,omitempty"` // of Monte Carlo
	Variance    float64   `json:"variance"`
	Probability []float64 `json:"probability"`       // of 0, 1, 2, ... features
	StdErr      []float64 `json:"std_err,omitempty"` // of Monte Carlo
}

// newFeatures returns the distribution under p's law. It depends on the permutation,
// over which it is then averaged if that is random, under the sequential dd-IBP only.
func newFeatures(p *model.PriorProblem, draws int, seed uint64) *features {
	f := &features{Law: lawLine(p), Method: "exact"}
	var means []float64 // of the Poisson distributions
	add := func(law prior.Law) { means = append(means, law.Mass()*law.TotalIntensity()) }
	law, ok := averaged(p).(*prior.SequentialDDIBP)
	switch n := p.Law.N(); {
	case !ok:
		add(p.Law)
	case n <= maxOrders:
		f.Averaged = true
		for g, perm := combin.NewPermutationGenerator(n, n), make([]int, n); g.Next(); {
			add(law.With(law.Temperature(), g.Permutation(perm)))
		}
	default:
		f.Averaged, f.Method, f.Draws = true, "Monte Carlo", draws
		stream := mcmc.NewStream(seed, "permutations")
		for range draws {
			add(law.With(law.Temperature(), stream.Rand.Perm(n)))
		}
	}
	stdErr := func(variance float64) float64 { return math.Sqrt(variance / float64(len(means)-1)) }
	mean, between := stat.PopMeanVariance(means, nil)
	f.Mean, f.Variance = mean, mean+between
	if f.Draws > 0 {
		f.MeanStdErr = stdErr(between)
	}
	// The tail beyond is below 1e-15 for every mean.
	largest := slices.Max(means)
	values := make([]float64, len(means))
	for k := range int(math.Ceil(largest+9*math.Sqrt(largest)+25)) + 1 {
		for i, m := range means {
			values[i] = distuv.Poisson{Lambda: m}.Prob(float64(k))
		}
		mean, variance := stat.PopMeanVariance(values, nil)
		f.Probability = append(f.Probability, mean)
		if f.Draws > 0 {
			f.StdErr = append(f.StdErr, stdErr(variance))
		}
	}
	return f
}

// visible returns the range of the numbers of features with a notable probability.
func (f *features) visible() (from, to int) {
	from, to = -1, 0
	for k, p := range f.Probability {
		if p >= 5e-5 {
			if from < 0 {
				from = k
			}
			to = k + 1
		}
	}
	return max(from, 0), to
}

// figure draws the notable probabilities.
func (f *features) figure() figure.Figure {
	from, to := f.visible()
	return picture.Counts("Number of features under the prior", f.Law, f.Probability, from, to)
}

func (f *features) write(w io.Writer) {
	fmt.Fprintln(w, visible.Text(f.Law))
	switch {
	case f.Draws > 0:
		fmt.Fprintf(w, "Averaged over permutations, Monte Carlo over %d of them, standard errors in brackets:\n", f.Draws)
	case f.Averaged:
		fmt.Fprintln(w, "Averaged over permutations, exact:")
	}
	if f.Averaged {
		mean := words.Significant(f.Mean, 6)
		if f.Draws > 0 {
			mean += fmt.Sprintf(" (%s)", words.Significant(f.MeanStdErr, 2))
		}
		fmt.Fprintf(w, "the number of features is a mixture of Poissons with mean %s and variance %s\n\n", mean, words.Significant(f.Variance, 6))
	} else {
		fmt.Fprintf(w, "The number of features is Poisson with mean %s\n\n", words.Significant(f.Mean, 6))
	}
	from, to := f.visible()
	peak, below := 0.0, 0.0
	for k, p := range f.Probability {
		peak = max(peak, p)
		if k < from {
			below += p
		}
	}
	t := table{{"features", "probability", "at most"}}
	for k := from; k < to; k++ {
		below += f.Probability[k]
		cell := words.Fixed(f.Probability[k], 4)
		if f.StdErr != nil {
			cell += fmt.Sprintf(" (%s)", words.Fixed(f.StdErr[k], 4))
		}
		t.add(fmt.Sprint(k), cell, words.Fixed(below, 4))
	}
	var b strings.Builder
	t.write(&b)
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if i > 0 {
			line += "  " + strings.Repeat("#", int(math.Round(40*f.Probability[from+i-1]/peak)))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
