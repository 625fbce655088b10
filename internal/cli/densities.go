package cli

// Log probabilities and densities of given allocations, and how they are read and printed.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

const allocationHelp = `A file of Z has one line per item with entries 0 and 1, separated or not, as R's write.csv or
write.table write it, too. Blank lines separate several Z. The file - is standard input.`

// allocationFlag is the flag --z.
type allocationFlag struct{ files []string }

func addAllocations(c *cobra.Command) *allocationFlag {
	var f allocationFlag
	c.Flags().StringArrayVar(&f.files, "z", nil, "The `file` of one or more Z, - for standard input. Repeat it for more files.")
	return &f
}

// namedAllocation is an allocation with the name of its place.
type namedAllocation struct {
	name string
	z    *feature.Allocation
}

// read reads all files.
func (f *allocationFlag) read(stdin io.Reader) (all []namedAllocation, err error) {
	if len(f.files) == 0 {
		return nil, usageError{errors.New("--z: found none, expected a file of Z")}
	}
	for _, file := range f.files {
		name, from := file, stdin
		if file == "-" {
			name = "standard input"
		} else {
			b, err := readFile(file)
			if err != nil {
				return nil, err
			}
			from = bytes.NewReader(b)
		}
		read, err := feature.ReadTexts(from, name)
		if err != nil {
			return nil, err
		}
		for i, z := range read {
			at := name
			if len(read) > 1 {
				at = fmt.Sprintf("%s, Z %d", name, i+1)
			}
			all = append(all, namedAllocation{at, z})
		}
	}
	return all, nil
}

// densities are the densities of some allocations.
type densities struct {
	Law         string     `json:"law,omitempty"`
	Items       int        `json:"items"`
	Averaged    bool       `json:"averaged_over_permutations,omitempty"`
	Draws       int        `json:"draws,omitempty"` // of Monte Carlo
	SigmaX      float64    `json:"sigma_x,omitempty"`
	SigmaA      float64    `json:"sigma_a,omitempty"`
	Allocations []zDensity `json:"allocations"`

	z []*feature.Allocation
}

// zDensity has those of one allocation; nil if they are not asked for.
type zDensity struct {
	Name         string          `json:"z"`
	Features     int             `json:"features"`
	LogPMF       *results.Number `json:"log_pmf,omitempty"` // null: probability 0
	StdErr       *results.Number `json:"std_err,omitempty"` // of LogPMF by Monte Carlo
	LogLik       *results.Number `json:"log_lik,omitempty"`
	LogPosterior *results.Number `json:"log_posterior,omitempty"`
}

// newDensities returns the table of allocations of n items.
func newDensities(all []namedAllocation, n int) (*densities, error) {
	d := &densities{Items: n}
	for _, a := range all {
		if a.z.N() != n {
			return nil, fmt.Errorf("%s: found %d items, expected %d", a.name, a.z.N(), n)
		}
		d.z = append(d.z, a.z)
		d.Allocations = append(d.Allocations, zDensity{Name: a.name, Features: a.z.K()})
	}
	return d, nil
}

// addPMF adds the log probabilities under a law.
func (d *densities) addPMF(p *model.PriorProblem, o *priorOptions) (err error) {
	law := averaged(p)
	d.Law, d.Averaged = lawLine(p), law != nil
	for i, z := range d.z {
		a, log := &d.Allocations[i], 0.0
		switch {
		case law == nil:
			log = prior.LogProb(p.Law, z)
		case law.N() <= prior.MaxExactItems:
			if log, err = prior.LogProbAveraged(law, z); err != nil {
				return err
			}
		default:
			var stdErr float64
			log, stdErr = prior.LogProbMonteCarlo(law, z, mcmc.NewStream(o.seed, "permutations").Rand, o.draws)
			d.Draws, a.StdErr = o.draws, new(results.Number(stdErr))
		}
		a.LogPMF = new(results.Number(log))
	}
	return nil
}

// addLogLik adds the log likelihoods, and the sums with the log probabilities.
func (d *densities) addLogLik(data *lglfm.Data, scales lglfm.Scales) error {
	if err := data.Check(scales); err != nil {
		return err
	}
	if data.Bounded() > 0 {
		return errors.New("found cells between bounds (limits, categories or counts), whose values are unknown, expected columns of numbers only")
	}
	d.SigmaX, d.SigmaA = scales.SigmaX, scales.SigmaA
	for i, z := range d.z {
		a := &d.Allocations[i]
		a.LogLik = new(results.Number(lglfm.LogLik(data, z, scales)))
		if a.LogPMF != nil {
			a.LogPosterior = new(*a.LogPMF + *a.LogLik)
		}
	}
	return nil
}

func (d *densities) write(w io.Writer) {
	if d.Law != "" {
		fmt.Fprintln(w, visible.Text(d.Law))
	}
	if d.SigmaX > 0 {
		fmt.Fprintf(w, "SigmaX %v, SigmaA %v\n", d.SigmaX, d.SigmaA)
	}
	for _, a := range d.Allocations {
		name := "Z"
		if len(d.Allocations) > 1 {
			name = visible.Text(a.Name)
		}
		fmt.Fprintf(w, "%s: %s, %s\n", name, plural(d.Items, "item"), plural(a.Features, "feature"))
		if a.LogPMF != nil {
			what := "log pmf"
			if d.Averaged {
				what += " averaged over permutations"
			}
			fmt.Fprintf(w, "%s: %v (%s)\n", what, float64(*a.LogPMF), a.method(d.Draws))
		}
		if a.LogLik != nil {
			fmt.Fprintf(w, "log likelihood: %v\n", float64(*a.LogLik))
		}
		if a.LogPosterior != nil {
			fmt.Fprintf(w, "log posterior density, up to a constant: %v\n", float64(*a.LogPosterior))
		}
	}
}

// method says how the log probability was computed.
func (a zDensity) method(draws int) string {
	switch {
	case a.StdErr == nil:
		return "exact"
	case math.IsInf(float64(*a.LogPMF), -1):
		return fmt.Sprintf("Monte Carlo: Z cannot occur under any of %d permutations", draws)
	}
	return fmt.Sprintf("Monte Carlo over %d permutations, standard error %s", draws, words.Significant(float64(*a.StdErr), 2))
}
