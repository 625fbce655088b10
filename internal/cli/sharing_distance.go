package cli

// Sharing against distance: what the draws say, what the prior expects, and what the IBP
// would.

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"aibd/draws"
	"aibd/internal/model"
	"aibd/internal/verdict"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
)

// distanceBins is the max number of bins of pairs, of about equally many pairs.
const distanceBins = 10

// maxPriorDraws is the max number of draws of the prior.
const maxPriorDraws = 2000

// distanceSharing is the sharing of pairs by distance.
type distanceSharing struct {
	Measure string        `json:"measure"` // with the unit
	Bins    []distanceBin `json:"bins"`    // the nearest pairs first
	IBP     number        `json:"ibp"`     // expected under the IBP with the mass of the draws
}

// A distanceBin holds pairs of items at similar distances.
type distanceBin struct {
	From   number `json:"from"`
	To     number `json:"to"`
	Median number `json:"median"`
	Pairs  int    `json:"pairs"`
	Mean   number `json:"mean"` // features that a pair shares
	Q5     number `json:"q5"`   // over draws, of the mean over the pairs
	Q95    number `json:"q95"`
	RHat   number `json:"r_hat"`
	Prior  number `json:"prior"` // under the law with mass, temperature and permutation of the draws
	Q5Of   number `json:"prior_q5"`
	Q95Of  number `json:"prior_q95"`
	pairs  [][2]int
	chains [][]float64
}

// byDistance returns the sharing by distance. It is nil if the law knows no distances. The
// error says why the distances are not known.
func (j *judged) byDistance() (*distanceSharing, error) {
	spec := j.run.Spec
	if spec.Prior.Law == "ibp" {
		return nil, nil
	}
	p, err := model.Build(spec)
	if err != nil {
		return nil, err
	}
	law := p.Posterior.Law.(prior.Attraction)
	d := law.Affinity().Distance()
	s := &distanceSharing{Measure: "distance", Bins: bins(d.N(), func(i, k int) float64 { return (d.At(i, k) + d.At(k, i)) / 2 })}
	if spec.Prior.Decay == "given" {
		s.Measure = "proximity"
	} else if p.Unit != "" {
		s.Measure += " (" + p.Unit + ")"
	}
	groups := make([][][2]int, len(s.Bins))
	for b, bin := range s.Bins {
		groups[b] = bin.pairs
		s.Bins[b].chains = make([][]float64, len(j.chains))
	}
	mass := 0.0
	for c, chain := range j.chains {
		for _, d := range chain {
			mass += d.Mass / float64(j.size())
			for b, mean := range posterior.MeanSharing(d.Z, groups) {
				s.Bins[b].chains[c] = append(s.Bins[b].chains[c], mean)
			}
		}
	}
	s.IBP = number(mass / 2)
	under := s.prior(law, slices.Concat(j.chains...), groups, spec.Sampler.Seed)
	for b := range s.Bins {
		bin := &s.Bins[b]
		of := posterior.Summarize(bin.chains)
		bin.Mean, bin.Q5, bin.Q95, bin.RHat = number(of.Mean), number(of.Q5), number(of.Q95), number(of.RHat)
		sum, _ := predict.SumSE(under[b], func(x float64) float64 { return x })
		bin.Prior = number(sum / float64(len(under[b])))
		bin.Q5Of, bin.Q95Of = number(posterior.Quantile(under[b], 0.05)), number(posterior.Quantile(under[b], 0.95))
	}
	return s, nil
}

// prior draws Z from the law at the mass, the temperature and the permutation of draws, and
// returns the mean sharing by bin and draw.
func (s *distanceSharing) prior(law prior.Attraction, from []*draws.Draw, groups [][][2]int, seed uint64) [][]float64 {
	rng := mcmc.NewStream(seed, "sharing").Rand
	step := (len(from) + maxPriorDraws - 1) / maxPriorDraws
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

// bins returns the pairs of n items in bins, the nearest first. Pairs at the same distance
// are in one bin.
func bins(n int, distance func(i, j int) float64) (all []distanceBin) {
	type pair struct {
		items    [2]int
		distance float64
	}
	var pairs []pair
	for i := range n {
		for j := range i {
			pairs = append(pairs, pair{[2]int{j, i}, distance(j, i)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	for from := 0; from < len(pairs); {
		to := max(from+1, (len(all)+1)*len(pairs)/distanceBins)
		for to < len(pairs) && pairs[to].distance == pairs[to-1].distance {
			to++
		}
		bin := distanceBin{
			From: number(pairs[from].distance), To: number(pairs[to-1].distance),
			Median: number(pairs[(from+to)/2].distance), Pairs: to - from,
		}
		for _, p := range pairs[from:to] {
			bin.pairs = append(bin.pairs, p.items)
		}
		all, from = append(all, bin), to
	}
	return all
}

// write writes a sentence and a table.
func (s *distanceSharing) write(w io.Writer) {
	fmt.Fprint(w, wrap(s.sentence(), "", lineWidth(w)))
	fmt.Fprint(w, wrap(s.legend(), "", lineWidth(w)))
	fmt.Fprintln(w)
	s.table().write(w)
	fmt.Fprintln(w)
}

// sentence compares the nearest pairs with the farthest.
func (s *distanceSharing) sentence() string {
	first, last := s.Bins[0], s.Bins[len(s.Bins)-1]
	if s.Measure == "proximity" {
		first, last = last, first
	}
	return fmt.Sprintf("The nearest pairs share %s features on average, the farthest %s. The prior expects %s and %s, the IBP %s for all.",
		told(first.chains), told(last.chains), fixed2(first.Prior), fixed2(last.Prior), fixed2(s.IBP))
}

// legend explains the table.
func (s *distanceSharing) legend() string {
	return "Mean number of features that a pair shares, by " + s.Measure + ", with 90% intervals over draws. Prior: draws of the law with the mass, the temperature and the permutation of the posterior draws; IBP: half their mass. * if the chains disagree."
}

// table returns a row for each bin.
func (s *distanceSharing) table() table {
	t := table{{s.Measure, "pairs", "shared", "5%", "95%", "prior", "5%", "95%", "IBP"}}
	for _, b := range s.Bins {
		star := ""
		if b.RHat > verdict.MaxRHat {
			star = "*"
		}
		between := significant(float64(b.From), 3)
		if b.To > b.From {
			between += " to " + significant(float64(b.To), 3)
		}
		t.add(between, fmt.Sprint(b.Pairs), fixed2(b.Mean)+star, fixed2(b.Q5), fixed2(b.Q95), fixed2(b.Prior), fixed2(b.Q5Of), fixed2(b.Q95Of), fixed2(s.IBP))
	}
	return t
}

func fixed2(x number) string { return known(float64(x), 2) }
