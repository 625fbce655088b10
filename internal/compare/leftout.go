package compare

// Which of several runs predicts entries that are left out.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/results"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/predict"
)

// LeftOut compares runs by leave-one-out cross-validation.
type LeftOut struct {
	Data    string       `json:"data"`
	Items   int          `json:"items"`
	Columns int          `json:"columns"`
	Runs    []*Contender `json:"runs"` // the best first
	Outcome
}

// A Contender is a run with its leave-one-out estimates.
type Contender struct {
	*results.Judged `json:"-"`
	LOO             *predict.CellLOO `json:"-"`

	Dir       string           `json:"run"`
	Law       string           `json:"law"`
	Proximity string           `json:"proximity,omitempty"` // of the law ddibp
	Differs   []string         `json:"differs"`             // from other runs, in words
	Features  results.Number   `json:"features"`            // mean
	ELPD      results.Number   `json:"elpd_loo"`
	SE        results.Number   `json:"se"`
	P         results.Number   `json:"p_loo"`
	ByChain   []results.Number `json:"elpd_by_chain"`
	Gap
	MaxK    results.Number   `json:"max_good_k"`
	Bad     int              `json:"bad_k"` // entries whose Pareto k is too large
	DIC     results.Number   `json:"dic"`
	Note    string           `json:"note,omitempty"`
	Verdict *verdict.Verdict `json:"verdict"`

	of []string // parts of the description of the run
}

// LeaveOut leaves out each entry under each run, and calls watch, which may be nil, after each run. The runs are of the same data,
// which must be there.
func LeaveOut(all []*results.Judged, watch func(r *Contender, took time.Duration)) (*LeftOut, error) {
	found := &LeftOut{}
	for _, j := range all {
		if err := sameX(all[0], j); err != nil {
			return nil, err
		}
	}
	for _, j := range all {
		began := time.Now()
		r, err := newContender(j)
		if err != nil {
			return nil, err
		}
		if watch != nil {
			watch(r, time.Since(began))
		}
		found.Runs = append(found.Runs, r)
	}
	slices.SortStableFunc(found.Runs, func(a, b *Contender) int { return cmp.Compare(b.ELPD, a.ELPD) })
	best := found.Runs[0]
	found.Data, found.Items, found.Columns = best.Run.Spec.Data.Source(), best.Run.Data.N, best.Run.Data.D
	var rivals []rival
	for _, r := range found.Runs {
		r.compare(best)
		r.Differs = r.differs(found.Runs)
		rivals = append(rivals, rival{Judged: r.Judged, gap: r.Gap, bad: r.Bad, entries: len(r.LOO.Points)})
	}
	found.Outcome = outcomeOf(rivals, "entries that are left out")
	return found, nil
}

// newContender leaves out each entry under a run.
func newContender(j *results.Judged) (*Contender, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Run.Dir, err)
	}
	loo, err := predict.NewCellLOO(data, j.Chains)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Run.Dir, err)
	}
	r := &Contender{
		Judged: j, LOO: loo, Dir: j.Run.Dir, Law: j.Run.Spec.Prior.Law, ELPD: results.Number(loo.ELPD), SE: results.Number(loo.SE), P: results.Number(loo.P), ByChain: results.Numbers(loo.ByChain),
		MaxK: results.Number(predict.MaxParetoK(j.Size())), DIC: j.Deviance().DIC, Note: j.Note, Verdict: j.Verdict, of: describeRun(j),
	}
	if r.Law == "ddibp" {
		r.Proximity = j.Run.Spec.Prior.Proximity
	}
	for _, p := range loo.Points {
		if !(p.K <= float64(r.MaxK)) {
			r.Bad++
		}
	}
	features := 0.0
	for _, t := range j.Traces {
		for _, n := range t.Values[draws.KeyFeatures] {
			features += n / float64(j.Size())
		}
	}
	r.Features = results.Number(features)
	return r, nil
}

// compare sets what is relative to the best run.
func (r *Contender) compare(best *Contender) {
	sum := func(x float64) float64 { return x }
	_, se := predict.SumSE(r.LOO.ByChain, sum)
	r.MCSE = results.Number(se / float64(len(r.LOO.ByChain)))
	if r == best {
		return
	}
	if r.Run.Spec.Data.HasIntercept() != best.Run.Spec.Data.HasIntercept() {
		r.DIC = results.Number(math.NaN()) // of contrasts for one, of rows for the other
	}
	byItem := make([]float64, r.Run.Data.N)
	for p, point := range r.LOO.Points {
		byItem[r.LOO.At[p][0]] += point.ELPD - best.LOO.Points[p].ELPD
	}
	difference, overEntries := predict.Difference(r.LOO.LOO, best.LOO.LOO)
	_, overItems := predict.SumSE(byItem, sum)
	r.Difference, r.Error = results.Number(difference), results.Number(max(overEntries, overItems))
	r.MCSE = results.Number(math.Hypot(float64(r.MCSE), float64(best.MCSE)))
}

// Name returns the directory of the run with its prior.
func (r *Contender) Name() string { return rival{Judged: r.Judged}.name() }

// differs returns what is not the same for all runs, in words.
func (r *Contender) differs(all []*Contender) (parts []string) {
	for i, part := range r.of {
		if part != "" && slices.ContainsFunc(all, func(other *Contender) bool { return other.of[i] != part }) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return []string{"nothing"}
	}
	return parts
}

// describeRun describes a run, in the same number of parts for each.
func describeRun(j *results.Judged) []string {
	s, of := j.Run.Spec, j.Run.Data.Distances()
	law, distance, temperature := describe.Law(s, of), "", ""
	if s.Prior.HasDistances() {
		distance = strings.Join(describe.Distances(s, of), "; ")
	}
	if s.HasTemperature() {
		temperature = describe.Temperatures(s)
	}
	intercept := "no intercept"
	if s.Data.HasIntercept() {
		intercept = "an intercept"
	}
	noise := "SigmaX of all columns"
	if s.Data.HasNoiseScales() {
		noise = "a noise scale for each column"
	}
	scale := func(name string, s spec.Scale) string { return describe.Scale(name, s, math.NaN(), "") }
	return []string{
		s.Likelihood.Kind() + " features", intercept, noise, law, distance, temperature, describe.Parameter("mass", s.Prior.Mass),
		scale("SigmaX", s.Prior.SigmaX), scale("SigmaA", s.Prior.SigmaA), describe.Chains(s.Sampler),
	}
}
