package export

// Tables with a row for each draw: CSV, JSON lines and Parquet.

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"aibd/draws"
	"aibd/feature"
)

// csv writes a permutation as items separated by blanks, and features as such lists
// separated by |. Items count from one.
func (c *Contents) csv(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i, col := range c.columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(col.name)
	}
	for row := range len(c.columns[0].ints) {
		for i, col := range c.columns {
			b.WriteByte("\n,"[min(i, 1)])
			switch {
			case col.ints != nil:
				b.WriteString(strconv.Itoa(col.ints[row]))
			case col.floats != nil:
				b.WriteString(strconv.FormatFloat(col.floats[row], 'g', -1, 64))
			case col.lists != nil:
				writeItems(b, col.lists[row], ' ')
			default:
				eachFeature(col.z[row], func(k int, items []int) {
					if k > 0 {
						b.WriteByte('|')
					}
					writeItems(b, items, ' ')
				})
			}
		}
	}
	b.WriteByte('\n')
	return b.Flush()
}

// writeItems writes items, which count from zero, as numbers from one.
func writeItems(b *bufio.Writer, items []int, separator byte) {
	for i, item := range items {
		if i > 0 {
			b.WriteByte(separator)
		}
		b.WriteString(strconv.Itoa(item + 1))
	}
}

// eachFeature calls do with the items of each feature, from zero.
func eachFeature(z *feature.Allocation, do func(k int, items []int)) {
	var items []int
	for k := range z.K() {
		items = z.Members(items[:0], k)
		do(k, items)
	}
}

// jsonLines writes an object for each draw. Features are lists of items, which count from
// one. Numbers that JSON does not have are null.
func (c *Contents) jsonLines(w io.Writer) error {
	b := bufio.NewWriter(w)
	for row := range len(c.columns[0].ints) {
		for i, col := range c.columns {
			b.WriteByte("{,"[min(i, 1)])
			b.WriteString(strconv.Quote(col.name) + ":")
			switch {
			case col.ints != nil:
				b.WriteString(strconv.Itoa(col.ints[row]))
			case col.floats != nil && (math.IsNaN(col.floats[row]) || math.IsInf(col.floats[row], 0)):
				b.WriteString("null")
			case col.floats != nil:
				b.WriteString(strconv.FormatFloat(col.floats[row], 'g', -1, 64))
			case col.lists != nil:
				b.WriteByte('[')
				writeItems(b, col.lists[row], ',')
				b.WriteByte(']')
			default:
				b.WriteByte('[')
				eachFeature(col.z[row], func(k int, items []int) {
					if k > 0 {
						b.WriteByte(',')
					}
					b.WriteByte('[')
					writeItems(b, items, ',')
					b.WriteByte(']')
				})
				b.WriteByte(']')
			}
		}
		b.WriteString("}\n")
	}
	return b.Flush()
}

// parquet writes the columns as segments have them, cutpoints and noise scales as one list each.
func (c *Contents) parquet(w io.Writer) error {
	var names []string
	for _, col := range c.columns {
		switch {
		case strings.HasPrefix(col.name, cutpoint):
			col.name = "cutpoints"
		case strings.HasPrefix(col.name, noiseScale):
			col.name = "noise_scales"
		}
		names = append(names, col.name)
	}
	var chains []*draws.Segment
	for i, chain := range c.Chains {
		s := draws.NewSegment(draws.Header{N: len(c.Items), Chain: c.Numbers[i] - 1, DrawsPerChain: c.Planned, Cells: len(chain[0].Cells), Cutpoints: len(chain[0].Cutpoints), NoiseScales: len(chain[0].NoiseScales)})
		for _, d := range chain {
			if err := s.Record(d); err != nil {
				return err
			}
		}
		chains = append(chains, s)
	}
	return draws.WriteTable(w, names, chains...)
}
