package cli

// The sections of a report.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/internal/picture"
	"aibd/internal/report"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/posterior"
)

// answer answers the questions that a reader has first.
func (r *part) answer() {
	trust := []report.Block{report.Verdict{Good: r.OnLarge, Line: r.Line()}}
	for _, line := range append(r.Reasons(), r.summary.Note, r.limit()) {
		if line != "" {
			trust = append(trust, report.Text(line))
		}
	}
	if len(r.Try) > 0 {
		trust = append(trust, report.Text("Try, in this order:"), report.Commands(r.Try))
	}
	r.add(report.Answer{Question: "Can the chains be trusted?", Blocks: trust})
	r.say("Numbers below: " + results.FoundLegend + ".")
	ask := func(question string, lines ...string) {
		if len(lines) > 0 {
			r.add(report.Answer{Question: question, Blocks: []report.Block{report.List(lines)}})
		}
	}
	ask("How much do the features explain?", r.Answers.Noise...)
	ask("Which features are there?", r.Answers.Features...)
	ask("Does distance matter?", r.distanceAnswer()...)
	ask("Which cells are latent or unknown?", r.Answers.Unknown...)
	ask("Which posteriors repeat their prior?", r.Answers.Repeats...)
	ask("How many features are there?", r.Answers.Number...)
}

// distanceAnswer says whether distance matters, or why the run cannot answer.
func (r *reported) distanceAnswer() []string {
	if lines := r.Answers.Distance; lines != nil {
		return lines
	}
	if r.sharing.Distances() == nil && r.Run.Spec.Distance.Kind == "none" {
		return []string{"No distance was given (--distance)."}
	}
	if !r.Run.Spec.HasTemperature() {
		return []string{fmt.Sprintf("This run cannot say: its prior, the %s, has no temperature (aibd compare compares priors).", r.Run.Spec.LawName())}
	}
	return []string{fmt.Sprintf("This run cannot say: the temperature is fixed at %v.", *r.Run.Spec.Distances()[0].Temperature.Value)}
}

// maxRows and maxNames are the max numbers of items in a table and in a list of a report.
const (
	maxRows  = 1000
	maxNames = 8
)

// firstRows says that a table has only the first items, or nothing.
func firstRows(items int) string {
	if items <= maxRows {
		return ""
	}
	return fmt.Sprintf(": the first %d of %d items", maxRows, items)
}

// allocation shows Z of the estimate.
func (r *part) allocation() {
	e := r.estimate
	r.say(e.headline() + ". " + e.lossMeaning())
	if e.Z.K() == 0 {
		return
	}
	t := table{{"item", "features", "which"}}
	for i, name := range e.Items[:min(len(e.Items), maxRows)] {
		var which []string
		for k := range e.Z.K() {
			if e.Z.Has(i, k) {
				which = append(which, strconv.Itoa(k+1))
			}
		}
		t.add(name, strconv.Itoa(len(which)), strings.Join(which, ", "))
	}
	legend := e.legend() + e.loadingsLegend()
	r.picture("z", e.headline()+".")
	if _, err := r.gallery.Places(); err == nil {
		r.picture("map", e.headline()+".")
	}
	r.details("Each item with its features", report.Table{Caption: "Features of each item in the estimate" + firstRows(len(e.Items)), Rows: t})
	r.details("Each feature with its certainty", report.Table{Caption: "Features of the estimate", Legend: sentences(legend), Rows: e.table()})
}

// features shows the features: who has each, which variables it moves, how sure that is.
func (r *part) features() {
	e := r.estimate
	var cards report.Cards
	card := func(title string, facts ...report.Fact) {
		facts = slices.DeleteFunc(facts, func(f report.Fact) bool { return f.Text == "" })
		cards = append(cards, report.Card{Title: title, Blocks: []report.Block{report.Facts(facts)}})
	}
	single := table{{"feature: item", "share of draws", "percent", "what it moves"}}
	for k := range e.Z.K() {
		moves := e.Clear(&e.Loadings[k], reportedLoadings)
		inside, outside := e.holders(k)
		if e.Z.Size(k) == 1 {
			single.add(strconv.Itoa(k+1)+": "+e.Items[inside[0]], words.Percent(e.Share[k][inside[0]]), words.Fixed(e.PartOf(k).Median(), 1), moves)
			continue
		}
		title := fmt.Sprintf("Feature %d: %s", k+1, plural(e.Z.Size(k), "item")) + ", " + e.Size(k)
		if e.Certain(k) && e.OnLarge {
			title += ", certain"
		}
		who := report.Fact{Name: "Who has it (share of the draws)", Text: e.withShares(k, inside)}
		if e.Weights != nil {
			who = report.Fact{Name: "Who has it, by weight", Text: e.withWeights(k)}
		}
		card(title,
			report.Fact{Name: "What it moves: mean (sd)", Text: moves},
			who,
			report.Fact{Name: "Who else has it in a quarter of the draws or more", Text: e.withShares(k, outside)},
			report.Fact{Name: "How sure", Text: e.sure(k)})
	}
	if line := e.Groups(); line != "" {
		r.say(line)
	}
	if len(e.Loadings) > 0 {
		r.picture("features", e.headline()+".")
		r.picture("loadings", "Feature 1: "+e.Clear(&e.Loadings[0], reportedLoadings)+".")
	}
	if e.Intercept != nil {
		r.add(report.Answer{Question: "The intercept", Blocks: []report.Block{report.Facts{{Name: "What all items have", Text: e.Clear(e.Intercept, reportedLoadings)}}}})
	}
	if len(cards) > 0 {
		r.add(cards)
	}
	if len(single)-1 == e.Z.K() {
		r.say("The estimate has no features of several items.")
	}
	if len(single) > 1 {
		r.add(report.Table{Caption: "Features of a single item", Rows: single})
	}
}

// reportedLoadings is the number of loadings of each feature in a report.
const reportedLoadings = 6

// holders returns the items of a feature, and the other items that have it in at least a
// quarter of the draws, those of most draws first.
func (e estimate) holders(k int) (inside, outside []int) {
	for i, share := range e.Share[k] {
		if e.Z.Has(i, k) {
			inside = append(inside, i)
		} else if share >= 0.25 {
			outside = append(outside, i)
		}
	}
	byShare := func(a, b int) int { return cmp.Compare(e.Share[k][b], e.Share[k][a]) }
	slices.SortStableFunc(inside, byShare)
	slices.SortStableFunc(outside, byShare)
	return inside, outside
}

// withShares names items with the shares of draws that give them a feature.
func (e estimate) withShares(k int, items []int) string {
	var b strings.Builder
	count := len(items) - maxNames
	items = items[:min(len(items), maxNames)]
	for n, i := range items {
		share := words.Percent(e.Share[k][i])
		b.WriteString(e.Items[i])
		switch {
		case n+1 == len(items):
			b.WriteString(" (" + share + ")")
		case share == words.Percent(e.Share[k][items[n+1]]):
			b.WriteString(", ")
		default:
			b.WriteString(" (" + share + "); ")
		}
	}
	if count > 0 {
		fmt.Fprintf(&b, "; and %d more", count)
	}
	return b.String()
}

// withWeights names items of a feature with their weights, the largest first.
func (e estimate) withWeights(k int) string {
	items := e.Surest(k)
	shown := lists.Map(items[:min(len(items), maxNames)], func(i int) string {
		return e.Beside(i, words.Fixed(e.Weights[k][i], 2))
	})
	line := strings.Join(shown, ", ")
	if count := len(items) - len(shown); count > 0 {
		line += fmt.Sprintf(", and %d more", count)
	}
	return line
}

// sentences joins the lines of a legend.
func sentences(legend string) string {
	return strings.NewReplacer(";\n", "; ", "\n", "; ").Replace(strings.TrimSpace(legend))
}

// sure says in how many draws items have a feature.
func (e estimate) sure(k int) string {
	_, inside, outside := e.Sureness(k)
	line := fmt.Sprintf("On average %s of the draws give it to an item that has it here", words.Percent(inside))
	if !math.IsNaN(outside) {
		line += fmt.Sprintf(" and %s to another item", words.Percent(outside))
	}
	return fmt.Sprintf("%s. Of the draws, %s have it, and of the chains %d.", line, words.Percent(e.PartOf(k).Found), e.PartOf(k).Chains)
}

// bySharing shows how many features items share, by distance and by pair.
func (r *part) bySharing() {
	s := r.sharing
	if len(s.Items) < 2 {
		r.say("The run has one item, so it has no pairs.")
		return
	}
	if len(r.Run.Data.Weights) > 0 {
		r.picture("correlogram", strings.Join(r.Answers.Distance, " "))
	}
	for m, sharing := range s.Distances() {
		d := distanceSharing{sharing, s.Sharing}
		r.say(d.sentence())
		if m == 0 {
			r.picture("sharing-distance", d.sentence())
		}
		r.add(report.Table{Caption: "Features that a pair shares, by " + d.Measure, Legend: d.legend(), Rows: d.table()})
	}
	if len(r.Distances) > 1 {
		r.picture("temperatures", strings.Join(r.Answers.Distance, " "))
	}
	pairs := pairsBy(s.Mean)
	r.say(s.average())
	r.picture("sharing", s.average()+" Most: "+s.Items[pairs[0][0]]+" and "+s.Items[pairs[0][1]]+".")
	r.details("The pairs that share most", report.Table{Caption: "Pairs of items", Legend: sentences(sharedLegend), Rows: s.table(first(20, pairs))})
}

// medians lists the medians and intervals of the quantities that are not fixed.
func (r *reported) medians() string {
	var parts []string
	for _, q := range r.Quantities {
		if q.Kind != verdict.Fixed {
			parts = append(parts, q.Label()+" "+results.WithInterval(r.Verdict, q.Chains))
		}
	}
	return "Medians (90% intervals): " + strings.Join(parts, ", ") + "."
}

// priors compares the posterior of each unknown with its prior.
func (r *part) priors() {
	t := table{{"", "prior 5%", "50%", "95%", "posterior 5%", "50%", "95%", "overlap"}}
	for _, q := range r.Quantities {
		if !q.Unknown {
			continue
		}
		prior := r.Prior(q.Key)
		if prior == nil {
			t.add(q.Label(), "fixed at "+words.Significant(q.Chains[0][0], 4))
			continue
		}
		summary := posterior.Summarize(q.Chains)
		star := ""
		if r.Marks(summary) {
			star = "*"
		}
		row := []string{q.Label()}
		for _, p := range []float64{0.05, 0.5, 0.95} {
			row = append(row, words.Significant(prior.Quantile(p), 3))
		}
		t.add(append(row, words.Significant(summary.Q5, 3), words.Significant(summary.Q50, 3)+star, words.Significant(summary.Q95, 3), words.Percent(results.Overlap(q.Chains, prior.Quantile)))...)
	}
	r.add(report.List(r.Answers.Repeats))
	r.picture("density", r.medians())
	r.add(report.Table{Caption: "Quantiles under the prior and in the draws", Legend: "overlap: share of the posterior that the prior has too, by tenths of the prior; from " + words.Percent(verdict.Repeated) + " the posterior repeats its prior. * if the chains disagree.", Rows: t})
}

// fits shows how well the features reproduce X.
func (r *part) fits() {
	switch line := r.estimate.explained(); {
	case line != "":
		r.say(line)
		r.picture("fit", line)
	default:
		r.say("There is no explained share: all columns have categories, counts or limits.")
	}
	if r.unchecked == nil {
		r.say(r.checked.Sentence())
		r.figure(picture.Checks(r.Judged, r.checked), "replicates of X against X", r.checked.Sentence())
		if t, _ := misfits(r.checked); len(t) > 1 {
			r.add(report.Table{Caption: "What the model does not reproduce", Legend: r.checked.Legend(), Rows: t})
		}
	} else {
		r.say(fmt.Sprintf("%v.", r.unchecked))
	}
	fit := r.estimate.Fit
	block := func(what string, names []string, shares []posterior.Share) report.Block {
		t := table{{what, "explained", "sd"}}
		for i, s := range shares[:min(len(shares), maxRows)] {
			t.add(names[i], words.Fixed(s.Mean, 3), words.Fixed(s.SD, 3))
		}
		return report.Table{Caption: "Share of " + r.estimate.Squares() + " that the features explain, by " + what + firstRows(len(names)), Rows: t}
	}
	r.details("The fit by variable and by item", block("variable", r.estimate.Variables, fit.Variables), block("item", r.estimate.Items, fit.Items))
}

// diagnostics shows the draws of each chain and what they say about convergence.
func (r *part) diagnostics() {
	r.say(r.Line())
	r.add(report.Table{Caption: "The draws of each quantity", Legend: fmt.Sprintf("MCSE: Monte Carlo standard error of the mean. Chains agree if R-hat is at most %v and ESS at least %d.", verdict.MaxRHat, verdict.MinESS), Rows: r.table(nil)}, report.List(r.remarks()))
	r.picture("trace", r.Line())
	r.picture("rank", r.Line())
	blocks := []report.Block{report.List(r.devianceLines())}
	if len(r.Kernels) > 0 {
		blocks = append(blocks, report.Table{Caption: "Share of proposals accepted after warmup", Rows: r.kernelTable()})
	}
	r.details("Acceptance and deviance", blocks...)
}

// described says what was fitted, and how to repeat it.
func (r *part) described() {
	var facts report.Facts
	t := describe.Model(r.Problem)
	t.Add("Chains", describe.Chains(r.Run.Spec.Sampler))
	for _, l := range t {
		facts = append(facts, report.Fact{Name: l.Label, Text: l.Text})
	}
	r.add(facts, report.Text("The same draws again:"), report.Commands{{Line: "aibd fit " + verdict.Quoted(r.Run.Dir+"/run.json"), Why: "needs the same version of aibd"}})
}
