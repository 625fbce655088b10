package cli

// aibd prior sharing.

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/mcmc"
	"aibd/prior"
)

func newPriorSharing() *cobra.Command {
	var (
		o            *priorOptions
		temperatures string
		plot         string
		seed         uint64
	)
	c := &cobra.Command{
		Use:   "sharing",
		Short: "Expected number of features that items share",
		Long: `Computes the expected number of features that each pair of items shares, exactly
under one permutation, at one or several temperatures, and its mean over all pairs.
The figure of --plot has a curve for each pair over the given temperatures.`,
		Example: `  # The states of the USA, at three temperatures
  aibd prior sharing --temperatures 0,1,5

  # Curves against temperature
  aibd prior sharing --temperatures 0:5:0.1 --plot sharing.svg

  # Five places on a line, averaged over the order of arrival
  printf '0,1,2,3,9\n1,0,1,2,8\n2,1,0,1,7\n3,2,1,0,6\n9,8,7,6,0\n' > d.csv
  aibd prior sharing --distance matrix --distance-file d.csv --average`,
		Args: wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if plot != "" {
				if _, err := figureKind(plot); err != nil {
					return err
				}
			}
			at, err := parseTemperatures(temperatures)
			if err != nil {
				return err
			}
			p, spec, err := o.law(c, 0)
			if err != nil {
				return err
			}
			average, err := o.averaged(p, spec)
			if err != nil {
				return err
			}
			s, err := computeSharing(p, spec, at, average, o.draws, seed)
			if err != nil {
				return err
			}
			if plot != "" {
				if err := saveSharing(plot, s, p, spec); err != nil {
					return err
				}
			}
			if o.json {
				return writeJSON(c.OutOrStdout(), s)
			}
			s.write(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().StringVar(&temperatures, "temperatures", "0,0.5,1,2,5", "Temperatures, a `list`, or from:to:step. The law ibp has none.")
	c.Flags().Uint64Var(&seed, "seed", 1, "Seed of Monte Carlo.")
	c.Flags().StringVar(&plot, "plot", "", "Draw curves against temperature into a `file` that ends in .svg or .png.")
	o = addPriorFlags(c, "temperature")
	o.addAverage(c)
	return c
}

// sharing is the expected sharing at some temperatures.
type sharing struct {
	Law      string      `json:"law"`
	Items    []string    `json:"items"`
	Averaged bool        `json:"averaged_over_permutations"`
	Method   string      `json:"method"` // exact or Monte Carlo
	Draws    int         `json:"draws,omitempty"`
	At       []sharingAt `json:"at"`
}

type sharingAt struct {
	Temperature *float64    `json:"temperature,omitempty"` // nil if the law has none
	Mean        number      `json:"mean_over_pairs"`
	Sharing     [][]float64 `json:"sharing"`           // by item and item
	StdErr      [][]float64 `json:"std_err,omitempty"` // of Monte Carlo
}

// computeSharing returns the expected sharing of p's law, averaged over
// permutations if average is not nil.
func computeSharing(p *runs.PriorProblem, spec runs.Spec, temperatures []float64, average *prior.AIBD, draws int, seed uint64) (*sharing, error) {
	s := &sharing{Law: lawFamily(p, spec), Items: names(p), Averaged: average != nil, Method: "exact"}
	law, ok := p.Law.(*prior.AIBD)
	if !ok {
		values := p.Law.ExpectedSharing()
		s.At = []sharingAt{{Mean: number(prior.MeanOverPairs(values)), Sharing: values}}
		return s, nil
	}
	for _, t := range temperatures {
		law := law.WithTemperature(t)
		at := sharingAt{Temperature: &t}
		var err error
		switch {
		case average == nil:
			at.Sharing = law.ExpectedSharing()
		case law.N() <= prior.MaxExactItems:
			at.Sharing, err = prior.ExpectedSharingAveraged(law)
		default:
			// The same permutations at every temperature make for smooth curves.
			s.Method, s.Draws = "Monte Carlo", draws
			at.Sharing, at.StdErr = prior.ExpectedSharingMonteCarlo(law, mcmc.NewStream(seed, "permutations").Rand, draws)
		}
		if err != nil {
			return nil, err
		}
		at.Mean = number(prior.MeanOverPairs(at.Sharing))
		s.At = append(s.At, at)
	}
	return s, nil
}

// write writes a table of pairs by temperatures.
func (s *sharing) write(w io.Writer) {
	how := "exact"
	if s.Draws > 0 {
		how = fmt.Sprintf("Monte Carlo over %d permutations, standard errors in brackets", s.Draws)
	}
	if s.Averaged {
		how = "averaged over permutations, " + how
	}
	fmt.Fprintf(w, "%s\nExpected number of shared features, %s\n\n", s.Law, how)
	head := []string{"pair"}
	mean := []string{"mean over pairs"}
	for _, at := range s.At {
		if at.Temperature == nil {
			head = append(head, "shared")
		} else {
			head = append(head, fmt.Sprintf("temperature %v", *at.Temperature))
		}
		mean = append(mean, fixed4(float64(at.Mean)))
	}
	t := table{head}
	for i, a := range s.Items {
		for j := i + 1; j < len(s.Items); j++ {
			row := []string{a + " - " + s.Items[j]}
			for _, at := range s.At {
				cell := fixed4(at.Sharing[i][j])
				if at.StdErr != nil {
					cell += fmt.Sprintf(" (%s)", fixed4(at.StdErr[i][j]))
				}
				row = append(row, cell)
			}
			t.add(row...)
		}
	}
	t.add(mean...)
	t.write(w)
}

func fixed4(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// parseTemperatures reads a list of numbers, or a range from:to:step.
func parseTemperatures(text string) ([]float64, error) {
	wrong := func(found string) error {
		return usageError{fmt.Errorf("--temperatures: found %q, expected numbers such as 0,0.5,1 or a range from:to:step such as 0:5:0.1", found)}
	}
	parse := func(word string) (float64, error) {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return 0, wrong(word)
		}
		if !(x >= 0) || math.IsInf(x, 1) {
			return 0, fmt.Errorf("--temperatures: found %v, expected finite numbers of at least 0", x)
		}
		return x, nil
	}
	separator := ","
	if strings.Contains(text, ":") {
		separator = ":"
	}
	var list []float64
	for word := range strings.SplitSeq(text, separator) {
		x, err := parse(word)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	if separator == "," {
		return list, nil
	}
	const most = 10_000
	if len(list) != 3 || list[1] < list[0] || !(list[2] > 0) || (list[1]-list[0])/list[2] > most {
		return nil, wrong(text)
	}
	from, to, step := list[0], list[1], list[2]
	steps := int(math.Floor((to-from)/step + 1e-9))
	list = nil
	for i := range steps + 1 {
		// Rounded, so that 3 steps of 0.1 print as 0.3.
		x, _ := strconv.ParseFloat(strconv.FormatFloat(from+float64(i)*step, 'g', 12, 64), 64)
		list = append(list, x)
	}
	return list, nil
}
