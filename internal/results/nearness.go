package results

// Which features follow which distance.

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/posterior"
	"aibd/prior"
	"aibd/similarity"
)

// Nearness says how near to each other the items of a feature are by a distance: Moran's I of their weights, 0
// for the other items, under the similarity at the median temperature. Z is I less its mean if the items
// changed places, in standard deviations, as the score of a normal law with the same probability above it
// (normalScore). Numbers are medians and 90% intervals over the draws that have a
// matching feature of several items, NaN without such draws.
type Nearness struct {
	Distance string `json:"distance"`
	MoranI   Number `json:"moran_i"`
	Z        Number `json:"z"`
	Q5       Number `json:"z_q5"`
	Q95      Number `json:"z_q95"`
}

// maxNear is the max number of items for which similarities of all pairs are computed.
const maxNear = 2000

// nearness returns the Nearness of each feature of e by each distance, from the draws of the estimate. It returns
// nil if the law has no distances, if they are sparse or cannot be read, and with fewer than 4 or very many items.
func (j *Judged) nearness(e *Estimate) [][]Nearness {
	from := e.from
	if n := e.Z.N(); n < 4 || n > maxNear || j.Run.Spec.Prior.Law == "ibp" {
		return nil
	}
	p, err := j.Problem()
	if err != nil {
		return nil
	}
	law := p.Posterior.Law.(prior.Attraction)
	affinity := law.Affinity()
	if affinity.Several() == nil {
		return nil
	}
	var statistics []*moran
	var names []string
	for m, d := range affinity.Several() {
		temperature := 1.0
		if j.Run.Spec.HasTemperature() {
			all := lists.Of(from, func(d *draws.Draw) float64 { return temperaturesOf(d).Of(m) })
			temperature = posterior.Quantile(all, 0.5)
		}
		statistics = append(statistics, newMoran(d, affinity.Decay(m), temperature))
		names = append(names, j.distanceName(m))
	}
	weights := make([][][]float64, len(from)) // by draw and feature of e, of all items; nil without a match
	parallel.Do(len(from), func(t int) { weights[t] = e.matchedWeights(from[t]) })
	near := make([][]Nearness, e.Z.K())
	parallel.Do(len(near), func(k int) {
		for m, s := range statistics {
			skewness := s.skewness(e.entries(k))
			var is, zs []float64
			for t := range from {
				if g := weights[t][k]; g != nil {
					if i, z := s.of(g); !math.IsNaN(z) {
						is, zs = append(is, i), append(zs, normalScore(z, skewness))
					}
				}
			}
			of := posterior.Summarize([][]float64{zs})
			near[k] = append(near[k], Nearness{names[m], Number(posterior.Quantile(is, 0.5)), Number(of.Q50), Number(of.Q5), Number(of.Q95)})
		}
	})
	return near
}

// entries returns the weights of all items in feature k of the estimate, 0 and 1 of a binary one.
func (e *Estimate) entries(k int) []float64 {
	if e.Weights != nil {
		return e.Weights[k]
	}
	x := make([]float64, e.Z.N())
	for i := range feature.Items(e.Z.Column(k)) {
		x[i] = 1
	}
	return x
}

// distanceName returns the name of distance m, "distance" if there is only one.
func (j *Judged) distanceName(m int) string {
	if all := j.Run.Spec.Distances(); len(all) > 1 {
		return all[m].Label()
	}
	return "distance"
}

// matchedWeights returns the weights of all items in the feature of a draw that matches each feature, nil
// without a match and for features of a single item.
func (e *Estimate) matchedWeights(d *draws.Draw) [][]float64 {
	z := distinct(d.Z, d)
	var matched []int
	if d.Weights != nil {
		matched, _ = posterior.MatchWeights(d, e.Weights)
	} else {
		matched = posterior.Match(z, e.Z)
	}
	g := z.Weighted(nil, d.Weights) // by item
	all := make([][]float64, len(matched))
	for k, l := range matched {
		if l < 0 || z.Size(l) < 2 || e.Z.Size(k) < 2 {
			continue
		}
		all[k] = make([]float64, z.N())
		for i := range all[k] {
			all[k][i] = g[i*z.K()+l]
		}
	}
	return all
}

// moran computes Moran's I, and its moments if items change places (Cliff and Ord, 1981, section 2.3).
type moran struct {
	n          int
	w          []float64 // w[i*n+j] is the similarity of two items, both directions added; 0 of an item to itself
	s0, s1, s2 float64
}

func newMoran(d *similarity.Matrix, decay similarity.Decay, temperature float64) *moran {
	n := d.N()
	m := &moran{n: n, w: make([]float64, n*n)}
	for i := range n {
		for j := range i {
			w := math.Exp(decay.LogSimilarity(temperature, d.At(i, j))) + math.Exp(decay.LogSimilarity(temperature, d.At(j, i)))
			m.w[i*n+j], m.w[j*n+i] = w, w
			m.s1 += w * w
		}
	}
	for i := range n {
		sum := floats.Sum(m.w[i*n : (i+1)*n])
		m.s0, m.s2 = m.s0+sum/2, m.s2+sum*sum
	}
	return m
}

// skewness estimates the skewness of I if the values x change places at random. Similarities that fall slowly, or a few
// items near many others, skew I: it is far above its mean more often than under a normal law.
func (m *moran) skewness(x []float64) float64 {
	rng, x := rand.New(rand.NewPCG(1, uint64(m.n))), slices.Clone(x)
	var zs []float64
	for range min(max(2e8/(m.n*m.n), 100), 1000) {
		rng.Shuffle(m.n, func(a, b int) { x[a], x[b] = x[b], x[a] })
		if _, z := m.of(x); !math.IsNaN(z) {
			zs = append(zs, z)
		}
	}
	return stat.Skew(zs, nil)
}

// normalScore returns the score of a standard normal law that is exceeded as often as z under Pearson's type III law of
// mean 0, variance 1 and the given skewness: a gamma law, moved (Cliff and Ord, 1981, section 2.4).
func normalScore(z, skewness float64) float64 {
	if !(math.Abs(skewness) > 0.01) {
		return z
	}
	shape := 4 / (skewness * skewness)
	above := mathext.GammaIncRegComp
	if skewness < 0 {
		z, above = -z, mathext.GammaIncReg
	}
	p := above(shape, max(shape+z*math.Sqrt(shape), 0))
	score := -distuv.UnitNormal.Quantile(min(max(p, 1e-300), 1-1e-16))
	if skewness < 0 { // that law ends above the mean, and the skewness is an estimate
		return min(score, -z)
	}
	return score
}

// of returns I of x, and how many standard deviations it is above its mean, NaN if it does not vary.
func (m *moran) of(x []float64) (i, z float64) {
	mean, n := stat.Mean(x, nil), float64(m.n)
	var cross, squares, fourths float64
	for a, v := range x {
		v -= mean
		row := 0.0
		for b, u := range x[:a] {
			row += m.w[a*m.n+b] * (u - mean)
		}
		cross, squares, fourths = cross+v*row, squares+v*v, fourths+v*v*v*v
	}
	i = n / m.s0 * cross / squares
	kurtosis := n * fourths / (squares * squares)
	s0 := m.s0 * m.s0
	square := n*((n*n-3*n+3)*m.s1-n*m.s2+3*s0) - kurtosis*((n*n-n)*m.s1-2*n*m.s2+6*s0)
	expected := -1 / (n - 1)
	variance := square/((n-1)*(n-2)*(n-3)*s0) - expected*expected
	if !(variance > 1e-12) { // rounding errors
		return i, math.NaN()
	}
	return i, (i - expected) / math.Sqrt(variance)
}
