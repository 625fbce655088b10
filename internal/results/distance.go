package results

// Sharing against distance: what the draws say, what the prior expects, and what the IBP
// would.

import (
	"cmp"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/rounding"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
)

// distanceBins is the max number of bins of pairs, which are as equal as ties allow.
const distanceBins = 10

// maxPriorDraws is the max number of draws of the prior, and maxPriorRows of their rows, of which
// at least minPriorDraws are drawn.
const (
	maxPriorDraws = 2000
	minPriorDraws = 50
	maxPriorRows  = 2_000_000
)

// DistanceSharing is the sharing of pairs by distance.
type DistanceSharing struct {
	Measure string        `json:"measure"` // with the unit
	Bins    []DistanceBin `json:"bins"`    // the nearest pairs first
	IBP     Number        `json:"ibp"`     // expected under the IBP with the mass of the draws
}

// A DistanceBin holds pairs of items at similar distances.
type DistanceBin struct {
	From   Number `json:"from"`
	To     Number `json:"to"`
	Median Number `json:"median"`
	Pairs  int    `json:"pairs"`
	Mean   Number `json:"mean"` // features that a pair shares
	Q5     Number `json:"q5"`   // over draws, of the mean over the pairs
	Q95    Number `json:"q95"`
	RHat   Number `json:"r_hat"`
	Prior  Number `json:"prior"` // under the law with mass, temperature and permutation of the draws
	Q5Of   Number `json:"prior_q5"`
	Q95Of  Number `json:"prior_q95"`
	pairs  [][2]int
	Chains [][]float64 `json:"-"` // of the mean over the pairs
}

// ByDistance returns the sharing by each distance. It is nil if the law has no distances.
func (j *Judged) ByDistance() (all []*DistanceSharing) {
	spec := j.Run.Spec
	if spec.Prior.Law == "ibp" {
		return nil
	}
	law := j.Problem.Posterior.Law.(prior.Attraction)
	for m, measured := range j.Problem.Distances() {
		s := &DistanceSharing{Measure: "distance", Bins: bins(pairsOf(law, m))}
		if len(j.Problem.FurtherDistances) > 0 {
			s.Measure += " " + spec.Distances()[m].Label()
		}
		if spec.Prior.Decay == "given" {
			s.Measure = "proximity"
		} else if measured.Unit != "" {
			s.Measure += " (" + measured.Unit + ")"
		}
		s.fill(j, law)
		all = append(all, s)
	}
	return all
}

// fill computes the sharing in the bins.
func (s *DistanceSharing) fill(j *Judged, law prior.Attraction) {
	groups := make([][][2]int, len(s.Bins))
	for b, bin := range s.Bins {
		groups[b] = bin.pairs
		s.Bins[b].Chains = make([][]float64, len(j.Chains))
	}
	mass := 0.0
	for c, chain := range j.Chains {
		for _, d := range chain {
			mass += d.Mass / float64(j.Size())
			for b, mean := range posterior.MeanSharing(d.Z, groups) {
				s.Bins[b].Chains[c] = append(s.Bins[b].Chains[c], mean)
			}
		}
	}
	s.IBP = Number(mass / 2)
	under := s.prior(law, slices.Concat(j.Chains...), groups, j.Run.Spec.Sampler.Seed)
	for b := range s.Bins {
		bin := &s.Bins[b]
		summary := posterior.Summarize(bin.Chains)
		bin.Mean, bin.Q5, bin.Q95, bin.RHat = Number(summary.Mean), Number(summary.Q5), Number(summary.Q95), Number(summary.RHat)
		bin.Prior = Number(stat.Mean(under[b], nil))
		bin.Q5Of, bin.Q95Of = Number(posterior.Quantile(under[b], 0.05)), Number(posterior.Quantile(under[b], 0.95))
	}
}

// prior draws Z from the law at the mass, the temperature and the permutation of draws, and
// returns the mean sharing by bin and draw.
func (s *DistanceSharing) prior(law prior.Attraction, ds []*draws.Draw, groups [][][2]int, seed uint64) [][]float64 {
	rng := mcmc.NewStream(seed, "sharing").Rand
	limit := min(maxPriorDraws, max(minPriorDraws, maxPriorRows/law.N()))
	step := (len(ds) + limit - 1) / limit
	under := make([][]float64, len(groups))
	for t := 0; t < len(ds); t += step {
		z := prior.WithDraw(law, ds[t]).Rand(rng)
		for b, mean := range posterior.MeanSharing(z, groups) {
			under[b] = append(under[b], mean)
		}
	}
	return under
}

// pair is a pair of items and their mean distance in both directions.
type pair struct {
	items    [2]int
	distance float64
}

// pairsOf returns the pairs of items by distance m.
func pairsOf(law prior.Attraction, m int) (pairs []pair) {
	d := law.Affinity().Several()[m]
	for i := range d.N() {
		for j := range i {
			pairs = append(pairs, pair{[2]int{j, i}, (d.At(j, i) + d.At(i, j)) / 2})
		}
	}
	return pairs
}

// NearFar returns the pairs of items that are nearest by distance m, and those that are farthest, of proximities the
// largest and the smallest. Each is about a tenth of all pairs, as far as ties allow.
func NearFar(law prior.Attraction, m int, decay string) (near, far [][2]int) {
	groups := bins(pairsOf(law, m))
	near, far = groups[0].pairs, groups[len(groups)-1].pairs
	if decay == "given" {
		near, far = far, near
	}
	return near, far
}

// bins returns pairs of items in bins, the nearest first. There are two or more if there are two
// distances. Distances that differ by rounding only are ties. If ties allow that, each bin has at least
// half a share of the pairs.
func bins(pairs []pair) (all []DistanceBin) {
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	for p, tie := 1, pairs[0].distance; p < len(pairs); p++ {
		if rounding.Same(tie, pairs[p].distance, 0) {
			pairs[p].distance = tie
		}
		tie = pairs[p].distance
	}
	ends := binEnds(pairs, max(1, len(pairs)/(2*distanceBins)))
	if len(ends) == 1 {
		ends = binEnds(pairs, 1)
	}
	begin := 0
	for _, end := range ends {
		bin := DistanceBin{
			From: Number(pairs[begin].distance), To: Number(pairs[end-1].distance),
			Median: Number(pairs[(begin+end)/2].distance), Pairs: end - begin,
		}
		for _, p := range pairs[begin:end] {
			bin.pairs = append(bin.pairs, p.items)
		}
		all, begin = append(all, bin), end
	}
	return all
}

// binEnds returns where the bins of sorted pairs end. Pairs at the same distance are in one bin, and
// each bin has at least the given number of pairs. A bin takes the pairs that are left over the
// bins that are left, and half a share of all pairs or more, up to the nearest end of a tie.
func binEnds(pairs []pair, least int) (ends []int) {
	n := len(pairs)
	for begin := 0; begin < n; begin = ends[len(ends)-1] {
		remaining := n - begin
		end := begin + min(remaining, max(1, remaining/(distanceBins-len(ends)), n/(2*distanceBins)))
		tie := pairs[end-1].distance
		lower := sort.Search(n, func(i int) bool { return pairs[i].distance >= tie })
		upper := sort.Search(n, func(i int) bool { return pairs[i].distance > tie })
		if lower-begin >= least && end-lower < upper-end {
			end = lower
		} else {
			end = upper
		}
		if n-end < least {
			end = n
		}
		ends = append(ends, end)
	}
	return ends
}
