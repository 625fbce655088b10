package export

// CSV with a row for each draw.

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/words"
)

// csv writes a line for each draw. Weights stand where features have their items.
func (c *Contents) csv(w io.Writer) error {
	table := csv.NewWriter(w)
	line := lists.Map(c.columns, func(col column) string { return col.name })
	table.Write(line) // Flush returns its error
	for row := range len(c.columns[0].ints) {
		for i, col := range c.columns {
			line[i] = col.text(row)
		}
		table.Write(line)
	}
	table.Flush()
	return table.Error()
}

// text returns an entry as text: numbers in their shortest form; items, which count from one,
// separated by blanks within a feature and by | between features.
func (c *column) text(row int) string {
	switch {
	case c.ints != nil:
		return strconv.Itoa(c.ints[row])
	case c.floats != nil:
		return words.Exact(c.floats[row])
	case c.lists != nil:
		return joined(c.lists[row])
	}
	var all []string
	index := 0
	eachFeature(c.z[row], func(_ int, items []int) {
		if c.weights == nil {
			all = append(all, joined(items))
			return
		}
		// As the files of draws hold them.
		numbers := lists.Map(c.weights[row][index:index+len(items)], func(w float64) string { return words.Exact(float32(w)) })
		index += len(items)
		all = append(all, strings.Join(numbers, " "))
	})
	return strings.Join(all, "|")
}

// joined returns items, which count from zero, as numbers from one.
func joined(items []int) string {
	numbers := lists.Map(items, func(item int) string { return strconv.Itoa(item + 1) })
	return strings.Join(numbers, " ")
}

// eachFeature calls do with the items of each feature, from zero.
func eachFeature(z *feature.Allocation, do func(k int, items []int)) {
	var items []int
	for k := range z.K() {
		items = z.Members(items[:0], k)
		do(k, items)
	}
}
