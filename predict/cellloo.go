package predict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/lglfm"
	"aibd/posterior"
)

// CellLOO holds PSIS-LOO estimates in which the observations are the entries of X that are
// observed or have bounds.
// The density of an entry given a draw of Z and the scales is that given the other observed
// entries of its column, with the loadings and missing entries integrated out; of an entry with
// bounds it is the probability that it is between them. Importance weights are inverse to it,
// so the draws represent their posterior without the entry.
type CellLOO struct {
	*LOO
	At      [][2]int  // row and column of each point, row by row
	ByChain []float64 // ELPD according to each chain alone
}

// NewCellLOO leaves out each entry of X in turn. It returns an error if chains has no draws, if the chains
// differ in length, or if data.Check fails for a draw. It panics if a draw and the data differ in their number of items.
func NewCellLOO(data *lglfm.Data, chains [][]*draws.Draw) (*CellLOO, error) {
	x, from := data.X(), slices.Concat(chains...)
	if len(from) == 0 {
		return nil, errors.New("found no draws, expected at least one")
	}
	for k, chain := range chains {
		if len(chain) != len(chains[0]) {
			return nil, fmt.Errorf("chain %d: found %d draws, expected %d as in the first", k+1, len(chain), len(chains[0]))
		}
	}
	for t, d := range from {
		if err := data.Check(lglfm.ScalesOf(d)); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
	}
	c := &cells{data: data, x: x, bounds: data.Bounds(), draws: from, length: len(chains[0]),
		points: make([]LOOPoint, data.N()*data.D()), alone: make([][]float64, len(chains))}
	for i := range c.alone {
		c.alone[i] = make([]float64, len(c.points))
	}
	// Blocks of variables, and of items if there are many, bound the memory. Each block
	// decomposes Z of each draw again.
	n := min(data.N(), max(1, maxDensities/len(from)))
	width := max(1, maxDensities/(len(from)*max(1, n)))
	for first := 0; first < data.D(); first += width {
		for top := 0; top < data.N(); top += n {
			c.block(top, min(top+n, data.N()), first, min(first+width, data.D()))
		}
	}
	loo := &CellLOO{ByChain: make([]float64, len(chains))}
	var points []LOOPoint
	for i, row := range x {
		for d := range row {
			if !c.judged(i, d) {
				continue
			}
			p := i*data.D() + d
			loo.At, points = append(loo.At, [2]int{i, d}), append(points, c.points[p])
			for chain, elpd := range c.alone {
				loo.ByChain[chain] += elpd[p]
			}
		}
	}
	loo.LOO = NewLOO(points)
	return loo, nil
}

// maxDensities bounds the number of log densities in memory, about.
const maxDensities = 1 << 24

// cells is the work of NewCellLOO.
type cells struct {
	data   *lglfm.Data
	x      [][]float64
	bounds map[[2]int][2]float64
	draws  []*draws.Draw
	length int // draws of a chain
	points []LOOPoint
	alone  [][]float64 // ELPD by chain and point
}

// judged reports whether a cell is observed or has bounds.
func (c *cells) judged(i, d int) bool {
	_, ok := c.bounds[[2]int{i, d}]
	return ok || !math.IsNaN(c.x[i][d])
}

// block does the variables first to last-1 of the items top to bottom-1.
func (c *cells) block(top, bottom, first, last int) {
	n, width, size := bottom-top, last-first, len(c.draws)
	columns := lists.Of(c.x, func(row []float64) []float64 { return row[first:last] })
	logDensity := make([]float64, n*width*size) // by entry and draw
	parallel.DoWith(size, func() func(t int) {
		l := newLeftOut(c.data, columns, first)
		return func(t int) {
			if err := l.reset(c.draws[t]); err != nil {
				panic("predict: " + err.Error()) // NewCellLOO checked this
			}
			for i := range n {
				l.each(top+i, func(v int, log float64) { logDensity[(i*width+v)*size+t] = log })
			}
		}
	})
	parallel.Do(n*width, func(entry int) {
		if !c.judged(top+entry/width, first+entry%width) {
			return
		}
		of := logDensity[entry*size : (entry+1)*size]
		chains := slices.Collect(slices.Chunk(of, c.length))
		at := (top+entry/width)*c.data.D() + first + entry%width
		c.points[at] = EstimateLOO(of, posterior.RelativeEfficiency(chains))
		for i := range chains {
			c.alone[i][at] = EstimateLOO(chains[i], posterior.RelativeEfficiency(chains[i:i+1])).ELPD
		}
	})
}
