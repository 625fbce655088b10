package verdict

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/posterior"
)

// Pattern is what chains that disagree look like.
type Pattern string

const (
	// Levels: each chain stays near a value of its own, and chains do not visit each other's
	// ranges. More draws will not help.
	Levels Pattern = "levels"
	// Apart: one chain differs from all others, which agree among themselves.
	Apart Pattern = "apart"
	// Drift: all chains move in the same direction. The warmup was too short.
	Drift Pattern = "drift"
	// Slow: the chains move through the same range, but too slowly for their length. More draws will help.
	Slow Pattern = "slow"
	// Places: the chains are in different places, and the draws do not tell whether they stay there.
	Places Pattern = "places"
	// Stuck: all draws of a continuous quantity are equal. The chains do not move.
	Stuck Pattern = "stuck"
	// Short: there are too few draws for diagnostics.
	Short Pattern = "short"
)

// halves holds the means of the halves of each chain.
type halves [][2]float64

func halvesOf(chains [][]float64) halves {
	h := make(halves, len(chains))
	for c, chain := range chains {
		n := len(chain) / 2
		h[c] = [2]float64{stat.Mean(chain[:n], nil), stat.Mean(chain[len(chain)-n:], nil)}
	}
	return h
}

// means returns the means of the chains.
func (h halves) means() []float64 {
	return lists.Of(h, func(m [2]float64) float64 { return (m[0] + m[1]) / 2 })
}

// levels reports whether the chains stay near values of their own: the variance between
// chains against that between the halves of a chain, by an F test with a critical value.
// Under independent halves of one distribution, both estimate the same.
func (h halves) levels(critical float64) bool {
	if len(h) < 2 {
		return false
	}
	within := 0.0
	for _, m := range h {
		within += (m[1] - m[0]) * (m[1] - m[0]) / 4 / float64(len(h))
	}
	between := stat.Variance(h.means(), nil)
	return between > within*critical
}

// stay reports whether chains that differ stay in different modes: they do not visit each other's
// ranges, or they move so fast that their means cannot differ by chance.
func stay(chains [][]float64) bool {
	chains = slices.Clone(chains)
	slices.SortFunc(chains, func(a, b []float64) int {
		return cmp.Compare(posterior.Quantile(a, 0.5), posterior.Quantile(b, 0.5))
	})
	var means []float64
	error := 0.0 // variance of the mean of a chain, by its effective sample size
	for c, chain := range chains {
		mean, variance := stat.MeanVariance(chain, nil)
		means = append(means, mean)
		error += variance / posterior.ESSMean(chains[c:c+1]) / float64(len(chains))
		if c > 0 && (posterior.Quantile(chains[c-1], 1-visitShare) < posterior.Quantile(chain, 0.5) ||
			posterior.Quantile(chain, visitShare) > posterior.Quantile(chains[c-1], 0.5)) {
			return true
		}
	}
	return stat.Variance(means, nil) > maxExcess*error
}

// together reports whether chains move through the same range: the central interval of each holds the
// medians of all.
func together(chains [][]float64) bool {
	of := func(p float64) []float64 {
		return lists.Of(chains, func(chain []float64) float64 { return posterior.Quantile(chain, p) })
	}
	medians := of(0.5)
	return slices.Max(of(tailShare)) <= slices.Min(medians) && slices.Max(medians) <= slices.Min(of(1-tailShare))
}

// sameNumber reports whether a quantity is a number of features whose medians differ by one at most.
func sameNumber(q Quantity) bool {
	medians := lists.Of(q.Chains, func(chain []float64) float64 { return posterior.Quantile(chain, 0.5) })
	return q.Key == draws.KeyFeatures && slices.Max(medians)-slices.Min(medians) <= 1
}

// drifts reports whether the second halves differ from the first halves in the same direction,
// by a t test with a critical value. The halves of a single chain always drift.
func (h halves) drifts(critical float64) bool {
	if len(h) == 1 {
		return h[0][0] != h[0][1]
	}
	changes := lists.Of(h, func(m [2]float64) float64 { return m[1] - m[0] })
	mean, sd := stat.MeanStdDev(changes, nil)
	return math.Abs(mean) > critical*sd/math.Sqrt(float64(len(h)))
}

// critical returns the critical values of levels and, at a level, of drifts for a number of
// chains. A single chain has none.
func critical(chains int, alpha float64) (levels, drifts float64) {
	if chains < 2 {
		return math.NaN(), math.NaN()
	}
	between := float64(chains - 1)
	return distuv.F{D1: between, D2: between + 1}.Quantile(1 - levelsAlpha), distuv.StudentsT{Sigma: 1, Nu: between}.Quantile(1 - alpha/2)
}

// apart returns the chain without which the quantities at levels agree about as well as
// chains of this length can, or -1: their excess R-hat falls to a twentieth.
func apart(at []Quantity) int {
	chains := len(at[0].Chains)
	if chains < 3 {
		return -1
	}
	for c := range chains {
		if !slices.ContainsFunc(at, func(q Quantity) bool {
			excess := known(posterior.RHat(q.Chains)) - 1
			rest := posterior.RHat(slices.Delete(slices.Clone(q.Chains), c, c+1))
			return rest-1 > max(excess/20, MaxRHat-1)
		}) {
			return c
		}
	}
	return -1
}

// explain sets the pattern of chains that disagree, its description and what to try.
func (v *Verdict) explain(in Input) {
	var atLevels, codes, drifting []Quantity // codes at levels name what the chains found, but decide nothing
	for _, f := range slices.Concat(v.Disagree, v.Undetermined) {
		if f.RHat < clearRHat {
			continue
		}
		q := in.quantity(f.Key)
		h := halvesOf(q.Chains)
		criticalLevels, criticalDrifts := critical(len(h), driftAlpha/float64(v.judged))
		switch levels := h.levels(criticalLevels) && stay(q.Chains) && !sameNumber(q); {
		case levels && q.Code:
			codes = append(codes, q)
		case levels:
			atLevels = append(atLevels, q)
		}
		if h.drifts(criticalDrifts) && !q.Code {
			drifting = append(drifting, q)
		}
	}
	is := func(match func(Finding) bool) bool { return slices.ContainsFunc(v.Disagree, match) }
	switch {
	case is(func(f Finding) bool { return f.short }):
		v.Pattern, v.Looks = Short, "There are too few draws to tell."
	case is(func(f Finding) bool { return f.constant }):
		v.Pattern, v.Looks = Stuck, "All draws of "+v.names(func(f Finding) bool { return f.constant })+" are equal: the chains do not move."
	case len(atLevels) > 0:
		if c := apart(atLevels); c >= 0 {
			v.Pattern, v.Looks = Apart, looksApart(in, c)
		} else {
			v.Pattern, v.Looks = Levels, looksLevels(append(atLevels, codes...))
		}
	case len(drifting) > 0:
		v.Pattern, v.Looks = Drift, looksDrift(drifting)
	case slices.ContainsFunc(v.Families, func(f FamilyFinding) bool { return f.disagrees() && f.levels }):
		v.Pattern = Levels
		v.Looks = "Chains differ lastingly in what items share or in fitted values: they found different modes, and more draws of the same chains will not help."
	case slices.ContainsFunc(v.Families, func(f FamilyFinding) bool { return f.disagrees() && f.drifts }):
		v.Pattern = Drift
		v.Looks = "The chains still drift: what items share or fitted values changed from the first halves to the second. The warmup was too short."
	default:
		if v.Pattern, v.Looks = Places, v.looksPlaces(in); v.Looks == "" {
			v.Pattern, v.Looks = Slow, v.looksSlow(in.Run)
		}
	}
	v.advise(in.Run)
}

// maxFactor bounds Factor: small effective sample sizes are themselves uncertain.
const maxFactor = 20

// Factor returns Needed, but at most 20.
func (v *Verdict) Factor() float64 { return min(v.Needed(), maxFactor) }

// Needed returns how many times as many draws the chains need, by their effective sample
// sizes and R-hat: at least 2.
func (v *Verdict) Needed() float64 {
	factor := 2.0
	for _, f := range v.Disagree {
		if f.RHat > MaxRHat { // the excess falls with the number of draws
			factor = max(factor, (f.RHat-1)/(MaxRHat-1))
		}
		if f.ess() > 0 {
			factor = max(factor, MinESS/f.ess())
		}
	}
	return factor
}
