package exhibits

// The table of properties of the laws, computed from their intensities.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"aibd/internal/lists"
	"aibd/prior"
	"aibd/similarity"
)

// held is the largest violation that counts as rounding.
const held = 1e-10

// intensities returns nu of all sets of items at mass 1; set z is a number whose bit i
// says whether item i is in it.
func intensities(law prior.Law) []float64 {
	nu := make([]float64, 1<<law.N())
	for z := 1; z < len(nu); z++ {
		nu[z] = math.Exp(law.LogIntensity([]uint64{uint64(z)}))
	}
	return nu
}

// candidate is a law that is defined for every subset of the places.
type candidate struct {
	name string
	// of returns the intensities of all sets of the items at a temperature and mass 1, in
	// the order given or, averaged, the mean over all orders.
	values func(p places, temperature float64, order []int) []float64
	// sharing returns the expected sharing in the same sense.
	sharing func(p places, temperature float64, order []int) [][]float64
}

func candidates() []candidate {
	type law = func(p places, temperature float64, order []int) prior.Law
	fixed := func(name string, law law) candidate {
		return candidate{name,
			func(p places, t float64, order []int) []float64 { return intensities(law(p, t, order)) },
			func(p places, t float64, order []int) [][]float64 { return law(p, t, order).ExpectedSharing() },
		}
	}
	all := []candidate{fixed("IBP", func(p places, _ float64, _ []int) prior.Law {
		l, err := prior.NewIBP(len(p.names), 1)
		must(err)
		return l
	})}
	for _, k := range []kind{aibd, sequential} {
		all = append(all, fixed(k.String()+", fixed order", func(p places, t float64, order []int) prior.Law {
			return k.law(p, t).With(t, order)
		}), candidate{
			k.String() + ", order averaged",
			func(p places, t float64, _ []int) []float64 {
				law := k.law(p, t)
				return meanOver(len(p.names), func(perm []int) []float64 { return intensities(law.With(t, perm)) })
			},
			func(p places, t float64, _ []int) [][]float64 {
				s, err := prior.ExpectedSharingAveraged(k.law(p, t))
				must(err)
				return s
			},
		})
	}
	return append(all, fixed("symmetric dd-IBP", func(p places, t float64, _ []int) prior.Law { return symmetric.law(p, t) }))
}

// without returns the places without one of them, and the order of the others.
func (p places) without(item int, order []int) (places, []int) {
	var remaining places
	var kept []int
	for i, name := range p.names {
		if i != item {
			remaining.names, kept = append(remaining.names, name), append(kept, i)
		}
	}
	rows := lists.Square(len(kept))
	for a, i := range kept {
		for b, k := range kept {
			rows[a][b] = p.distance.At(i, k)
		}
	}
	m, err := similarity.NewMatrix(rows)
	must(err)
	remaining.distance = m
	var indices []int
	for _, i := range order {
		switch {
		case i < item:
			indices = append(indices, i)
		case i > item:
			indices = append(indices, i-1)
		}
	}
	return remaining, indices
}

// inserted renumbers a set of items that leaves one item out: from the numbers without
// that item to the numbers with it.
func inserted(z, item int) int {
	low := z & (1<<item - 1)
	return low | (z-low)<<1
}

// property is a property of laws; of returns its violation by a law, 0 if the law has it.
type property struct {
	name  string
	check func(c candidate, p places) float64
}

const propertyTemperature = 1

var propertyList = []property{
	{"every item expects mass features", func(c candidate, p places) float64 {
		worst := 0.0
		for i, row := range c.sharing(p, propertyTemperature, prior.Identity(len(p.names))) {
			worst = max(worst, math.Abs(row[i]-1))
		}
		return worst
	}},
	{"number of features is as under the IBP", func(c candidate, p places) float64 {
		return math.Abs(floats.Sum(c.values(p, propertyTemperature, prior.Identity(len(p.names)))) - harmonic(len(p.names)))
	}},
	{"is the IBP at temperature 0", func(c candidate, p places) float64 {
		ibp := candidates()[0]
		return apart(c.values(p, 0, prior.Identity(len(p.names))), ibp.values(p, 0, nil))
	}},
	{"probability does not depend on the order of arrival", func(c candidate, p places) float64 {
		first, worst := c.values(p, propertyTemperature, prior.Identity(len(p.names))), 0.0
		permutations(len(p.names), func(perm []int) {
			worst = max(worst, apart(first, c.values(p, propertyTemperature, perm)))
		})
		return worst
	}},
	{"items are exchangeable", func(c candidate, p places) float64 {
		nu, worst := c.values(p, propertyTemperature, prior.Identity(len(p.names))), 0.0
		permutations(len(p.names), func(perm []int) {
			for z := range nu {
				moved := 0
				for i, target := range perm {
					moved |= z >> i & 1 << target
				}
				worst = max(worst, math.Abs(nu[z]-nu[moved]))
			}
		})
		return worst
	}},
	{"the last to arrive can be left out", func(c candidate, p places) float64 {
		order := prior.Identity(len(p.names))
		return leftOut(c, p, order[len(order)-1], order)
	}},
	{"any item can be left out", func(c candidate, p places) float64 {
		order, worst := prior.Identity(len(p.names)), 0.0
		for i := range p.names {
			worst = max(worst, leftOut(c, p, i, order))
		}
		return worst
	}},
	{"mean sharing over pairs is mass/2", func(c candidate, p places) float64 {
		return math.Abs(prior.MeanOverPairs(c.sharing(p, propertyTemperature, prior.Identity(len(p.names)))) - 0.5)
	}},
	{"of any two pairs the nearer shares more", func(c candidate, p places) float64 {
		s := c.sharing(p, propertyTemperature, prior.Identity(len(p.names)))
		wrong, all := 0.0, 0.0
		for _, a := range p.pairs() {
			for _, b := range p.pairs() {
				if p.distance.At(a[0], a[1]) < p.distance.At(b[0], b[1]) {
					all++
					if !(s[a[0]][a[1]] > s[b[0]][b[1]]) {
						wrong++
					}
				}
			}
		}
		return wrong / all
	}},
}

// leftOut returns the distance between the law of all items, with one summed out, and
// the law of the others.
func leftOut(c candidate, p places, item int, order []int) float64 {
	remaining, indices := p.without(item, order)
	all, worst := c.values(p, propertyTemperature, order), 0.0
	for z, nu := range c.values(remaining, propertyTemperature, indices) {
		if z > 0 {
			y := inserted(z, item)
			worst = max(worst, math.Abs(all[y]+all[y|1<<item]-nu))
		}
	}
	return worst
}

// apart returns the largest difference of two entries.
func apart(a, b []float64) float64 { return floats.Distance(a, b, math.Inf(1)) }

func harmonic(n int) float64 {
	sum := 0.0
	for i := range n {
		sum += 1 / float64(i+1)
	}
	return sum
}

func makeProperties(j *job) error {
	p := fiveStates()
	all := candidates()
	j.result.About = fmt.Sprintf("Each entry is computed for the five states (mass 1, temperature %v, exponential similarity) from the intensities of all 31 sets of states; averages over the order use all 120 orders. “Yes” means that the property holds within %.0e. “No” is followed by the size of the violation: the largest difference of an intensity or an expectation; in the last row, the fraction of pairs of pairs in the wrong order.", propertyTemperature, held)
	header := append([]string{"property"}, lists.Map(all, func(c candidate) string { return c.name })...)
	rows := make([][]Cell, len(propertyList))
	long := make([][]Cell, len(propertyList))
	err := j.each("properties", len(propertyList), func(i int) error {
		q := propertyList[i]
		rows[i], long[i] = []Cell{word(q.name)}, []Cell{word(q.name)}
		for _, c := range all {
			x := q.check(c, p)
			long[i] = append(long[i], scientific(x))
			if x <= held {
				rows[i] = append(rows[i], word("yes"))
			} else {
				rows[i] = append(rows[i], word(fmt.Sprintf("no, %.2g", x)))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	j.table("properties", "Properties; for an averaged order, properties of the mean intensities, which are necessary", header, rows)
	j.numbers("properties-numbers", "Size of each violation", header, long)
	j.find("The AIBD keeps two properties of the IBP: the expected number of features of an item and the distribution of the number of features. At temperature 0 it is the IBP. It gives up exchangeability on purpose.")
	j.find("Under every law with a fixed order, dropping the last item to arrive gives the law of the others. Dropping an earlier item does not, nor does dropping any item when the order is unknown.")
	j.find("Only under the IBP is the mean sharing mass/2. Under the AIBD this holds approximately.")
	return nil
}
