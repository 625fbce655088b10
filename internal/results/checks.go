package results

// Checks of X against replicates.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/predict"
)

// Checks holds the checks of X against replicates.
type Checks struct {
	Verdict    *verdict.Verdict `json:"verdict,omitempty"` // nil if replicates are of the prior
	Note       string           `json:"note,omitempty"`
	Replicates int              `json:"replicates"`
	Kinds      []CheckedKind    `json:"kinds"`
	// Outliers are cells more than four times the noise from what features of several items and columns explain, as
	// "variable of item", the farthest first.
	Outliers []string `json:"outliers,omitempty"`
	Prior    bool     `json:"-"` // replicates are of the prior
}

// CheckedKind holds the checks of one kind of quantity.
type CheckedKind struct {
	Name    string  `json:"name"`
	Extreme int     `json:"extreme"` // p below 0.01 or above 0.99
	P       Number  `json:"p"`       // see predict.Checks
	Checks  []Check `json:"checks"`
}

// Check is a check of one quantity.
type Check struct {
	Subject  string `json:"of"` // column or its logarithm, pair of those, item or quantity
	Observed Number `json:"observed"`
	Q5       Number `json:"q5"` // of the replicates
	Q95      Number `json:"q95"`
	P        Number `json:"p"`
	// NotFinite is the number of replicates whose quantity is not finite. They do not count.
	NotFinite int `json:"not_finite,omitzero"`

	Seen predict.Check `json:"-"` // as the model sees X, for pictures of several columns
}

// Distance returns how far p is from 0.5.
func (c Check) Distance() float64 { return math.Abs(float64(c.P) - 0.5) }

// IsExtreme reports whether the check is a misfit.
func (c Check) IsExtreme() bool { return c.Distance() > 0.5-predict.ExtremeP }

// NewChecks names the checks of a number of replicates of X, and gives them in the units of the file.
func NewChecks(checker *predict.Checker, replicates int, columns, items []string, units dataset.Units, quantities []predict.Quantity) *Checks {
	k := &Checks{Replicates: replicates}
	for _, checks := range checker.Checks() {
		kind := CheckedKind{Name: checks.Name, P: Number(checks.P), Checks: []Check{}}
		names := columns
		switch checks.Name {
		case predict.ItemResiduals:
			names = items
		case predict.YourQuantities:
			names = lists.Map(quantities, func(q predict.Quantity) string { return q.Name })
		}
		for _, c := range checks.Checks {
			var name []string
			for _, i := range c.Indices {
				if inLogs(checks.Name) {
					name = append(name, units.Named(i, names[i]))
				} else {
					name = append(name, names[i])
				}
			}
			in := unitOfCheck(checks.Name, c.Indices[0], units)
			title := strings.Join(name, " - ")
			if c.Distance != "" {
				title += " by " + c.Distance
			}
			named := Check{title, Number(in(c.Observed)), Number(in(c.Q5)), Number(in(c.Q95)), Number(c.P), c.Undefined, c}
			if named.IsExtreme() {
				kind.Extreme++
			}
			kind.Checks = append(kind.Checks, named)
		}
		k.Kinds = append(k.Kinds, kind)
	}
	return k
}

// inLogs reports whether checks of a kind are of logarithms where columns hold logarithms. The logarithm
// of a minimum or a maximum is the minimum or maximum of the logarithms.
func inLogs(kind string) bool {
	return kind == predict.Means || kind == predict.SDs || kind == predict.Correlations
}

// unitOfCheck returns what turns a quantity of the given kind and column into the unit of the file, or of
// its logarithm.
func unitOfCheck(kind string, column int, units dataset.Units) func(x float64) float64 {
	switch kind {
	case predict.Minima, predict.Maxima:
		return func(x float64) float64 { return units.Undo(column, x) }
	case predict.Means:
		return func(x float64) float64 { return units.Linear(column, x) }
	case predict.SDs:
		return func(x float64) float64 { return x * units.Scale(column) }
	}
	return func(x float64) float64 { return x }
}

// Worst returns up to n checks with the most extreme p, if it is extreme.
func (k CheckedKind) Worst(n int) []Check {
	worst := slices.DeleteFunc(slices.Clone(k.Checks), func(c Check) bool { return !c.IsExtreme() })
	slices.SortStableFunc(worst, func(a, b Check) int { return cmp.Compare(b.Distance(), a.Distance()) })
	return worst[:min(n, len(worst))]
}

// Legend explains p.
func (k *Checks) Legend() string {
	if k.Prior {
		return fmt.Sprintf("p is the share of %s of the prior that exceed X. By chance %s of 100 p are below %v or above %v.", words.Plural(k.Replicates, "replicate"), words.Significant(100*k.chance(), 2), predict.ExtremeP, 1-predict.ExtremeP)
	}
	return fmt.Sprintf("p is the share of %s in which the replicate exceeds X; misfits have p below %v or above %v, by chance at most %s of 100.", words.Plural(k.Replicates, "draw"), predict.ExtremeP, 1-predict.ExtremeP, words.Significant(100*k.chance(), 2))
}

// chance returns the probability that p is extreme if X comes from the prior: of X and the replicates
// each is as likely as the others to have the largest quantity, the second largest and so on. Under the posterior it
// is lower, since replicates are drawn given X.
func (k *Checks) chance() float64 {
	return 2 * math.Ceil(predict.ExtremeP*float64(k.Replicates)) / float64(k.Replicates+1)
}

// Misfits reports whether X has misfits in a kind of quantities: at most one in a hundred replicates, or none of fewer than
// 200, stands out from the others as much as X.
func (k *Checks) Misfits(kind CheckedKind) bool {
	return float64(kind.P) <= max(predict.ExtremeP, 2/float64(k.Replicates+1))
}

// Sentence says which kinds of quantities the model does not reproduce, or the prior contradicts.
func (k *Checks) Sentence() string {
	var misfits, fits []string
	for _, kind := range k.Kinds {
		switch {
		case k.Misfits(kind):
			misfits = append(misfits, fmt.Sprintf("%s (%d of %d, %s by chance)", kind.Name, kind.Extreme, len(kind.Checks), words.Significant(k.chance()*float64(len(kind.Checks)), 2)))
		case len(kind.Checks) > 0:
			fits = append(fits, kind.Name)
		}
	}
	line, misfit, fit := "These checks show no misfit. Such checks seldom find one, as replicates are drawn given X.", "The model does not reproduce: ", " No misfit: "
	if k.Prior {
		line, misfit, fit = "The prior can produce data like X: no kind of quantity contradicts it.", "The prior contradicts X in: ", " No contradiction: "
	}
	if len(misfits) > 0 {
		line = misfit + words.And(misfits) + "."
		if len(fits) > 0 {
			line += fit + words.And(fits) + "."
		}
	}
	if n := len(k.Outliers); n > 0 {
		line += fmt.Sprintf(" Outliers: %s. Each is more than %d times the noise from what features of several items and columns explain; features of one item explain some.", hint.Listed(k.Outliers, shownOutliers), outlying)
	}
	return line
}

// shownOutliers is the max number of outliers that are named.
const shownOutliers = 5

// Check checks the run with at most the given number of replicates, each from one of equally spaced draws.
func (j *Judged) Check(replicates int, quantities []predict.Quantity) (*Checks, error) {
	r, err := j.Replicator()
	if err != nil {
		return nil, err
	}
	r.Near = j.near()
	all := slices.Concat(j.Chains...)
	step := (len(all) + replicates - 1) / replicates
	checker, rng := predict.NewChecker(r, quantities...), mcmc.NewStream(j.Run.Spec.Sampler.Seed, "check").Rand
	for t := 0; t < len(all); t += step {
		y, err := r.Draw(all[t], rng)
		if err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		checker.Add(all[t], y)
	}
	k := NewChecks(checker, (len(all)+step-1)/step, j.Run.Data.Columns, j.Run.Data.IDs, j.Seen.SeenUnits(), quantities)
	k.Verdict, k.Note = j.Verdict, j.Note
	k.Outliers, err = j.outliers()
	return k, err
}

// Replicator returns what draws replicates of X.
func (j *Judged) Replicator() (*predict.Replicator, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	return NewReplicator(data, j.Seen)
}

// NewReplicator returns a replicator of what is seen of X.
func NewReplicator(data *lglfm.Data, seen *model.Observed) (*predict.Replicator, error) {
	r, err := predict.NewReplicator(data)
	if err == nil {
		r.Counts = seen.CountFunctions()
	}
	return r, err
}

// Replicates returns a replicate of X for each draw, row by row.
func (j *Judged) Replicates() ([][]float64, error) {
	r, err := j.Replicator()
	if err != nil {
		return nil, err
	}
	var y [][]float64
	rng := mcmc.NewStream(j.Run.Spec.Sampler.Seed, "replicates").Rand
	for _, d := range slices.Concat(j.Chains...) {
		replicate, err := r.Draw(d, rng)
		if err != nil {
			return nil, err
		}
		y = append(y, slices.Concat(replicate.X...))
	}
	return y, nil
}
