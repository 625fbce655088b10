package verdict

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/parallel"
	"aibd/internal/visible"
)

// Family is many scalars of one kind, such as the number of features that each pair of items
// shares. It keeps the moments of each half of a chain, not the draws.
type Family struct {
	Key, Name string // in JSON; what an entry is, in the plural
	Code      bool   // it depends on which features encode the signals, and does not decide
	// Negligible is a difference that does not matter: its square is added to the variance
	// within the halves, so that chains need not agree beyond it.
	Negligible float64
	Label      func(entry int) string

	n              int         // draws in each half
	variables      int         // of fitted values, item by item; 0: the entries are something else
	mean, variance [][]float64 // by half, two of each chain, and entry
}

// maxLabel is the max number of characters of the name of an entry in a finding.
const maxLabel = 200

// FamilyFinding counts the entries of a family that do not agree.
type FamilyFinding struct {
	Key     string   `json:"key"`
	Name    string   `json:"name"`
	Entries int      `json:"entries"`
	Apart   int      `json:"apart"`           // entries with R-hat above MaxRHat
	Worst   []string `json:"worst,omitempty"` // up to three of them
	MaxRHat float64  `json:"max_r_hat"`
	Code    bool     `json:"code,omitempty"` // that of the Family

	far      int // entries with R-hat above sameRHat
	drifting int // of them, those whose halves are separated
}

// apart reports whether more than a few entries are apart.
func (f FamilyFinding) apart() bool { return float64(f.Apart) > max(MaxApart*float64(f.Entries), 1) }

// disagrees reports whether the chains do not agree because of the family.
func (f FamilyFinding) disagrees() bool { return f.apart() && !f.Code }

// A family takes every nth draw if all draws cost more than about maxWork operations, but
// at least minDraws of each half of a chain.
const (
	maxWork  = 1 << 26
	minDraws = 128
)

// newFamily returns the family of the entries that fill sets for a draw, at a cost in
// operations. Each half of a chain has its own fill.
func newFamily(chains [][]*draws.Draw, entries, cost int, newFill func() func(d *draws.Draw, into []float64)) Family {
	length := len(chains[0]) / 2
	step := max(1, min(2*len(chains)*length*cost/maxWork, length/minDraws))
	f := Family{n: (length + step - 1) / step, mean: make([][]float64, 2*len(chains)), variance: make([][]float64, 2*len(chains))}
	parallel.Do(2*len(chains), func(h int) {
		half := chains[h/2]
		half = half[h%2*(len(half)-length):][:length]
		fill, x := newFill(), make([]float64, entries)
		mean, squares := make([]float64, entries), make([]float64, entries)
		for t := 0; t < length; t += step {
			fill(half[t], x)
			count := float64(t/step + 1)
			for e, value := range x {
				change := value - mean[e]
				mean[e] += change / count
				squares[e] += change * (value - mean[e])
			}
		}
		for e := range squares {
			squares[e] /= max(float64(f.n-1), 1)
		}
		f.mean[h], f.variance[h] = mean, squares
	})
	return f
}

// part returns the family of some of the entries.
func (f Family) part(begin, end int) Family {
	part := f
	part.mean, part.variance = make([][]float64, len(f.mean)), make([][]float64, len(f.mean))
	for h := range f.mean {
		part.mean[h], part.variance[h] = f.mean[h][begin:end], f.variance[h][begin:end]
	}
	return part
}

// NewSharing returns the family of the pairs of items, or of a sample of very many: the number of
// features that they share. chains[c][t] is draw t of chain c.
func NewSharing(items []string, chains [][]*draws.Draw) Family {
	n := len(items)
	pairs, name := pairsOf(n)
	f := newFamily(chains, len(pairs), 8*len(pairs), func() func(*draws.Draw, []float64) {
		return func(d *draws.Draw, into []float64) {
			rows := d.Z.ByItem()
			for e, p := range pairs {
				into[e] = float64(feature.Common(rows[p[0]], rows[p[1]]))
			}
		}
	})
	f.Key, f.Name, f.Negligible = "sharing", name, negligible
	f.Label = labelOf(items, pairs)
	return f
}

// labelOf returns the labels of a family of pairs.
func labelOf(items []string, pairs [][2]int) func(entry int) string {
	return func(e int) string { return items[pairs[e][0]] + " - " + items[pairs[e][1]] }
}

// maxPairs is the max number of pairs that are judged, those of 256 items. Of more pairs, as many are drawn: a
// share of 5% of them then has a standard error of 0.1%.
const maxPairs = 1 << 15

// pairsOf returns the pairs of n items, or a random sample of them, and what they are called.
func pairsOf(n int) (pairs [][2]int, name string) {
	if n*(n-1)/2 > maxPairs {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for range maxPairs {
			i, j := rng.IntN(n), rng.IntN(n-1)
			if j >= i {
				j++
			}
			pairs = append(pairs, [2]int{min(i, j), max(i, j)})
		}
		return pairs, "sampled pairs of items"
	}
	for i := range n {
		for j := range i {
			pairs = append(pairs, [2]int{j, i})
		}
	}
	return pairs, "pairs of items"
}

// rHat returns the split R-hat of an entry (Vehtari et al. 2021, equations 1 to 4), of values
// and not of ranks.
func (f *Family) rHat(entry int) float64 {
	mean, within, between := 0.0, f.Negligible*f.Negligible, 0.0
	halves := float64(len(f.mean))
	for h := range f.mean {
		mean += f.mean[h][entry] / halves
		within += f.variance[h][entry] / halves
	}
	for h := range f.mean {
		between += (f.mean[h][entry] - mean) * (f.mean[h][entry] - mean) / (halves - 1)
	}
	return math.Sqrt(between/within + float64(f.n-1)/float64(f.n))
}

func (f *Family) finding() FamilyFinding {
	finding := FamilyFinding{Key: f.Key, Name: f.Name, Entries: len(f.mean[0]), Code: f.Code}
	if f.n < 2 {
		return finding
	}
	type entry struct {
		number int
		rHat   float64
	}
	var apart []entry
	for e := range finding.Entries {
		r := f.rHat(e)
		finding.MaxRHat = max(finding.MaxRHat, r)
		if r > MaxRHat {
			apart = append(apart, entry{e, r})
		}
		if r > sameRHat {
			finding.far++
			var first, second []float64
			for h := 0; h < len(f.mean); h += 2 {
				first, second = append(first, f.mean[h][e]), append(second, f.mean[h+1][e])
			}
			if separated(first, second) {
				finding.drifting++
			}
		}
	}
	finding.Apart = len(apart)
	slices.SortStableFunc(apart, func(a, b entry) int { return cmp.Compare(b.rHat, a.rHat) })
	for _, e := range apart[:min(3, len(apart))] {
		finding.Worst = append(finding.Worst, visible.Clipped(f.Label(e.number), maxLabel))
	}
	return finding
}
