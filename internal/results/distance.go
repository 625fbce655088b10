package results

// Sharing against distance: what the draws say, what the prior expects, and what the IBP
// would.

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
)

// distanceBins is the max number of bins of pairs, of about equally many pairs.
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

// ByDistance returns the sharing by distance. It is nil if the law knows no distances. The
// error says why the distances are not known.
func (j *Judged) ByDistance() (*DistanceSharing, error) {
	spec := j.Run.Spec
	if spec.Prior.Law == "ibp" {
		return nil, nil
	}
	p, err := j.Run.Problem()
	if err != nil {
		return nil, err
	}
	law := p.Posterior.Law.(prior.Attraction)
	pairs := pairsOf(law)
	if len(pairs) == 0 {
		return nil, errors.New("no pair of items has a distance")
	}
	s := &DistanceSharing{Measure: "distance", Bins: bins(pairs)}
	if spec.Prior.Decay == "given" {
		s.Measure = "proximity"
	} else if p.Unit != "" {
		s.Measure += " (" + p.Unit + ")"
	}
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
	under := s.prior(law, slices.Concat(j.Chains...), groups, spec.Sampler.Seed)
	for b := range s.Bins {
		bin := &s.Bins[b]
		of := posterior.Summarize(bin.Chains)
		bin.Mean, bin.Q5, bin.Q95, bin.RHat = Number(of.Mean), Number(of.Q5), Number(of.Q95), Number(of.RHat)
		bin.Prior = Number(stat.Mean(under[b], nil))
		bin.Q5Of, bin.Q95Of = Number(posterior.Quantile(under[b], 0.05)), Number(posterior.Quantile(under[b], 0.95))
	}
	return s, nil
}

// prior draws Z from the law at the mass, the temperature and the permutation of draws, and
// returns the mean sharing by bin and draw.
func (s *DistanceSharing) prior(law prior.Attraction, from []*draws.Draw, groups [][][2]int, seed uint64) [][]float64 {
	rng := mcmc.NewStream(seed, "sharing").Rand
	most := min(maxPriorDraws, max(minPriorDraws, maxPriorRows/law.N()))
	step := (len(from) + most - 1) / most
	under := make([][]float64, len(groups))
	for t := 0; t < len(from); t += step {
		d := from[t]
		temperature, permutation := law.Temperature(), law.Permutation()
		if !math.IsNaN(d.Temperature) {
			temperature = d.Temperature
		}
		if d.Permutation != nil {
			permutation = d.Permutation
		}
		z := law.With(temperature, permutation).WithMass(d.Mass).Rand(rng)
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

// pairsOf returns the pairs of items whose distance is known.
func pairsOf(law prior.Attraction) (pairs []pair) {
	a := law.Affinity()
	if d := a.Distance(); d != nil {
		for i := range d.N() {
			for j := range i {
				pairs = append(pairs, pair{[2]int{j, i}, (d.At(j, i) + d.At(i, j)) / 2})
			}
		}
		return pairs
	}
	for i := range a.N() {
		to, distance, _ := a.Edges().Row(i)
		for e, j := range to {
			// Landmarks do not have entries for the items that have one for them.
			back, _, _ := a.Edges().Row(int(j))
			if _, both := slices.BinarySearch(back, int32(i)); int(j) < i || !both {
				pairs = append(pairs, pair{[2]int{min(i, int(j)), max(i, int(j))}, distance[e]})
			}
		}
	}
	return pairs
}

// NearFar returns the tenth of the pairs of items that are nearest, and the tenth that are farthest:
// of proximities the largest, and the smallest. Both have more pairs if there are ties.
func NearFar(law prior.Attraction, decay string) (near, far [][2]int) {
	all := bins(pairsOf(law))
	if len(all) == 0 {
		return nil, nil
	}
	near, far = all[0].pairs, all[len(all)-1].pairs
	if decay == "given" {
		near, far = far, near
	}
	return near, far
}

// bins returns pairs of items in bins, the nearest first. Pairs at the same distance are in
// one bin.
func bins(pairs []pair) (all []DistanceBin) {
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	for from := 0; from < len(pairs); {
		to := max(from+1, (len(all)+1)*len(pairs)/distanceBins)
		for to < len(pairs) && pairs[to].distance == pairs[to-1].distance {
			to++
		}
		bin := DistanceBin{
			From: Number(pairs[from].distance), To: Number(pairs[to-1].distance),
			Median: Number(pairs[(from+to)/2].distance), Pairs: to - from,
		}
		for _, p := range pairs[from:to] {
			bin.pairs = append(bin.pairs, p.items)
		}
		all, from = append(all, bin), to
	}
	return all
}
