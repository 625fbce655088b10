package export

// Tables with a row for each draw: CSV, JSON lines and Parquet.

import (
	"bufio"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/words"
)

// csv writes a permutation as items separated by blanks, and features as such lists
// separated by |. Items count from one. Weights stand where features have their items.
func (c *Contents) csv(w io.Writer) error {
	table := csv.NewWriter(w)
	line := lists.Of(c.columns, func(col column) string { return col.name })
	table.Write(line) // Flush returns its error
	for row := range len(c.columns[0].ints) {
		for i, col := range c.columns {
			line[i] = col.text(row, " ", "|")
		}
		table.Write(line)
	}
	table.Flush()
	return table.Error()
}

// text returns an entry as text: numbers in their shortest form, and items, which count from one,
// between separators of items and of features.
func (c *column) text(row int, betweenItems, betweenFeatures string) string {
	switch {
	case c.ints != nil:
		return strconv.Itoa(c.ints[row])
	case c.floats != nil:
		return words.Exact(c.floats[row])
	case c.lists != nil:
		return joined(c.lists[row], betweenItems)
	}
	var all []string
	at := 0
	eachFeature(c.z[row], func(_ int, items []int) {
		if c.weights == nil {
			all = append(all, joined(items, betweenItems))
			return
		}
		// As the files of draws hold them.
		numbers := lists.Of(c.weights[row][at:at+len(items)], func(w float64) string { return words.Exact(float32(w)) })
		at += len(items)
		all = append(all, strings.Join(numbers, betweenItems))
	})
	return strings.Join(all, betweenFeatures)
}

// joined returns items, which count from zero, as numbers from one.
func joined(items []int, separator string) string {
	numbers := lists.Of(items, func(item int) string { return strconv.Itoa(item + 1) })
	return strings.Join(numbers, separator)
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
			switch text := col.text(row, ",", "],["); {
			case col.floats != nil && (math.IsNaN(col.floats[row]) || math.IsInf(col.floats[row], 0)):
				b.WriteString("null")
			case col.lists != nil:
				b.WriteString("[" + text + "]")
			case col.z != nil && text != "":
				b.WriteString("[[" + text + "]]")
			case col.z != nil:
				b.WriteString("[]")
			default:
				b.WriteString(text)
			}
		}
		b.WriteString("}\n")
	}
	return b.Flush()
}

// parquet writes the columns as segments have them, cutpoints, noise scales and further temperatures as
// one list each.
func (c *Contents) parquet(w io.Writer) error {
	var names []string
	for _, col := range c.columns {
		switch {
		case strings.HasPrefix(col.name, draws.KeyCutpoint):
			col.name = "cutpoints"
		case strings.HasPrefix(col.name, draws.KeyTemperature+"_"):
			col.name = "further_temperatures"
		case col.of == noiseScale:
			col.name = "noise_scales"
		}
		names = append(names, col.name)
	}
	var chains []*segment.Segment
	for i, chain := range c.Chains {
		first := chain[0]
		s := segment.New(segment.Header{N: len(c.Items), Chain: c.Numbers[i] - 1, DrawsPerChain: c.Planned, Weights: first.Weights != nil, SigmaW: first.SigmaW != 0,
			Cells: len(first.Cells), Cutpoints: len(first.Cutpoints), NoiseScales: len(first.NoiseScales), Further: len(first.Further)})
		for _, d := range chain {
			if err := s.Record(d); err != nil {
				return err
			}
		}
		chains = append(chains, s)
	}
	return segment.WriteTable(w, names, chains...)
}
