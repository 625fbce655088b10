package verdict

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/lists"
	"aibd/internal/words"
	"aibd/posterior"
)

// Pattern is what chains that disagree look like.
type Pattern string

const (
	// Short: there are too few draws for diagnostics, or they still show where the chains began.
	Short Pattern = "short"
	// Slow: the chains move through the same range, but too slowly for their length. More draws will help.
	Slow Pattern = "slow"
	// Places: the chains are in different places, and the draws do not show whether they stay there.
	Places Pattern = "places"
)

// few reports whether there are too few draws for diagnostics.
func (v *Verdict) few() bool {
	return slices.ContainsFunc(v.Disagree, func(f Finding) bool { return f.short })
}

// still names the continuous quantities whose draws are all equal.
func (v *Verdict) still() string { return v.names(func(f Finding) bool { return f.constant }) }

// together reports whether chains move through the same range: the central interval of each holds the
// medians of all.
func together(chains [][]float64) bool {
	quantiles := func(p float64) []float64 {
		return lists.Map(chains, func(chain []float64) float64 { return posterior.Quantile(chain, p) })
	}
	medians := quantiles(0.5)
	return slices.Max(quantiles(tailShare)) <= slices.Min(medians) && slices.Max(medians) <= slices.Min(quantiles(1-tailShare))
}

// separated reports whether the means of the second halves of all chains lie on one side of those of all first
// halves. Those of four chains of one distribution do so once in 35 times. Those of a single chain always do.
func separated(first, second []float64) bool {
	return slices.Max(first) < slices.Min(second) || slices.Max(second) < slices.Min(first)
}

// halves returns the means of the halves of each chain.
func halves(chains [][]float64) (first, second []float64) {
	for _, chain := range chains {
		n := len(chain) / 2
		first, second = append(first, stat.Mean(chain[:n], nil)), append(second, stat.Mean(chain[len(chain)-n:], nil))
	}
	return first, second
}

// pattern returns the pattern of chains that disagree, and its description.
func (v *Verdict) pattern(in Input) (Pattern, string) {
	if v.few() {
		return Short, "There are too few draws to judge."
	}
	if still := v.still(); still != "" {
		return Short, "All draws of " + still + " are equal: the chains do not move."
	}
	for _, f := range v.Disagree { // the largest R-hat first
		if q := in.quantity(f.Key); !together(q.Chains) {
			return Places, looksPlaces(fmt.Sprintf("medians of %s: %s", q.Name, medians(q)))
		}
	}
	far := slices.DeleteFunc(slices.Clone(v.Disagree), func(f Finding) bool { return f.RHat <= sameRHat })
	for _, f := range far {
		q := in.quantity(f.Key)
		if first, second := halves(q.Chains); separated(first, second) {
			return Short, looksDrift(q.Name, stat.Mean(first, nil), stat.Mean(second, nil))
		}
	}
	if len(far) > 0 {
		return Places, looksPlaces("of different width in " + far[0].Name)
	}
	for _, f := range v.Families {
		switch {
		case !f.disagrees() || 2*f.far <= f.Apart: // of many slow entries some are far by chance
		case 2*f.drifting > f.far:
			return Short, fmt.Sprintf("The chains still drift: %s of %s %s differ between their first halves and their second. The warmup was too short.",
				words.Count(f.drifting), words.Count(f.Entries), f.Name)
		default:
			return Places, looksPlaces(fmt.Sprintf("clearly so in %s of %s %s", words.Count(f.far), words.Count(f.Entries), f.Name))
		}
	}
	return Slow, v.looksSlow(in.Run)
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
