package cli

// aibd prior sample.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/mcmc"
	"aibd/prior"
)

func newPriorSample() *cobra.Command {
	var (
		o    *priorOptions
		n    int
		seed uint64
	)
	c := &cobra.Command{
		Use:   "sample",
		Short: "Draw allocations from a prior",
		Long: `Draws allocations Z from a prior: a line an item, entries separated by commas, - for
items without features where there are none at all; draws are separated by a blank
line. With --permutation random every draw has its own order of arrival.`,
		Example: `  # Three draws for 5 items under the IBP
  aibd prior sample --prior ibp --items 5 --n 3

  # One draw for the states of the USA, and its log pmf
  aibd prior sample --temperature 3 > z.txt
  aibd prior pmf --temperature 3 --z z.txt`,
		Args: wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if n < 1 {
				return fmt.Errorf("--n: found %d, expected at least 1", n)
			}
			p, err := o.law(c, 0)
			if err != nil {
				return err
			}
			if err := drawable(p.Law); err != nil {
				return err
			}
			stream := mcmc.NewStream(seed, "prior")
			draw := func() *feature.Allocation {
				if law := averaged(p); law != nil {
					return law.With(law.Temperature(), stream.Perm(law.N())).Rand(stream.Rand)
				}
				return p.Law.Rand(stream.Rand)
			}
			out := bufio.NewWriter(c.OutOrStdout())
			write := writeDraws
			if o.json {
				head := sampleJSON{Law: lawLine(p), Items: names(p), Seed: seed}
				write = func(w io.Writer, n int, draw func() *feature.Allocation) error {
					return writeDrawsJSON(w, head, n, draw)
				}
			}
			if err := write(out, n, draw); err != nil {
				return err
			}
			return out.Flush()
		},
	}
	c.Flags().IntVar(&n, "n", 1, "Number of draws.")
	c.Flags().Uint64Var(&seed, "seed", 1, "Seed of the random numbers.")
	o = addPriorFlags(c)
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

func writeDraws(w io.Writer, n int, draw func() *feature.Allocation) error {
	for i := range n {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := feature.WriteText(w, draw()); err != nil {
			return err
		}
	}
	return nil
}

type sampleJSON struct {
	Law   string   `json:"law"`
	Items []string `json:"items"`
	Seed  uint64   `json:"seed"`
}

// writeDrawsJSON writes an object with the draws as rows of 0 and 1, one draw at a
// time.
func writeDrawsJSON(w io.Writer, head sampleJSON, n int, draw func() *feature.Allocation) error {
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s,\"draws\":[", b[:len(b)-1])
	for i := range n {
		rows, err := json.Marshal(draw().Rows())
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		if _, err := fmt.Fprintf(w, "\n%s", rows); err != nil {
			return err
		}
	}
	_, err = fmt.Fprint(w, "\n]}\n")
	return err
}
