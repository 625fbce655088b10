package results

// The summary of a run.

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// Summary is the summary of a run: its scalars, what was found, and how it was sampled.
type Summary struct {
	*Judged    `json:"-"`
	Dir        string            `json:"run"`
	Law        string            `json:"law"`
	Features   string            `json:"features"`            // binary, weighted or graded
	Proximity  string            `json:"proximity,omitempty"` // of the law ddibp
	Items      int               `json:"items"`
	Columns    int               `json:"columns"`
	Used       []int             `json:"chains"` // their numbers, from one
	Draws      int               `json:"draws_per_chain"`
	Note       string            `json:"note,omitempty"`
	Quantities []QuantitySummary `json:"quantities"`
	Kernels    []KernelTotals    `json:"kernels"`
	Limited    int               `json:"limited_scans,omitzero"` // in which mcmc.MaxFeatures bound, of all chains
	Deviance   Deviance          `json:"deviance"`
	Verdict    *verdict.Verdict  `json:"verdict"`
	Found      []string          `json:"found"`
	Distances  []DistanceFinding `json:"distances,omitempty"`
	Entangled  []Entangled       `json:"entangled,omitempty"`
	Cells      []Prediction      `json:"cells,omitempty"` // if asked for

	Answers  Answers `json:"-"` // what was found, by question
	Reported []int   `json:"-"` // chains with reports, from one
	Scans    int     `json:"-"` // of all reported chains
}

// QuantitySummary is the summary of a scalar.
type QuantitySummary struct {
	verdict.Quantity `json:"-"`
	Statistics       posterior.Summary `json:"-"`

	ID      string  `json:"name"`  // its key
	Shown   string  `json:"label"` // its name in text, without its unit
	Unit    string  `json:"unit,omitempty"`
	Fixed   bool    `json:"fixed"`
	Mean    Number  `json:"mean"`
	SD      *Number `json:"sd,omitempty"` // absent if fixed, as are the next
	MCSE    *Number `json:"mcse,omitempty"`
	Q5      *Number `json:"q5,omitempty"`
	Q50     *Number `json:"q50,omitempty"`
	Q95     *Number `json:"q95,omitempty"`
	RHat    *Number `json:"r_hat,omitempty"`
	ESSBulk *Number `json:"ess_bulk,omitempty"`
	ESSTail *Number `json:"ess_tail,omitempty"`
}

// KernelTotals holds the proposals of a kernel after warmup.
type KernelTotals struct {
	Name     string `json:"name"`
	Proposed []int  `json:"proposed"` // by chain
	Accepted []int  `json:"accepted"`
	Rate     Number `json:"acceptance"`
}

// Deviance is posterior.Deviance. Its numbers are NaN if X has cells with bounds, because the log likelihood
// then includes the sampled values of these cells.
type Deviance struct {
	Mean Number `json:"mean_deviance"` // the paper calls it DIC
	PD   Number `json:"p_d"`
	DIC  Number `json:"dic"`
}

// Summary returns the summary of the run. It adds what the chains do not report to the note of j.
func (j *Judged) Summary() *Summary {
	reports, damage := j.Run.Reports()
	kind, lost := j.Run.BetterKind()
	if lost != nil {
		kind = lost.Error()
	}
	j.AddNotes(damage, j.Run.Unreported(j.Traces, reports), kind)
	if j.Within != nil { // features come before Bayes factors
		_, _ = before(j.Within, j.StandardEstimate)
	}
	s := &Summary{
		Judged: j, Dir: j.Run.Dir, Law: j.Run.Spec.Prior.Law, Features: j.Run.Spec.Likelihood.Kind(), Items: j.Run.Data.N, Columns: j.Run.Data.D,
		Used: j.Numbers(), Draws: len(j.Chains[0]), Note: j.Note, Kernels: totalsOf(reports), Verdict: j.Verdict,
		Deviance: j.Deviance(), Distances: j.distances(), Entangled: j.Entangled(),
	}
	if s.Law == "ddibp" {
		s.Proximity = j.Run.Spec.Prior.Proximity
	}
	s.Quantities = lists.Map(j.Quantities(), summarized)
	for _, r := range reports {
		s.Reported = append(s.Reported, r.Chain)
		s.Scans, s.Limited = s.Scans+r.Scans, s.Limited+r.Limited
	}
	s.answer()
	return s
}

// Cutpoints returns the keys of the cutpoints among quantities, those with the largest R-hat first and NaN last.
func Cutpoints(all []verdict.Quantity) (keys []string) {
	rhat := map[string]float64{}
	for _, q := range all {
		if strings.HasPrefix(q.Key, draws.KeyCutpoint) {
			keys, rhat[q.Key] = append(keys, q.Key), posterior.Summarize(q.Chains).RHat
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(rhat[b], rhat[a]) })
	return keys
}

func summarized(q verdict.Quantity) QuantitySummary {
	summary := posterior.Summarize(q.Chains)
	s := QuantitySummary{Quantity: q, Statistics: summary, ID: q.Key, Shown: q.Name, Unit: q.Unit, Fixed: q.Kind == verdict.Fixed, Mean: Number(summary.Mean)}
	if !s.Fixed {
		s.SD, s.MCSE = new(Number(summary.SD)), new(Number(summary.MCSE))
		s.Q5, s.Q50, s.Q95 = new(Number(summary.Q5)), new(Number(summary.Q50)), new(Number(summary.Q95))
		s.RHat, s.ESSBulk, s.ESSTail = new(Number(summary.RHat)), new(Number(summary.ESSBulk)), new(Number(summary.ESSTail))
	}
	return s
}

// totalsOf returns the totals of all kernels. A chain without proposals of a kernel does not report
// it, and has 0 of both.
func totalsOf(reports []runs.ChainReport) []KernelTotals {
	all := []KernelTotals{}
	for c, r := range reports {
		for _, k := range r.Kernels {
			i := slices.IndexFunc(all, func(t KernelTotals) bool { return t.Name == k.Name })
			if i < 0 {
				i, all = len(all), append(all, KernelTotals{Name: k.Name, Proposed: make([]int, len(reports)), Accepted: make([]int, len(reports))})
			}
			all[i].Proposed[c], all[i].Accepted[c] = k.Proposed, k.Accepted
		}
	}
	for i := range all {
		proposed, accepted := 0, 0
		for c, n := range all[i].Proposed {
			proposed, accepted = proposed+n, accepted+all[i].Accepted[c]
		}
		all[i].Rate = Number(float64(accepted) / float64(proposed))
	}
	return all
}

// Deviance returns the deviance of the draws.
func (j *Judged) Deviance() Deviance {
	if len(j.Chains[0][0].Cells) > 0 {
		nan := Number(math.NaN())
		return Deviance{nan, nan, nan}
	}
	logLik := lists.Map(j.Traces, func(t runs.Trace) []float64 { return t.Values[draws.KeyLogLik] })
	d := posterior.DIC(slices.Concat(logLik...))
	return Deviance{Number(d.MeanDeviance), Number(d.PD), Number(d.DIC)}
}

// AddNotes adds notes that are not empty to the note of j.
func (j *Judged) AddNotes(notes ...string) {
	for _, note := range notes {
		switch {
		case note == "":
		case j.Note == "":
			j.Note = note
		case strings.HasSuffix(j.Note, "."):
			j.Note += " " + note
		default:
			j.Note += "; " + note
		}
	}
}
