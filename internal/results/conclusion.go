package results

// Which distance matters.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
)

// DistanceFinding is what the draws say of a distance.
type DistanceFinding struct {
	Name             string    `json:"name"`
	Conclusion       Opinion   `json:"conclusion"`
	Factor                     // of an influence on features or weights
	Weights          *Factor   `json:"weights,omitempty"`       // of an influence on weights, if they may follow the distance
	Sharing          *Factor   `json:"sharing,omitempty"`       // of an influence on who has a feature, if weights may follow it too
	Follows          *Interval `json:"follows,omitempty"`       // share of the variance between items that follows the distance
	HalvesAt         *Interval `json:"half_distance,omitempty"` // distance at which the correlation of weights, or with binary features similarity, halves
	Strangers        *Interval `json:"similarity_of_strangers,omitempty"`
	Remark           string    `json:"-"` // how fast the similarity of the law falls with the distance
	opinion, numbers string    // the conclusion, and the numbers behind it
	factor           string    // the Bayes factor in words
	number           int       // of the distance, from zero
}

// A Factor is a Bayes factor. It is empty if the draws do not determine it.
type Factor struct {
	BayesFactor *Number `json:"bayes_factor,omitempty"`
	LogFactor   *Number `json:"log_bayes_factor,omitempty"`
	LogError    *Number `json:"log_bayes_factor_error,omitempty"` // Monte Carlo standard error
	AtLeast     bool    `json:"at_least,omitempty"`               // both are lower bounds
}

// Interval is the median and the 90% interval.
type Interval struct {
	Median Number `json:"median"`
	Q5     Number `json:"q5"`
	Q95    Number `json:"q95"`
	Unit   string `json:"unit,omitempty"`
}

func interval(chains [][]float64, unit string) *Interval {
	summary := posterior.Summarize(chains)
	return &Interval{Number(summary.Q50), Number(summary.Q5), Number(summary.Q95), unit}
}

// distances says of each distance whether it matters: from the weights and the temperature together if weights may
// follow it, else from the temperature alone.
func (j *Judged) distances() (all []DistanceFinding) {
	random := j.Run.Spec.RandomTemperatures()
	near := j.Run.Data.Weights
	if len(random) == 0 && len(near) == 0 {
		return nil
	}
	influences, err := j.Influences()
	if err != nil {
		influences = make([]Evidence, len(j.Run.Data.Distances())) // without the files of the run
	}
	for m, d := range j.Run.Spec.Distances() {
		k := slices.IndexFunc(near, func(w model.WeightDistance) bool { return w.Distance == m })
		switch f := (DistanceFinding{Name: d.Label(), number: m}); {
		case k >= 0:
			j.findWeights(&f, k, influences[m])
			all = append(all, f)
		case slices.Contains(random, m):
			j.findTemperature(&f, influences[m].Sharing)
			all = append(all, f)
		}
	}
	return all
}

// findTemperature says whether a distance matters from its temperature against the prior of it, and how many features
// near and far pairs share.
func (j *Judged) findTemperature(f *DistanceFinding, i *Influence) {
	m := f.number
	j.similarity(f)
	q := j.quantity(draws.TemperatureKey(m))
	prior := j.Prior(q.Key).Quantile
	if i != nil {
		f.Factor, f.factor = newFactor(*i), i.text(j.disagree(q.Chains))
	}
	var evidence string
	if f.Conclusion, evidence = conclude(q.Chains, prior); f.Conclusion == mayMatter && i != nil && !i.AtLeast {
		f.Conclusion = byFactor(*i)
	}
	f.opinion, f.numbers = f.Conclusion.sentence(j.distanceName(m)), strings.TrimPrefix(j.shared(m)+evidence, "; ")
}

// similarity finds how fast the similarity of the law falls with a distance.
func (j *Judged) similarity(f *DistanceFinding) {
	m := f.number
	d, measured := j.Run.Spec.Distances()[m], j.Run.Data.Distances()[m]
	temperature := j.quantity(draws.TemperatureKey(m)).Chains
	name := j.distanceName(m)
	switch {
	case j.Run.Spec.Prior.Decay != "exponential":
	case d.Kind == "same":
		similar := lists.MapRows(temperature, describe.Strangers)
		f.Strangers = interval(similar, "")
		f.Remark = fmt.Sprintf("In the law items that differ in %s are %s times as similar as others.", d.Columns[0], WithInterval(j.Verdict, similar))
	case measured.Unit != "":
		half, unit := halves(temperature, d, measured.Unit)
		if f.Follows == nil {
			f.HalvesAt = interval(half, unit)
		}
		f.Remark = fmt.Sprintf("In the law similarity by %s halves at %s %s.", name, WithInterval(j.Verdict, half), unit)
	}
}

// shared says how many features the nearest and the farthest pairs share.
func (j *Judged) shared(m int) string {
	near, far := NearFar(j.Problem.Posterior.Law.(prior.Attraction), m, j.Run.Spec.Prior.Decay)
	text := func(pairs [][2]int) string {
		return WithInterval(j.Verdict, j.Derived(func(d *draws.Draw) float64 { return posterior.MeanSharing(d.Z, [][][2]int{pairs})[0] }))
	}
	if d := j.Run.Spec.Distances()[m]; d.Kind == "same" {
		return fmt.Sprintf("pairs of the same %s share %s features, others %s", d.Columns[0], text(near), text(far))
	}
	return fmt.Sprintf("the nearest pairs share %s features, the farthest %s", text(near), text(far))
}

// halves returns the distances at which exp(-rate distance) halves, and their unit.
func halves(rates [][]float64, d spec.Distance, unit string) (half [][]float64, name string) {
	per, name := describe.UnitOf(d, unit)
	return lists.MapRows(rates, func(x float64) float64 { return per * math.Ln2 / x }), name
}

// findWeights says whether a distance matters, from the Bayes factor of any influence of it; how much of the
// difference between items in their weights follows it, and at which distance their correlation halves; and
// whether near items share features beyond that.
func (j *Judged) findWeights(f *DistanceFinding, k int, e Evidence) {
	m := f.number
	differ := j.disagree(j.quantity(draws.ShareKey(k)).Chains)
	random := slices.Contains(j.Run.Spec.RandomTemperatures(), m)
	if random {
		differ = differ || j.disagree(j.quantity(draws.TemperatureKey(m)).Chains)
	}
	// Of what an item does not share with all, or by another distance, the prior of the part that follows this one is uniform.
	part := lists.Map(j.Chains, func(chain []*draws.Draw) []float64 {
		return lists.Map(chain, func(d *draws.Draw) float64 {
			return d.Shares[1+k] / (d.Shares[1+k] + draws.OwnShare(d.Shares))
		})
	})
	weights, sharing := opinion(e.Weights, part, func(p float64) float64 { return p }), uncertain
	if random {
		sharing = opinion(e.Sharing, j.quantity(draws.TemperatureKey(m)).Chains, j.Prior(draws.TemperatureKey(m)).Quantile)
	}
	if e.Joint != nil {
		f.Factor, f.factor = newFactor(*e.Joint), e.Joint.text(differ)
	}
	switch {
	case weights == matters || sharing == matters:
		f.Conclusion = matters
	case e.Joint != nil:
		f.Conclusion = ofFactor(*e.Joint)
	default:
		f.Conclusion = uncertain
	}
	factor := func(i *Influence) (*Factor, string) { // of one of two influences
		if i == nil || !random {
			return nil, ""
		}
		factor := newFactor(*i)
		return &factor, i.text(differ)
	}
	var ofWeights, ofSharing string
	f.Weights, ofWeights = factor(e.Weights)
	f.Sharing, ofSharing = factor(e.Sharing)
	if e.Weights != nil && f.Weights == nil {
		f.Weights = new(Factor)
		*f.Weights = newFactor(*e.Weights)
	}
	extent := j.extent(f, k)
	if random {
		j.similarity(f)
	}
	near := "near items"
	if d := j.Run.Spec.Distances()[m]; d.Kind == "same" {
		near = "items of the same " + d.Columns[0]
	}
	may := map[Opinion]string{mayMatter: "may "}
	likely := func(o Opinion) bool { return o == matters || o == mayMatter }
	var lines []string
	switch {
	case likely(weights):
		lines = append(lines, fmt.Sprintf("%s %shave similar weights%s. %s", near, may[weights], ofWeights, extent))
		switch {
		case !random:
		case likely(sharing):
			lines = append(lines, fmt.Sprintf("They %salso share features%s", may[sharing], ofSharing))
		default:
			lines = append(lines, sharing.about()+" shared features beyond that"+ofSharing)
		}
	case likely(sharing):
		lines = append(lines, fmt.Sprintf("%s %sshare features%s", near, may[sharing], ofSharing))
		lines = append(lines, weights.about()+" similar weights"+ofWeights)
	}
	f.opinion, f.numbers = f.Conclusion.sentence(j.distanceName(m)), strings.Join(lines, ". ")
}

// extent says how much of the variance between items follows component k, and at which distance the correlation halves.
func (j *Judged) extent(f *DistanceFinding, k int) string {
	d, measured := j.Run.Spec.Distances()[f.number], j.Run.Data.Distances()[f.number]
	follows, what := j.follows(k), "variance between items follows "+j.distanceName(f.number)
	if d.Kind == "same" {
		follows, what = j.betweenGroups(k), "variance of the fitted values is between groups"
	}
	f.Follows = interval(follows, "")
	text := WithInterval(j.Verdict, lists.MapRows(follows, func(x float64) float64 { return 100 * x })) + " percent of the " + what
	if j.Run.Data.Weights[k].MaxRate > 0 && measured.Unit != "" {
		half, unit := halves(j.quantity(draws.RateKey(k)).Chains, d, measured.Unit)
		f.HalvesAt = interval(half, unit)
		text += fmt.Sprintf(", and its correlation halves at %s %s", WithInterval(j.Verdict, half), unit)
	}
	return text
}

// opinion returns the conclusion on one influence of a distance from its Bayes factor or, if that has only a
// bound or is not determined, from draws that are near 0 without influence, against their prior.
func opinion(i *Influence, chains [][]float64, prior func(p float64) float64) Opinion {
	if i != nil && !i.AtLeast {
		return ofFactor(*i)
	}
	opinion, _ := conclude(chains, prior)
	switch opinion {
	case matters, mattersLittle:
		return opinion
	case mayMatter:
		if i != nil {
			return opinion
		}
	}
	return uncertain
}

// disagree reports whether chains disagree on a scalar.
func (j *Judged) disagree(chains [][]float64) bool { return j.Marks(posterior.Summarize(chains)) }

// betweenGroups returns, for some draws of each chain, the part of the sum of squares of the fitted values about column means
// that is between the groups of component k, with columns scaled to one sum of squares. Few groups say little about
// the share of the prior.
func (j *Judged) betweenGroups(k int) [][]float64 {
	groups, pairs := make([]int, j.Run.Data.N), j.Problem.Posterior.Weights.Near[k].Distances
	var first []int // item of each group
	for i := range groups {
		groups[i] = slices.IndexFunc(first, func(r int) bool { return pairs.At(i, r) == 1 })
		if groups[i] < 0 {
			groups[i], first = len(first), append(first, i)
		}
	}
	some := spaced(j.Chains, j.matched())
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return lists.MapRows(some, func(*draws.Draw) float64 { return math.NaN() }) // the verdict says why
	}
	l, fitted := lglfm.NewLoadings(data), mat.NewDense(j.Run.Data.N, j.Run.Data.D, nil)
	return lists.MapRows(some, func(d *draws.Draw) float64 {
		if l.ResetDraw(d) != nil {
			return math.NaN()
		}
		for i := range groups {
			l.Fitted(i, fitted.RawRowView(i))
		}
		return between(fitted, groups)
	})
}

// between returns the part of the sum of squares of x about column means that is between groups, numbered from 0, with
// columns scaled to one sum of squares.
func between(x *mat.Dense, groups []int) (part float64) {
	_, columns := x.Dims()
	counts := make([]float64, slices.Max(groups)+1)
	for _, group := range groups {
		counts[group]++
	}
	varying := 0.0
	for v := range columns {
		column := mat.Col(nil, v, x)
		mean, total := stat.Mean(column, nil), 0.0
		sums := make([]float64, len(counts))
		for i, value := range column {
			total += (value - mean) * (value - mean)
			sums[groups[i]] += value - mean
		}
		if total <= 0 {
			continue
		}
		varying++
		for group, sum := range sums {
			part += sum * sum / counts[group] / total
		}
	}
	return part / max(varying, 1)
}

// rateGrid is the number of rates at which follows computes mean correlations.
const rateGrid = 30

// follows returns, for the draws of each chain, the share of the variance between items, in their weights, that
// follows component k: s (1 - r)/(sum over components of s (1 - r) + e), with the mean correlation r over pairs. The common
// part does not differ between items, and the part of a component hardly does if it falls slowly.
func (j *Judged) follows(k int) [][]float64 {
	apart := dissimilarities(j.Problem.Posterior.Weights.Near)
	return lists.Map(j.Chains, func(chain []*draws.Draw) []float64 {
		return lists.Map(chain, func(d *draws.Draw) float64 {
			sum, part := draws.OwnShare(d.Shares), 0.0
			for c, distance := range apart {
				x := d.Shares[1+c] * distance(d.Rates[c])
				if sum += x; c == k {
					part = x
				}
			}
			return part / sum
		})
	})
}

// dissimilarities returns, for each component of the weights, 1 less the mean correlation over pairs as a function of the rate.
func dissimilarities(components []mcmc.Nearness) []func(rate float64) float64 {
	between := make([]func(rate float64) float64, len(components))
	for c, near := range components {
		mean := func(rate float64) float64 {
			sum, count := 0.0, 0.0
			for _, p := range somePairs(near.Distances) {
				x := p.distance
				if rate > 0 {
					x = math.Exp(-rate * x)
				}
				sum += 1 - x
				count++
			}
			return sum / count
		}
		if near.MaxRate == near.MinRate {
			fixed := mean(near.MinRate)
			between[c] = func(float64) float64 { return fixed }
			continue
		}
		low, width := math.Log(near.MinRate), math.Log(near.MaxRate/near.MinRate)
		grid := lists.Make(rateGrid+1, func(g int) float64 { return mean(math.Exp(low + width*float64(g)/rateGrid)) })
		between[c] = func(rate float64) float64 {
			place := min(max((math.Log(rate)-low)/width*rateGrid, 0), rateGrid-1e-9)
			g := int(place)
			return grid[g] + (place-float64(g))*(grid[g+1]-grid[g])
		}
	}
	return between
}

// newFactor returns the numbers of an influence.
func newFactor(i Influence) Factor {
	return Factor{new(Number(math.Exp(i.Log))), new(Number(i.Log)), new(Number(i.StdErr)), i.AtLeast}
}

// text returns a Bayes factor in words, in parentheses and with a space before it, with a star if the chains disagree.
func (i Influence) text(differ bool) string {
	factor := math.Exp(i.Log)
	if size := math.Pow(10, math.Floor(math.Log10(factor))-1); size > 1 && !math.IsInf(factor, 1) {
		factor = size * math.Round(factor/size)
	}
	text := words.Significant(factor, 2)
	if differ {
		text += "*"
	}
	if i.AtLeast {
		return fmt.Sprintf(" (Bayes factor at least %s)", text)
	}
	return fmt.Sprintf(" (Bayes factor %s, error %s)", text, words.Percent(max(i.StdErr, 0.01)))
}

// distance says of each distance whether it matters, and which distances the data cannot separate.
func (s *Summary) distance() (lines []string) {
	instead := map[string][]string{} // the distances that may matter in place of another
	for _, e := range s.Entangled {
		instead[e.First], instead[e.Second] = append(instead[e.First], e.Second), append(instead[e.Second], e.First)
	}
	for _, d := range s.Distances {
		line := d.opinion
		if names := instead[d.Name]; names != nil && (d.Conclusion == matters || d.Conclusion == mayMatter) {
			line += ", or " + words.And(names) + " in its place"
		}
		line += d.factor
		if d.numbers != "" {
			line += ": " + d.numbers
		}
		lines = append(lines, line+".")
	}
	for _, e := range s.Entangled {
		lines = append(lines, fmt.Sprintf("The data cannot separate %s and %s: their distances have correlation %s, and their temperatures, which make up for each other, %s (aibd plot %s temperatures).",
			e.First, e.Second, words.Fixed(e.Distances, 2), words.Fixed(e.Temperatures, 2), verdict.Quoted(s.Run.Dir)))
	}
	return lines
}

// An Opinion is a conclusion on a distance.
type Opinion string

const (
	matters       Opinion = "matters"
	mayMatter     Opinion = "may matter"
	uncertain     Opinion = "inconclusive"
	leansAgainst  Opinion = "leans against"
	mattersLittle Opinion = "matters little"
	saysLittle    Opinion = "prior repeated"  // the posterior repeats the prior
	chainsDiffer  Opinion = "chains disagree" // on whether it matters
)

// sentence returns the opinion of a distance with a name, or of "distance", as a sentence without its end.
func (o Opinion) sentence(name string) string {
	switch o {
	case saysLittle:
		return fmt.Sprintf("The data are inconclusive about whether %s matters, as the posterior of the temperature repeats its prior", name)
	case uncertain:
		return fmt.Sprintf("The data are inconclusive about whether %s matters", name)
	case leansAgainst:
		return fmt.Sprintf("The data lean against an influence of %s", name)
	case chainsDiffer:
		return fmt.Sprintf("The chains disagree on whether %s matters", name)
	}
	if name == "distance" {
		name = "Distance"
	}
	return name + " " + string(o)
}

// about begins a sentence on an influence that is not likely.
func (o Opinion) about() string {
	if o == uncertain {
		return "The data are inconclusive about"
	}
	return "The data lean against"
}

// byFactor returns the conclusion from a Bayes factor, where the temperature alone does not decide. One from a third to 3 is
// not worth more than a bare mention (Kass and Raftery, 1995).
func byFactor(i Influence) Opinion {
	switch bare := math.Log(3); {
	case i.Log+2*i.StdErr < -bare:
		return leansAgainst
	case i.Log < bare:
		return uncertain
	}
	return mayMatter
}

// ofFactor returns the conclusion from a Bayes factor alone. One of 20 is strong (Kass and Raftery, 1995).
func ofFactor(i Influence) Opinion {
	switch strong := math.Log(20); {
	case i.Log-2*i.StdErr > strong || i.AtLeast && i.Log > strong:
		return matters
	case i.Log+2*i.StdErr < -strong:
		return mattersLittle
	}
	return byFactor(i)
}

// conclude returns what the chains say of a distance, and what follows the numbers in a sentence. Chains
// that disagree on the temperature may still say the same, or contradict each other.
func conclude(chains [][]float64, prior func(p float64) float64) (opinion Opinion, evidence string) {
	opinion = opinionOf(chains, prior)
	if len(chains) == 1 || !(posterior.Summarize(chains).RHat > verdict.MaxRHat) {
		return opinion, ""
	}
	present := map[Opinion]bool{}
	for _, chain := range chains {
		present[opinionOf([][]float64{chain}, prior)] = true
	}
	switch {
	case present[matters] && (present[mattersLittle] || present[saysLittle]):
		return chainsDiffer, ""
	case len(present) == 1 && present[opinion]:
		return opinion, "; each chain says so, though they disagree on the temperature"
	case opinion == matters:
		opinion = mayMatter
	}
	return opinion, "; the chains disagree on the temperature"
}

// opinionOf returns the conclusion from draws of the temperature, given the quantiles of its prior.
func opinionOf(chains [][]float64, prior func(p float64) float64) Opinion {
	lowest := tenths(chains, prior)[0]
	switch {
	case Overlap(chains, prior) >= verdict.Repeated:
		return saysLittle
	case lowest <= verdict.Matters:
		return matters
	case lowest >= verdict.MattersLittle:
		return mattersLittle
	}
	return mayMatter
}
