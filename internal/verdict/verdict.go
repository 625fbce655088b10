// Package verdict decides whether the chains of a run agree. If they do not, it says which
// quantities differ, what that looks like and what to try.
package verdict

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"aibd/posterior"
)

// Kind says which values the draws of a quantity take.
type Kind int

const (
	Continuous Kind = iota
	Discrete        // all draws may be equal
	Fixed           // not sampled, not judged
)

// Quantity is a scalar of the draws.
type Quantity struct {
	Key, Name string // in JSON, in text
	Unit      string // may be empty
	Kind      Kind
	Unknown   bool        // an unknown of the model with a prior of its own, or fixed
	Code      bool        // it depends on which features encode the signals, and does not decide
	Max       float64     // where its prior ends; 0: nowhere
	Chains    [][]float64 // Chains[c][t] is draw t of chain c; all of the same length
}

// Label returns the name with the unit.
func (q Quantity) Label() string {
	if q.Unit == "" {
		return q.Name
	}
	return q.Name + " (" + q.Unit + ")"
}

// Input is the input of Judge.
type Input struct {
	Chains     []int // numbers of the chains; nil for 1, 2, ...
	Quantities []Quantity
	Families   []Family
	Run        Run
}

// quantity returns the quantity with a key.
func (in Input) quantity(key string) Quantity {
	return in.Quantities[slices.IndexFunc(in.Quantities, func(q Quantity) bool { return q.Key == key })]
}

// Run holds what commands on a run need. Without a directory there are no commands.
type Run struct {
	Dir    string
	Next   string // a directory that does not exist, for the next run
	Chains int
	Warmup int  // scans of each chain
	Skip   int  // scans after warmup without draws
	Draws  int  // of each chain
	Thin   int  // scans per draw
	Begun  bool // the run, or a further round of it, is not complete
	Rounds bool // the run continues in rounds until its chains agree
	Weigh  bool // features are binary, and may have weights instead
	Sample int  // items of a sample to try, of many; 0: none
	Latent bool // all columns are binary or ordinal, so that X has latent values

	Seconds float64 // sampling time of the draws, over all chains, on one core; 0 if unknown
}

// Verdict is the result of Judge: the chains agree, they agree on what is large, or they do not agree.
type Verdict struct {
	Agreed  bool    `json:"agreed"`
	OnLarge bool    `json:"agreed_on_large"` // the chains agree on what is large, as they do if they agree
	Large   *Large  `json:"large,omitempty"` // nil if fitted values are not judged
	MaxRHat float64 `json:"max_r_hat"`       // over all quantities that decide; 0 if there is none
	MinESS  float64 `json:"min_ess"`         // bulk or tail, over all quantities that decide; 0 if there is none

	Disagree []Finding       `json:"disagree"` // quantities that do not agree, largest R-hat first
	Families []FamilyFinding `json:"families,omitempty"`
	// Undetermined holds the quantities that depend on which features encode the signals and have a high
	// R-hat, largest first. Chains may agree in spite of them.
	Undetermined []Finding `json:"undetermined,omitempty"`

	Pattern Pattern   `json:"pattern,omitempty"` // "" if the chains agree
	Looks   string    `json:"looks,omitempty"`   // the pattern in a sentence
	Try     []Command `json:"try,omitempty"`     // in this order

	// Bounds name the posteriors that pile up where their prior ends, whether chains agree or not.
	Bounds []string `json:"bounds,omitempty"`

	// Remarks name diagnostics that cannot be computed from the draws. The draws may still be right.
	Remarks []string `json:"remarks,omitempty"`

	chains, judged int
}

// Finding is a quantity that does not agree. A number is 0 if it is unknown.
type Finding struct {
	Key     string  `json:"key"`
	Name    string  `json:"name"`
	RHat    float64 `json:"r_hat"` // math.MaxFloat64 if chains are constant and differ
	ESSBulk float64 `json:"ess_bulk"`
	ESSTail float64 `json:"ess_tail"`

	constant bool // all draws are equal
	short    bool // too few draws for diagnostics
}

// MarshalJSON writes null for a number that is unknown.
func (f Finding) MarshalJSON() ([]byte, error) {
	type finding Finding
	nullable := func(x float64) *float64 {
		if x == 0 {
			return nil
		}
		return &x
	}
	return json.Marshal(struct {
		finding
		RHat    *float64 `json:"r_hat"`
		ESSBulk *float64 `json:"ess_bulk"`
		ESSTail *float64 `json:"ess_tail"`
	}{finding(f), nullable(f.RHat), nullable(f.ESSBulk), nullable(f.ESSTail)})
}

// ess returns the smaller effective sample size, without those that are unknown, or 0.
func (f Finding) ess() float64 {
	if f.ESSTail == 0 {
		return f.ESSBulk
	}
	return min(f.ESSBulk, f.ESSTail)
}

// Command is a command line with its purpose.
type Command struct {
	Line string `json:"command"`
	Why  string `json:"why"`

	OtherModel bool `json:"-"` // it samples another model, or other data
}

// Judge returns the verdict on the draws of all chains. It depends on its input only.
func Judge(in Input) *Verdict {
	v := &Verdict{Disagree: []Finding{}, chains: len(in.Chains), MinESS: math.Inf(1)}
	var equal, noTail []string
	for _, q := range in.Quantities {
		if q.Kind == Fixed {
			continue
		}
		f := finding(q)
		if q.Code {
			if f.RHat > MaxRHat {
				v.Undetermined = append(v.Undetermined, f)
			}
			continue
		}
		v.judged++
		v.chains = len(q.Chains)
		v.MaxRHat = max(v.MaxRHat, f.RHat)
		if f.ESSBulk > 0 {
			v.MinESS = min(v.MinESS, f.ess())
		}
		switch {
		case f.constant && q.Kind == Discrete:
			equal = append(equal, q.Name)
			continue
		case f.ESSTail == 0 && f.ESSBulk > 0:
			noTail = append(noTail, q.Name)
		}
		f.short = f.ESSBulk == 0 && !f.constant
		if f.short || f.constant || f.RHat > MaxRHat || f.ess() < MinESS {
			v.Disagree = append(v.Disagree, f)
		}
	}
	if math.IsInf(v.MinESS, 1) {
		v.MinESS = 0
	}
	for _, findings := range [][]Finding{v.Disagree, v.Undetermined} {
		slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(b.RHat, a.RHat) })
	}
	for _, f := range in.Families {
		v.Families = append(v.Families, f.finding())
		v.Large = cmp.Or(v.Large, f.large())
	}
	v.Agreed = len(v.Disagree) == 0 && !slices.ContainsFunc(v.Families, FamilyFinding.disagrees)
	v.OnLarge = v.Agreed
	for _, q := range in.Quantities {
		if q.Kind == Fixed || q.Code {
			continue
		}
		v.Bounds = append(v.Bounds, q.bounded(in.Run)...)
	}
	if len(equal) > 0 {
		v.Remarks = append(v.Remarks, "All draws of "+some(equal, v.judged)+" are equal")
	}
	if len(noTail) > 0 {
		v.Remarks = append(v.Remarks, "Too few distinct draws for the tail ESS of "+some(noTail, v.judged))
	}
	if !v.Agreed {
		v.Pattern, v.Looks = v.pattern(in)
		v.OnLarge = v.Large != nil && v.Large.agreed() && v.Pattern != Short
		v.advise(in.Run)
	}
	return v
}

// Marks reports whether a star marks a number with a summary, unless it is constant: R-hat is above MaxRHat or, if the
// chains do not agree on all, R-hat is above ClearRHat or the ESS below ClearESS. Draws too few for R-hat get a star. A nil
// verdict marks as that of chains that agree.
func (v *Verdict) Marks(summary posterior.Summary) bool {
	rHat, ess := MaxRHat, 0.0
	if v != nil && !v.Agreed {
		rHat, ess = ClearRHat, ClearESS
	}
	return summary.SD > 0 && !(summary.RHat <= rHat && summary.ESSBulk >= ess)
}

// finding returns the diagnostics of a quantity.
func finding(q Quantity) Finding {
	f := Finding{
		Key: q.Key, Name: q.Name,
		RHat: finite(posterior.RHat(q.Chains)), ESSBulk: finite(posterior.ESSBulk(q.Chains)), ESSTail: finite(posterior.ESSTail(q.Chains)),
	}
	f.constant = len(q.Chains[0]) > 1 && posterior.Constant(q.Chains)
	return f
}

// finite returns x, 0 if x is NaN, or the max float64 if x is +Inf.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(x, math.MaxFloat64)
}
