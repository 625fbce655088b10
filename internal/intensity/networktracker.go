package intensity

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/vector"
)

// networkTracker is the Tracker of the dd-IBP for any proximity. For every column
// it keeps the members and the probabilities of linking to them; a flip costs
// O(N + m^3) for a column of m members.
type networkTracker struct {
	now, next         *network
	columns, proposed []netColumn
	k                 int
	sum, sumNext      float64
	valid             bool      // sum belongs to the columns
	singles           []float64 // log nu of singletons, NaN before it is computed
	work              forestWork
	trial             netColumn
	links             []int
}

// netColumn is one column.
type netColumn struct {
	members []int // ascending
	sums    []float64
	logNu   float64
	outside float64 // part of logNu: no item outside links to a member
}

func newNetworkTracker(l *DDIBP) *networkTracker {
	n := l.N()
	t := &networkTracker{now: newNetwork(l.aff), next: newNetwork(l.aff), singles: make([]float64, n), links: make([]int, n)}
	t.now.link(l.temperatures)
	t.trial = netColumn{sums: make([]float64, n)}
	vector.Fill(t.singles, math.NaN())
	return t
}

// fill computes what belongs to the members of c.
func (t *networkTracker) fill(c *netColumn, w *network) {
	clear(c.sums)
	w.addMembers(c.sums, c.members)
	outside, trees := w.logNu(c.members, c.sums, &t.work)
	c.logNu, c.outside = outside+trees, outside
}

func (t *networkTracker) Reset(z *feature.Allocation) {
	t.k, t.valid = 0, false
	for k := range z.K() {
		t.AppendColumn(z.Column(k))
	}
}

func (t *networkTracker) TotalIntensity() float64 { return t.now.h }

func (t *networkTracker) SumLogIntensity() float64 {
	if !t.valid {
		t.sum, t.valid = 0, true
		for k := range t.k {
			t.sum += t.columns[k].logNu
		}
	}
	return t.sum
}

func (t *networkTracker) LogIntensity(column []uint64) float64 {
	t.trial.members = feature.Members(t.trial.members[:0], column)
	t.fill(&t.trial, t.now)
	return t.trial.logNu
}

// IntensityBound returns +Inf: any finite bound would be expensive.
func (t *networkTracker) IntensityBound([]uint64, float64) float64 { return math.Inf(1) }

func (t *networkTracker) LogSingleton(i int) float64 {
	if math.IsNaN(t.singles[i]) {
		t.trial.members = append(t.trial.members[:0], i)
		t.fill(&t.trial, t.now)
		t.singles[i] = t.trial.logNu
	}
	return t.singles[i]
}

// try sets trial to column k with item i flipped.
func (t *networkTracker) try(i, k int) {
	c, w, sign := &t.columns[k], t.now, 1.0
	index, leaves := slices.BinarySearch(c.members, i)
	out, tail := append(t.trial.members[:0], c.members[:index]...), c.members[index:]
	if leaves {
		sign, tail = -1, tail[1:]
	} else {
		out = append(out, i)
	}
	t.trial.members = append(out, tail...)
	row := w.byTarget[i*w.n : (i+1)*w.n]
	for j, x := range c.sums {
		t.trial.sums[j] = x + sign*row[j]
	}
	outside, trees := w.logNu(t.trial.members, t.trial.sums, &t.work)
	t.trial.logNu = outside + trees
}

func (t *networkTracker) LogFlip(i, k int) float64 {
	t.try(i, k)
	return t.trial.logNu - t.columns[k].logNu
}

// FlipBound returns a bound in O(m) if item i joins column k, and +Inf if it leaves or if
// probabilities are tiny.
//
// Without i, no factor of the items outside grows. The determinant of the trees to an owner
// is at most the product of its diagonal (Hadamard's inequality for M-matrices), the
// probabilities that members link to other members.
func (t *networkTracker) FlipBound(i, k int) float64 {
	c, w := &t.columns[k], t.now
	stays := 1 - c.sums[i]
	if _, member := slices.BinarySearch(c.members, i); member || !w.safe || stays < 1e-3 {
		return math.Inf(1)
	}
	const slack = 1e-12 // above the rounding errors of sums
	row := w.byTarget[i*w.n : (i+1)*w.n]
	diagonal, owners := product{p: c.sums[i] / stays}, w.inv[i]/c.sums[i]
	for _, j := range c.members {
		x := c.sums[j] - w.inv[j] + row[j] + slack
		diagonal.mul(x)
		owners += w.inv[j] / x
	}
	bound := diagonal.logValue() + math.Log(owners) + c.outside - c.logNu
	if bound += 1e-9 * (1 + math.Abs(bound)); math.IsNaN(bound) {
		return math.Inf(1)
	}
	return bound
}

// FlipBounds sets all bounds to +Inf.
func (t *networkTracker) FlipBounds(_ int, bounds []float64) {
	vector.Fill(bounds, math.Inf(1))
}

func (t *networkTracker) Flip(i, k int) {
	t.valid = false
	t.try(i, k)
	c := &t.columns[k]
	c.members = append(c.members[:0], t.trial.members...)
	t.fill(c, t.now) // from scratch: differences would accumulate rounding errors
}

func (t *networkTracker) Append(i int) {
	c := t.add()
	c.members = append(c.members, i)
	t.fill(c, t.now)
}

func (t *networkTracker) AppendColumn(column []uint64) {
	c := t.add()
	c.members = feature.Members(c.members, column)
	t.fill(c, t.now)
}

// add adds a column without members.
func (t *networkTracker) add() *netColumn {
	t.valid = false
	if t.k++; len(t.columns) < t.k {
		t.columns = append(t.columns, netColumn{sums: make([]float64, t.now.n)})
		t.proposed = append(t.proposed, netColumn{sums: make([]float64, t.now.n)})
	}
	c := &t.columns[t.k-1]
	c.members = c.members[:0]
	return c
}

func (t *networkTracker) DrawColumn(rng *rand.Rand, column []uint64) {
	owner := opener(rng, t.now.h, t.now.n, func(i int) float64 { return t.now.inv[i] }) // with probability 1/h_i over H
	t.now.drawHolders(rng, owner, column, t.links)
}

func (t *networkTracker) Remove(k int) {
	t.valid = false
	t.k--
	t.columns[k], t.columns[t.k] = t.columns[t.k], t.columns[k]
}

func (t *networkTracker) Propose(temperatures Temperatures, _ []int) (float64, float64) {
	t.next.link(temperatures)
	t.sumNext = 0
	for k := range t.k {
		c := &t.proposed[k]
		c.members = append(c.members[:0], t.columns[k].members...)
		t.fill(c, t.next)
		t.sumNext += c.logNu
	}
	return t.sumNext, t.next.h
}

func (t *networkTracker) Accept() {
	t.now, t.next = t.next, t.now
	t.columns, t.proposed = t.proposed, t.columns
	t.sum, t.valid = t.sumNext, true
	vector.Fill(t.singles, math.NaN())
}
