package cli

// aibd prior sample.

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/internal/prospect"
	"aibd/mcmc"
	"aibd/prior"
)

func newPriorSample() *cobra.Command {
	var (
		o *priorOptions
		n int
	)
	c := &cobra.Command{
		Use:   "sample [FILE]",
		Short: "Draw allocations from a prior",
		Long: `Draws allocations Z from a prior: one line per item, with entries separated by commas.
If Z has no features, each line is -. Blank lines separate draws. With --permutation
random every draw has its own order of arrival.`,
		Example: `  # Three draws for 5 items under the IBP
  aibd prior sample --prior ibp --items 5 --n 3

  # One draw for the states of the USA, and its log pmf
  aibd prior sample --temperature 3 > z.txt
  aibd prior pmf --temperature 3 --z z.txt`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if n < 1 {
				return fmt.Errorf("--n: found %d, expected at least 1", n)
			}
			p, err := o.law(c, args, 0)
			if err != nil {
				return err
			}
			if err := drawable(p.Law); err != nil {
				return err
			}
			stream := mcmc.NewStream(o.seed, "prior")
			draw := func() *feature.Allocation {
				if law := prospect.Averaged(p); law != nil {
					return law.With(law.Temperature(), stream.Rand.Perm(law.N())).Rand(stream.Rand)
				}
				return p.Law.Rand(stream.Rand)
			}
			out := bufio.NewWriter(c.OutOrStdout())
			begin, between, end := "", "\n", ""
			write := func(z *feature.Allocation) error { return feature.WriteText(out, z) }
			if o.json {
				head, err := json.Marshal(sampleJSON{Law: prospect.LawLine(p), Items: prospect.Names(p), Seed: o.seed})
				if err != nil {
					return err
				}
				begin, between, end = string(head[:len(head)-1])+",\"draws\":[\n", ",\n", "\n]}\n"
				write = func(z *feature.Allocation) error {
					rows, err := json.Marshal(z.Rows())
					if err == nil {
						_, err = out.Write(rows)
					}
					return err
				}
			}
			out.WriteString(begin)
			for i := range n {
				if i > 0 {
					out.WriteString(between)
				}
				if err := write(draw()); err != nil {
					return err
				}
			}
			out.WriteString(end)
			return out.Flush()
		},
	}
	c.Flags().IntVar(&n, "n", 1, "Number of draws.")
	o = addPriorFlags(c, "")
	return c
}

// maxEntries bounds the entries of Z. Its text has twice as many bytes.
const maxEntries = 100_000_000

// drawable reports a law whose draws are too large.
func drawable(law prior.Law) error {
	features := law.Mass() * law.TotalIntensity()
	if !(features*float64(law.N()) <= maxEntries) {
		return fmt.Errorf("--mass: found %v, under which a draw has %.3g features of %s in the mean, expected at most %.3g features", law.Mass(), features, plural(law.N(), "item"), float64(maxEntries)/float64(law.N()))
	}
	return nil
}

// sampleJSON is followed by the draws, as rows of 0 and 1.
type sampleJSON struct {
	Law   string   `json:"law"`
	Items []string `json:"items"`
	Seed  uint64   `json:"seed"`
}
