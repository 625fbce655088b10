package cli

// aibd sharing: how many features the items of a run share.

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/posterior"
)

func newSharing() *cobra.Command {
	var (
		asJSON    bool
		csv, plot string
		top       int
	)
	c := &cobra.Command{
		Use:   "sharing RUN",
		Short: "How many features each pair of items shares",
		Long: `Computes the posterior mean of the number of features that each pair of items shares,
with its Monte Carlo standard error (MCSE), and prints the pairs that share most.
--csv writes all pairs, --plot draws them as a matrix.`,
		Example: `  # Who is alike
  aibd fit --warmup 200 --draws 300 --out alike
  aibd sharing alike

  # All pairs as a table and as a picture
  aibd sharing alike --csv pairs.csv --plot pairs.svg`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if plot != "" {
				if _, err := figureKind(plot); err != nil {
					return err
				}
			}
			if top < 0 {
				return usageError{fmt.Errorf("--top: found %d, expected at least 0", top)}
			}
			run, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			s, err := shared(run)
			if err != nil {
				return err
			}
			if csv != "" {
				if err := writeFile(csv, s.csv()); err != nil {
					return err
				}
			}
			if plot != "" {
				title := []string{"shared", "features"}
				if err := saveMatrix(plot, s.Items, s.Mean, title); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), s)
			}
			s.write(c.OutOrStdout(), top)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "Print JSON, with all pairs.")
	c.Flags().IntVar(&top, "top", 20, "Pairs to print, those that share most; 0 for all.")
	c.Flags().StringVar(&csv, "csv", "", "Write all pairs into a `file`.")
	c.Flags().StringVar(&plot, "plot", "", "Draw the matrix into a `file` that ends in .svg or .png.")
	return c
}

// posteriorSharing is what the items of a run share.
type posteriorSharing struct {
	Items []string    `json:"items"`
	Draws int         `json:"draws"` // of all chains
	Note  string      `json:"note,omitempty"`
	Mean  [][]float64 `json:"mean"` // on the diagonal the features of an item
	MCSE  [][]number  `json:"mcse"`
}

func shared(run *runs.Run) (*posteriorSharing, error) {
	chains, note, err := run.Allocations()
	if err != nil {
		return nil, err
	}
	mean, mcse := posterior.Sharing(chains)
	s := &posteriorSharing{Items: run.Data.IDs, Draws: len(chains) * len(chains[0]), Note: note, Mean: mean}
	for _, row := range mcse {
		numbers := make([]number, len(row))
		for j, x := range row {
			numbers[j] = number(x)
		}
		s.MCSE = append(s.MCSE, numbers)
	}
	return s, nil
}

// pairs returns all pairs of different items, those that share most first.
func (s *posteriorSharing) pairs() [][2]int {
	var pairs [][2]int
	for i := range s.Items {
		for j := range i {
			pairs = append(pairs, [2]int{j, i})
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int {
		return cmp.Compare(s.Mean[b[0]][b[1]], s.Mean[a[0]][a[1]])
	})
	return pairs
}

func (s *posteriorSharing) write(w io.Writer, top int) {
	if s.Note != "" {
		fmt.Fprintln(w, s.Note)
	}
	pairs, sum := s.pairs(), 0.0
	for _, p := range pairs {
		sum += s.Mean[p[0]][p[1]]
	}
	fmt.Fprintf(w, "Features that two items share, mean of %s; over all pairs %s\n\n", plural(s.Draws, "draw"), fixed4(sum/float64(len(pairs))))
	t := table{{"pair", "shared", "MCSE", "of the first's", "of the second's"}}
	for n, p := range pairs {
		if top > 0 && n == top {
			break
		}
		i, j := p[0], p[1]
		t.add(s.Items[i]+" - "+s.Items[j], fixed4(s.Mean[i][j]), known(float64(s.MCSE[i][j]), 4), fixed4(s.Mean[i][i]), fixed4(s.Mean[j][j]))
	}
	t.write(w)
	if top > 0 && top < len(pairs) {
		fmt.Fprintf(w, "... and %d pairs more, which --top 0 prints and --csv writes.\n", len(pairs)-top)
	}
}

func (s *posteriorSharing) csv() []byte {
	var b strings.Builder
	b.WriteString("item_1,item_2,shared,mcse\n")
	for i := range s.Items {
		for j := range i {
			fmt.Fprintf(&b, "%s,%s,%s,%s\n", quoted(s.Items[j]), quoted(s.Items[i]), cell(s.Mean[i][j]), cell(float64(s.MCSE[i][j])))
		}
	}
	return []byte(b.String())
}

// quoted returns a cell of CSV.
func quoted(cell string) string {
	if strings.ContainsAny(cell, ",\"\r\n") {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}
