package export

// CSV as CmdStan writes it.

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"aibd/draws"
	"aibd/internal/words"
)

// cmdStan calls do with a file for each chain. Columns have the names of CmdStan, such as
// Z.3.1 for item 3 and feature 1; items count from one. lp__ is the log joint density. Z and
// weights are padded with zero columns to the largest number of features, as in arrays.
func (c *Contents) cmdStan(do func(name string, content []byte) error) error {
	lik, prior, most := c.column(draws.KeyLogLik), c.column(draws.KeyLogPrior), 0
	for _, col := range c.columns {
		most = max(most, maxFeatures(col.z))
	}
	for chain, number := range c.Numbers {
		var content bytes.Buffer
		fmt.Fprintf(&content, "# model = aibd\n# method = sample\n# num_samples = %d\n# num_warmup = %d\n# save_warmup = 0\n# thin = %d\n# id = %d\n",
			c.perChain()*c.Thin, c.Warmup, c.Thin, number)
		table := csv.NewWriter(&content)
		var cells []string // of a line
		if lik != nil && prior != nil {
			cells = append(cells, "lp__")
		}
		for _, col := range c.columns[len(index):] {
			switch {
			case col.lists != nil:
				for i := range c.Items {
					cells = append(cells, fmt.Sprintf("%s.%d", col.name, i+1))
				}
			case col.z != nil:
				for k := range most {
					for i := range c.Items {
						cells = append(cells, fmt.Sprintf("%s.%d.%d", col.symbol(), i+1, k+1))
					}
				}
			case col.of != "":
				cells = append(cells, col.of+"."+strings.TrimPrefix(col.name, col.of+"_"))
			default:
				cells = append(cells, col.name)
			}
		}
		table.Write(cells) // to memory
		for row := chain * c.perChain(); row < (chain+1)*c.perChain(); row++ {
			if cells = cells[:0]; lik != nil && prior != nil {
				cells = append(cells, stanFloat(lik.floats[row]+prior.floats[row]))
			}
			for _, col := range c.columns[len(index):] {
				switch {
				case col.ints != nil:
					cells = append(cells, strconv.Itoa(col.ints[row]))
				case col.floats != nil:
					cells = append(cells, stanFloat(col.floats[row]))
				case col.lists != nil:
					for _, item := range col.lists[row] {
						cells = append(cells, strconv.Itoa(item+1))
					}
				default:
					m, features := col.matrix(row), col.z[row].K()
					for k := range most {
						for i := range c.Items {
							entry := "0"
							if k < features {
								entry = words.Exact(float32(m[i*features+k]))
							}
							cells = append(cells, entry)
						}
					}
				}
			}
			table.Write(cells)
		}
		table.Flush()
		if err := do(fmt.Sprintf("chain-%d.csv", number), content.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// stanFloat formats a number as CmdStan does.
func stanFloat(x float64) string {
	return strings.ToLower(strings.TrimPrefix(words.Exact(x), "+"))
}
