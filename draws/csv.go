package draws

import (
	"bufio"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
)

// WriteCSV writes the draws of segments in order, after a line of column names. The columns
// are those of the Parquet files. A permutation is a list of items separated by blanks,
// features are such lists separated by |, and items count from one. Missing values are
// empty. WriteCSV returns the first error, including those of segments.
func WriteCSV(w io.Writer, segments iter.Seq2[*Reader, error]) error {
	names := make([]string, numColumns)
	for i := range names {
		names[i] = columnName(i)
	}
	b := bufio.NewWriter(w)
	b.WriteString(strings.Join(names, ",") + "\n")
	var line []byte
	for r, err := range segments {
		if err != nil {
			return err
		}
		for d, err := range r.Draws() {
			if err != nil {
				return err
			}
			line = appendCSV(line[:0], r.header, d)
			if _, err := b.Write(line); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// appendCSV appends the line of one draw to b.
func appendCSV(b []byte, h Header, d *Draw) []byte {
	integer := func(v int) { b = append(strconv.AppendInt(b, int64(v), 10), ',') }
	double := func(v float64) { b = append(strconv.AppendFloat(b, v, 'g', -1, 64), ',') }
	items := func(list []int) {
		for i, item := range list {
			if i > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendInt(b, int64(item+1), 10)
		}
	}
	integer(h.Chain + 1)
	integer(d.Iteration + 1)
	integer(h.draw(d.Iteration))
	double(d.Mass)
	if math.IsNaN(d.Temperature) {
		b = append(b, ',')
	} else {
		double(d.Temperature)
	}
	double(d.SigmaX)
	double(d.SigmaA)
	integer(d.Z.K())
	integer(d.Z.Ones())
	double(d.LogLik)
	double(d.LogPrior)
	items(d.Permutation)
	b = append(b, ',')
	var members []int
	for k := range d.Z.K() {
		if k > 0 {
			b = append(b, '|')
		}
		members = d.Z.Members(members[:0], k)
		items(members)
	}
	return append(b, '\n')
}
