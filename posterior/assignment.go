package posterior

import "math"

// assignment is a minimum-cost perfect matching of n rows with n columns and the potentials
// u and v that prove it: u_k + v_l <= cost(k, l), with equality for matched pairs. One
// shortest augmenting path adds or replaces a row (Jonker and Volgenant, 1987; in the form
// of Crouse, 2016).
type assignment struct {
	u, v     []float64
	col, row []int // matched column of each row, row of each column; -1 for none
}

// search is scratch memory for augmenting paths among n columns.
type search struct {
	cost     []float64 // of the current row
	shortest []float64
	sources  []int // row before each column on its shortest path
	scanned  []int // columns in the order in which the search reached them
	open     []int // other columns
}

func newSearch(n int) *search {
	return &search{cost: make([]float64, n), shortest: make([]float64, n), sources: make([]int, n)}
}

func newAssignment(n int) *assignment {
	a := &assignment{u: make([]float64, n), v: make([]float64, n), col: make([]int, n), row: make([]int, n)}
	for k := range n {
		a.col[k], a.row[k] = -1, -1
	}
	return a
}

// free unmatches row k.
func (a *assignment) free(k int) {
	if l := a.col[k]; l >= 0 {
		a.col[k], a.row[l] = -1, -1
	}
}

// match matches row k, which is free, so that the matching has minimal cost again. The
// function costs sets its argument to the costs of a row. It returns whether other rows or their potentials have changed.
func (a *assignment) match(k int, s *search, costs func(row int, into []float64)) (changed bool) {
	n := len(a.v)
	s.scanned, s.open = s.scanned[:0], s.open[:0]
	for l := range n {
		s.open = append(s.open, l)
		s.shortest[l] = math.Inf(1)
	}
	a.u[k] = 0 // a common offset of all paths
	low, column := 0.0, k
	for {
		costs(column, s.cost)
		best := -1
		for m, l := range s.open {
			if x := low + (s.cost[l] - a.u[column] - a.v[l]); x < s.shortest[l] {
				s.shortest[l], s.sources[l] = x, column
			}
			if best < 0 || s.shortest[l] < s.shortest[s.open[best]] ||
				s.shortest[l] == s.shortest[s.open[best]] && a.row[l] < 0 {
				best = m
			}
		}
		l := s.open[best]
		s.open[best] = s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.scanned = append(s.scanned, l)
		low = s.shortest[l]
		if a.row[l] < 0 {
			break
		}
		column = a.row[l]
	}
	a.u[k] += low
	last := len(s.scanned) - 1
	for _, l := range s.scanned[:last] {
		a.u[a.row[l]] += low - s.shortest[l]
		a.v[l] -= low - s.shortest[l]
	}
	for l := s.scanned[last]; ; {
		r := s.sources[l]
		a.row[l] = r
		l, a.col[r] = a.col[r], l
		if r == k {
			return last > 0
		}
	}
}

// set makes a a copy of b.
func (a *assignment) set(b *assignment) {
	copy(a.u, b.u)
	copy(a.v, b.v)
	copy(a.col, b.col)
	copy(a.row, b.row)
}

// bound returns the sum of the potentials, which is the cost of a complete matching.
func (a *assignment) bound() float64 {
	sum := 0.0
	for k := range a.u {
		sum += a.u[k] + a.v[k]
	}
	return sum
}
