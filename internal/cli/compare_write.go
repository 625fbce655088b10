package cli

// What a comparison of runs says, as text, JSON and CSV.

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"aibd/internal/describe"
	"aibd/internal/results"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/predict"
)

// name returns the directory of the run with its prior.
func (r *contender) name() string {
	if r.baseline != "" {
		return r.baseline
	}
	law := r.Run.Spec.Prior.LawName()
	if r.Run.Spec.Likelihood.HasWeights() {
		law += ", " + r.Run.Spec.Likelihood.Kind() + " features"
	}
	return fmt.Sprintf("%s (%s)", r.Run.Dir, law)
}

// title returns the directory of the run, or the name of the baseline.
func (r *contender) title() string {
	if r.baseline != "" {
		return r.baseline
	}
	return r.Run.Dir
}

// by says how much better the best run is.
func (r *contender) by() string { return results.Nats(-r.difference, r.error) }

// sentence says which run is preferred.
func (c *runComparison) sentence() string {
	best, rest := c.runs[0], c.runs[1:]
	var close, far []string
	for _, r := range rest {
		if r.apart() {
			far = append(far, fmt.Sprintf("%s by %s", r.name(), r.by()))
		} else {
			close = append(close, fmt.Sprintf("%s: the difference is %s", r.name(), r.by()))
		}
	}
	predicted := "entries that are left out"
	if best.loo == nil {
		predicted = "hidden cells"
	}
	var s string
	switch {
	case len(close) == 0:
		s = best.name() + " is preferred: it predicts " + predicted + " better than " + and(far) + "."
	case len(far) == 0:
		s = "The data do not tell " + best.name() + ", the best, from " + and(close) + "."
	default:
		s = "The data do not tell " + best.name() + ", the best, from " + and(close) + ". It is better than " + and(far) + "."
	}
	if !c.reliable() {
		s = "Not reliable, see below: " + s
	}
	return s
}

// reliable reports whether all estimates are.
func (c *runComparison) reliable() bool {
	return !slices.ContainsFunc(c.runs, func(r *contender) bool { return !r.reliable() })
}

// doubts returns what the sentence rests on and should not.
func (c *runComparison) doubts() (lines []string) {
	for _, r := range c.runs {
		if r.baseline != "" {
			continue
		}
		if !r.Agreed {
			line := fmt.Sprintf("%s: %s. Its numbers may change with more draws", r.Run.Dir, small(r.Short()))
			if len(r.Try) > 0 {
				line += " (" + r.Try[0].Line + ")"
			}
			lines = append(lines, line+".")
		}
		if r.Note != "" {
			lines = append(lines, fmt.Sprintf("%s: %s.", r.Run.Dir, r.Note))
		}
	}
	var bad []string
	for _, r := range c.runs {
		if n := r.bad(); n > 0 {
			bad = append(bad, fmt.Sprintf("%d of %s (above %s)", n, r.Run.Dir, significant(predict.MaxParetoK(r.Size()), 2)))
		}
	}
	if len(bad) > 0 {
		entries := len(c.runs[0].loo.Points)
		line := fmt.Sprintf("Pareto k is too large for some of the %d entries: %s. The elpd of these runs is probably too high. More draws help if k is just above (aibd resume RUN --more N); --csv lists k.", entries, and(bad))
		lines = append(lines, line+" The log evidence does not depend on k (aibd evidence RUN).")
	}
	return lines
}

// write writes the comparison as text.
func (c *runComparison) write(w io.Writer) {
	width := lineWidth(w)
	fmt.Fprintf(w, "%s\n\n%s", visible.Text(c.headline()), wrap(visible.Text(c.sentence()), "", width))
	for _, line := range c.doubts() {
		fmt.Fprint(w, wrap(visible.Text(line), "", width))
	}
	fmt.Fprintln(w)
	c.table().write(w)
	fmt.Fprintln(w, elpdLegend)
	if preferences := c.preferences(); preferences != nil {
		fmt.Fprintln(w, "\nBy log evidence:")
		for _, p := range preferences {
			fmt.Fprint(w, wrap(visible.Text(p.Sentence()), "", width))
		}
	}
	fmt.Fprintln(w, "\nWhat differs:")
	for _, line := range c.differences() {
		fmt.Fprint(w, "- ", wrap(visible.Text(line), "  ", width-2)[2:])
	}
}

// elpdLegend explains the columns of the table.
const elpdLegend = `elpd: sum of the log densities of the entries in nats, larger is better; SE: its standard error
difference: elpd minus that of the first run, with its standard error
MCSE: Monte Carlo error of the difference, or of elpd in the first row
k bad: entries with a bad Pareto k; p_loo: effective number of parameters; DIC: smaller is better`

// headline names the data and says what is compared.
func (c *runComparison) headline() string {
	best := c.runs[0]
	return fmt.Sprintf("%s, %d items x %d columns; each of %d entries is left out in turn.",
		best.Run.Spec.Data.Source(), best.Run.Data.N, best.Run.Data.D, len(best.loo.Points))
}

// table returns a row for each run.
func (c *runComparison) table() table {
	best := c.runs[0]
	t := table{{"run", "prior", "features", "chains", "elpd", "SE", "difference", "SE", "MCSE", "k bad", "p_loo", "DIC"}}
	evidence := slices.ContainsFunc(c.runs, func(r *contender) bool { return r.evidence != nil })
	if evidence {
		t[0] = append(t[0], "log evidence", "error")
	}
	for _, r := range c.runs {
		agree := "agree"
		if !r.Agreed {
			agree = "disagree"
		}
		row := []string{r.Run.Dir, r.Run.Spec.Prior.LawName(), fixed(r.features, 1), agree, fixed(r.loo.ELPD, 1), fixed(r.loo.SE, 1)}
		if r == best {
			row = append(row, "0", "")
		} else {
			row = append(row, fixed(r.difference, 1), fixed(r.error, 1))
		}
		row = append(row, fixed(r.mcse, 1), fmt.Sprint(r.bad()), fixed(r.loo.P, 1), fixed(r.deviance.DIC, 1))
		switch {
		case evidence && r.evidence != nil:
			row = append(row, fixed(r.evidence.Log, 1), fixed(r.evidence.Error, 1))
		case evidence:
			row = append(row, "-", "-")
		}
		t.add(row...)
	}
	return t
}

// differences says for each run what is not the same for all.
func (c *runComparison) differences() (lines []string) {
	for _, r := range c.runs {
		lines = append(lines, r.Run.Dir+": "+strings.Join(c.differs(r), "; ")+".")
	}
	return lines
}

// differs returns what is not the same for all runs, in words.
func (c *runComparison) differs(r *contender) (parts []string) {
	of := r.parts()
	for i, part := range of {
		if slices.ContainsFunc(c.runs, func(other *contender) bool { return other.parts()[i] != part }) && part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return []string{"nothing"}
	}
	return parts
}

// parts describes a run, in the same number of parts for each.
func (r *contender) parts() []string {
	s := r.Run.Spec
	law, distance, temperature := describe.Law(s.Prior, r.Run.Data.Distances()), "", ""
	if s.Prior.HasDistances() {
		distance = strings.Join(describe.Distances(s, r.Run.Data.Distances()), "; ")
	}
	if s.Prior.HasTemperature() {
		temperature = describe.Temperature(s.Prior, len(r.Run.Data.Distances()))
	}
	intercept := "no intercept"
	if s.Data.HasIntercept() {
		intercept = "an intercept"
	}
	noise := "SigmaX of all columns"
	if s.Data.HasNoiseScales() {
		noise = "a noise scale for each column"
	}
	of := func(name string, scale spec.Scale) string { return describe.Scale(name, scale, math.NaN(), "") }
	return []string{
		s.Likelihood.Kind() + " features", intercept, noise, law, distance, temperature, describe.Parameter("mass", s.Prior.Mass),
		of("SigmaX", s.Prior.SigmaX), of("SigmaA", s.Prior.SigmaA), describe.Chains(s.Sampler),
	}
}

// preferred returns the directory of the best run if all others are clearly worse, and "" otherwise.
func (c *runComparison) preferred() string {
	if slices.ContainsFunc(c.runs[1:], func(r *contender) bool { return !r.apart() }) {
		return ""
	}
	return c.runs[0].title()
}

type runComparisonJSON struct {
	Data    string          `json:"data"`
	Items   int             `json:"items"`
	Columns int             `json:"columns"`
	Runs    []contenderJSON `json:"runs"` // the best first
	outcomeJSON
	Evidence []string `json:"by_log_evidence,omitempty"` // the best against each other run
}

// outcomeJSON is what a comparison says.
type outcomeJSON struct {
	Preferred string   `json:"preferred,omitempty"`
	Reliable  bool     `json:"reliable"`
	Sentence  string   `json:"sentence"`
	Doubts    []string `json:"doubts"`
}

func (c *runComparison) outcome() outcomeJSON {
	return outcomeJSON{c.preferred(), c.reliable(), c.sentence(), append([]string{}, c.doubts()...)}
}

type contenderJSON struct {
	Run        string           `json:"run"`
	Law        string           `json:"law"`
	Proximity  string           `json:"proximity,omitempty"` // of the law ddibp
	Differs    []string         `json:"differs"`
	Features   number           `json:"features"`
	ELPD       number           `json:"elpd_loo"`
	SE         number           `json:"se"`
	P          number           `json:"p_loo"`
	ByChain    []number         `json:"elpd_by_chain"`
	Difference number           `json:"difference"`    // from the best
	Error      number           `json:"difference_se"` // the larger of those over entries and over items
	MCSE       number           `json:"mcse"`          // of the difference
	MaxK       number           `json:"max_good_k"`
	Bad        int              `json:"bad_k"`
	DIC        number           `json:"dic"`
	Evidence   *number          `json:"log_evidence,omitempty"` // that aibd evidence RUN kept
	EvidenceSE *number          `json:"log_evidence_error,omitempty"`
	Note       string           `json:"note,omitempty"`
	Verdict    *verdict.Verdict `json:"verdict"`
}

func (c *runComparison) json() runComparisonJSON {
	best := c.runs[0].Run
	j := runComparisonJSON{Data: best.Spec.Data.Source(), Items: best.Data.N, Columns: best.Data.D, outcomeJSON: c.outcome()}
	for _, p := range c.preferences() {
		j.Evidence = append(j.Evidence, p.Sentence())
	}
	for _, r := range c.runs {
		entry := contenderJSON{
			Run: r.Run.Dir, Law: r.Run.Spec.Prior.Law, Differs: c.differs(r), Features: number(r.features),
			ELPD: number(r.loo.ELPD), SE: number(r.loo.SE), P: number(r.loo.P),
			Difference: number(r.difference), Error: number(r.error), MCSE: number(r.mcse),
			MaxK: number(predict.MaxParetoK(r.Size())), Bad: r.bad(), DIC: number(r.deviance.DIC), Note: r.Note, Verdict: r.Verdict,
		}
		if e := r.evidence; e != nil {
			entry.Evidence, entry.EvidenceSE = new(number(e.Log)), new(number(e.Error))
		}
		if entry.Law == "ddibp" {
			entry.Proximity = r.Run.Spec.Prior.Proximity
		}
		for _, x := range r.loo.ByChain {
			entry.ByChain = append(entry.ByChain, number(x))
		}
		j.Runs = append(j.Runs, entry)
	}
	return j
}

// entries returns a row for each run and entry.
func (c *runComparison) entries() table {
	t := table{{"run", "item", "column", "elpd", "k"}}
	for _, r := range c.runs {
		d := r.Run.Data
		for p, point := range r.loo.Points {
			k := "" // unknown
			if !math.IsInf(point.K, 0) {
				k = cell(point.K)
			}
			at := r.loo.At[p]
			t.add(r.Run.Dir, d.IDs[at[0]], d.Columns[at[1]], cell(point.ELPD), k)
		}
	}
	return t
}
