package results

// What was found, in sentences made of numbers with their errors.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/posterior"
)

// FoundLegend explains the numbers in what was found.
const FoundLegend = "median and 90% interval; * if the chains disagree on it, or more draws may change it"

// Answers are what was found, by question, in sentences.
type Answers struct{ Features, Number, Noise, Distance, Unknown, Repeats []string }

// answer finds the answers.
func (s *Summary) answer() {
	explained := s.explained()
	s.Answers = Answers{
		Number: s.number(), Noise: append([]string{s.noise(explained)}, s.noiseScales()...), Distance: s.distance(),
		Unknown: s.unknown(), Repeats: s.repeats(),
	}
	if e, err := before(s.Within, s.StandardEstimate); errors.Is(err, context.DeadlineExceeded) {
		s.Answers.Features = []string{fmt.Sprintf("There was no time for the features: aibd estimate %s finds them.", verdict.Quoted(s.Run.Dir))}
	} else if err != nil {
		s.Answers.Features = []string{err.Error()}
	} else if !explained.nothing() {
		s.Answers.Features = append(e.BySize(), s.kind()...)
	}
	a := s.Answers
	s.Found = slices.Concat(a.Noise, a.Features, a.Distance, a.Unknown, a.Repeats, a.Number)
}

// unknown describes binary and ordinal columns, and cells beyond limits, missing and hidden ones.
func (s *Summary) unknown() []string {
	return lists.Map(describe.Unknown(s.Run.Spec, s.Run.Data.IDs, s.Run.Data.Columns, s.Seen), func(l describe.Line) string { return l.Label + ": " + l.Text + "." })
}

// repeats says which posteriors repeat their priors, except those of temperatures, of which distance speaks.
func (s *Summary) repeats() []string {
	var repeats []string
	for _, q := range s.Quantities {
		if prior := s.Prior(q.Key); prior != nil && !strings.HasPrefix(q.Key, draws.KeyTemperature) && Overlap(q.Chains, prior.Quantile) >= verdict.Repeated {
			repeats = append(repeats, q.Name)
		}
	}
	if len(repeats) == 0 {
		return nil
	}
	return []string{repeatsPrior(repeats)}
}

// repeatsPrior names the parameters on which the data have little information.
func repeatsPrior(names []string) string {
	if len(names) == 1 {
		return fmt.Sprintf("The posterior of %s repeats its prior: the data say little about it.", names[0])
	}
	return fmt.Sprintf("The posteriors of %s repeat their priors: the data say little about them.", words.And(names))
}

// onOrOff is the common share of the weights from which features are on or off: the standard deviation of the weights of a
// feature is at most a third of their mean.
const onOrOff = 0.9

// kind says whether features with weights are on or off, and on which side binary ones are named.
func (s *Summary) kind() (lines []string) {
	if c := slices.IndexFunc(s.Quantities, func(q QuantitySummary) bool { return q.Key == draws.KeyShareCommon }); c >= 0 && s.Quantities[c].Statistics.Q5 >= onOrOff {
		lines = append(lines, fmt.Sprintf("Features are on or off: the items of a feature have nearly the same weight (common share %s).", WithInterval(s.Verdict, s.Quantities[c].Chains)))
	}
	if !s.Run.Spec.Likelihood.HasWeights() && s.Run.Spec.Data.HasIntercept() {
		lines = append(lines, "With an intercept a feature and its complement fit equally well: a feature is named by the side of fewer items.")
	}
	return lines
}

// number says the number of features, whether they code continuous values, and
// whether one of them stands for an intercept.
func (s *Summary) number() []string {
	sharedBy, all := s.Derived(distinctFeatures), s.quantity(draws.KeyFeatures).Chains
	once, ending := "", ". These numbers depend on the prior: a feature with a weight near 0 hardly changes X"
	degrees := s.Run.Spec.Likelihood.HasWeights()
	if !degrees {
		once = ", those with the same items counted once"
		ending = "; an item has " + WithInterval(s.Verdict, s.Derived(FeaturesPerItem)) + " on average"
	}
	lines := []string{fmt.Sprintf("Number of features: %s of several items%s; %s in all%s.", WithInterval(s.Verdict, sharedBy), once, WithInterval(s.Verdict, all), ending)}
	if shared := posterior.Summarize(sharedBy).Q50; !degrees && shared > float64(s.Run.Data.D) {
		lines = append(lines, fmt.Sprintf("More shared features (%v) than variables (%d): binary features approximate continuous values coarsely, and factor analysis may need fewer numbers (aibd compare %s --baseline).", shared, s.Run.Data.D, verdict.Quoted(s.Run.Dir)))
	}
	if !s.Run.Spec.Data.HasIntercept() && s.Run.Data.N >= 10 {
		nearlyAll := s.Derived(func(d *draws.Draw) float64 {
			for k := range d.Z.K() {
				if 10*d.Z.Size(k) >= 9*d.Z.N() {
					return 1
				}
			}
			return 0
		})
		if share := posterior.Summarize(nearlyAll).Mean; share >= 0.5 {
			lines = append(lines, fmt.Sprintf("A feature of at least 90%% of the items, in %s of the draws, stands for a baseline (--set data.intercept=true makes it part of the model).", words.Percent(share)))
		}
	}
	return lines
}

// distinctFeatures returns the number of features of more than one item, those with the same items
// counted once unless they have weights.
func distinctFeatures(d *draws.Draw) float64 {
	c := *d
	c.Z = distinct(d.Z, d)
	return SharedFeatures(&c)
}

// SharedFeatures returns the number of features of more than one item.
func SharedFeatures(d *draws.Draw) float64 {
	count := 0
	for k := range d.Z.K() {
		if d.Z.Size(k) > 1 {
			count++
		}
	}
	return float64(count)
}

// FeaturesPerItem returns the mean number of features of an item.
func FeaturesPerItem(d *draws.Draw) float64 { return float64(d.Z.Ones()) / float64(d.Z.N()) }

// noise says the noise and the share of X that the features explain.
func (s *Summary) noise(e *explained) string {
	q := s.quantity(draws.KeySigmaX)
	if q.Kind == verdict.Fixed {
		return fmt.Sprintf("Noise: SigmaX is fixed at %s.", words.Significant(q.Chains[0][0], 4))
	}
	line := fmt.Sprintf("Noise: SigmaX is %s", WithInterval(s.Verdict, q.Chains))
	if e == nil {
		return line + "." + s.AboveSpread()
	}
	return line + "; " + e.text(s.Verdict, s.Squares()) + s.AboveSpread()
}

// wide returns the columns of numbers whose least noise is above their standard deviation.
func (j *Judged) wide() (wide []int) {
	if !j.Run.Spec.Data.HasNoiseScales() {
		return nil
	}
	for v, column := range lists.Observed(j.Seen.X) {
		if j.Seen.Categories[v] == nil && j.Seen.MinNoise[v] > stat.StdDev(column, nil) {
			wide = append(wide, v)
		}
	}
	return wide
}

// instead names the flags that take given columns as categories or counts, or the command to try that has them.
func (j *Judged) instead(columns []int) string {
	flags := j.Seen.Switch(j.Run.Spec.Data, j.Run.Data.Columns, func(v int) bool { return slices.Contains(columns, v) })
	switch {
	case flags == "":
		return "--binary and --ordinal for categories"
	case len(j.Try) > 0 && strings.Contains(j.Try[0].Line, flags):
		return "the first command to try takes them as categories or counts"
	}
	return flags + " for categories or counts"
}

// switches puts the command first that takes columns as categories or counts, if their least noise is above their standard
// deviation: such chains disagree on features that explain nothing.
func (j *Judged) switches(next string) {
	wide := j.wide()
	if j.Agreed || wide == nil {
		return
	}
	s := j.Run.Spec.Sampler
	flags := j.Seen.Switch(j.Run.Spec.Data, j.Run.Data.Columns, func(v int) bool { return slices.Contains(wide, v) })
	if flags == "" {
		return
	}
	if s.Until == spec.UntilAgreed {
		flags += " --set sampler.skip=0 --thin 1 --warmup 1000 --draws 1000"
	}
	j.Try = slices.Insert(j.Try, 0, verdict.Command{
		Line:       fmt.Sprintf("aibd fit %s %s --out %s", verdict.Quoted(j.Run.Dir+"/run.json"), flags, verdict.Quoted(next)),
		Why:        fmt.Sprintf("the least noise of %s is above the sd; the noise of categories and counts has another bound", words.Plural(len(wide), "column")),
		OtherModel: true,
	})
}

// noiseScales returns a sentence on the noise of the columns that have an unknown noise scale,
// in the units of the file.
func (s *Summary) noiseScales() []string {
	type columnNoise struct {
		name   string
		draws  [][]float64
		median float64 // in units of X
	}
	var all []columnNoise
	changed := false // X has a logarithm or a root of a column
	var raised []string
	var atMin []int
	for v, name := range s.Run.Data.Columns {
		if !slices.Contains(s.Run.Data.Noise, name) {
			continue
		}
		unit := s.Seen.Units.Scale(v)
		name = s.Seen.Units.Named(v, name)
		changed = changed || name != s.Run.Data.Columns[v]
		noise := s.Derived(func(d *draws.Draw) float64 { return d.SigmaX * lglfm.NoiseScale(d, v) * unit })
		summary := posterior.Summarize(noise)
		all = append(all, columnNoise{name, noise, summary.Q50 / unit})
		if summary.Q5/unit < verdict.NearMin*s.Seen.MinNoise[v] {
			if s.Seen.Raised != nil && s.Seen.Raised[v] {
				raised = append(raised, name)
			} else {
				atMin = append(atMin, v)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b columnNoise) int { return cmp.Compare(a.median, b.median) })
	unit, dots := "in the unit of the file", ""
	if changed {
		unit += ", or of its logarithm or root"
	}
	if n := len(all); n > 2*shownNoises {
		all = slices.Delete(all, shownNoises, n-shownNoises)
		dots = fmt.Sprintf("; the %d smallest and the %d largest of %d", shownNoises, shownNoises, n)
		if *s.Run.Spec.Data.Scale {
			dots = fmt.Sprintf("; of %d columns those with the %d smallest and the %[2]d largest noises as shares of their sds", n, shownNoises)
		}
	}
	texts := lists.Map(all, func(c columnNoise) string { return c.name + " " + WithInterval(s.Verdict, c.draws) })
	if dots != "" {
		texts = slices.Insert(texts, shownNoises, "...")
	}
	lines := []string{fmt.Sprintf("Noise by column (SigmaX times its noise scale, %s%s): %s.", unit, dots, strings.Join(texts, "; "))}
	if len(atMin) > 0 {
		lines = append(lines, fmt.Sprintf("Noise near its minimum, 0.4 times the smallest gap between two values: %s. It may be smaller, and features may fit such columns exactly (%s).", hint.Listed(lists.Map(atMin, func(v int) string { return s.Seen.Units.Named(v, s.Run.Data.Columns[v]) }), shownNoises), s.instead(atMin)))
	}
	if len(raised) > 0 {
		lines = append(lines, fmt.Sprintf("Noise near its minimum, %g times the residual standard deviation given the other columns: %s. It may be smaller, and the features may explain more. Without the minimum chains agree less often (--set data.min_noise=0).", *s.Run.Spec.Data.MinNoise, hint.Listed(raised, len(raised))))
	}
	return lines
}

// shownNoises is how many of the smallest and of the largest noises of columns are shown.
const shownNoises = 4

// quantity returns the quantity with the given key.
func (j *Judged) quantity(key string) verdict.Quantity {
	all := j.Quantities()
	return all[slices.IndexFunc(all, func(q verdict.Quantity) bool { return q.Key == key })]
}

// WithInterval returns the median and the 90% interval. A star marks a median on which the chains
// disagree, see verdict.Verdict.Marks.
func WithInterval(v *verdict.Verdict, chains [][]float64) string {
	summary := posterior.Summarize(chains)
	digits := words.Decimals(summary.Q50, summary.Q95-summary.Q5)
	if !slices.ContainsFunc(chains, func(chain []float64) bool {
		return slices.ContainsFunc(chain, func(x float64) bool { return x != math.Round(x) })
	}) {
		digits = min(digits, 0)
	}
	end := func(x float64) string {
		if x > 0 && x < 0.5*math.Pow(10, -float64(max(digits, 0))) {
			return words.Significant(x, 2) // and not 0
		}
		return words.Fixed(x, digits)
	}
	s := end(summary.Q50)
	if v.Marks(summary) {
		s += "*"
	}
	if summary.Q5 < summary.Q95 {
		s += fmt.Sprintf(" (%s to %s)", end(summary.Q5), end(summary.Q95))
	}
	return s
}

// Overlap returns the overlap of the draws with their prior: the sum over tenths of the prior
// of the smaller of the share of draws and 0.1.
func Overlap(chains [][]float64, quantile func(p float64) float64) (sum float64) {
	for _, share := range tenths(chains, quantile) {
		sum += min(share, 0.1)
	}
	return sum
}

// tenths returns the share of the draws in each tenth of their prior.
func tenths(chains [][]float64, quantile func(p float64) float64) (shares [10]float64) {
	var counts [10]int
	var cuts [9]float64
	for i := range cuts {
		cuts[i] = quantile(float64(i+1) / 10)
	}
	size := 0
	for _, chain := range chains {
		for _, x := range chain {
			tenth, _ := slices.BinarySearch(cuts[:], x)
			counts[tenth]++
			size++
		}
	}
	for i, n := range counts {
		shares[i] = float64(n) / float64(size)
	}
	return shares
}
