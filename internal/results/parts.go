package results

// What features add to the fitted values, the largest first.

import (
	"cmp"
	"fmt"
	"slices"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/posterior"
)

// A Part is a feature of an estimate, or several that are identified only as a group, up to rotation.
type Part struct {
	posterior.Part
	Percent [][]float64 // what it adds to the fitted values, of all that features add, by chain and draw
	Found   float64     // the share of draws in which it is found: their overlap is at least verdict.Alike
	Chains  int         // in which it is found in at least half of the draws
}

// arrange puts the features of the parts into the order of their sizes, finds where the parts are found, which features
// are certain and how many of the draws have each item. It returns the new order of the features.
func (e *Estimate) arrange(m *posterior.Matching, parts []posterior.Part) (order []int) {
	chains := len(e.Chains)
	e.certain = certain(e.Estimate, m)
	e.Share = shares(e.Estimate, m)
	for _, p := range parts {
		length := len(p.Overlap) / chains
		part := Part{Part: p}
		for c := range chains {
			count := 0.0
			for _, overlap := range p.Overlap[c*length:][:length] {
				if overlap >= verdict.Alike {
					count++
				}
			}
			part.Found += count / float64(len(p.Overlap))
			if 2*count >= float64(length) {
				part.Chains++
			}
			part.Percent = append(part.Percent, lists.Map(p.Share[c*length:][:length], func(x float64) float64 { return 100 * x }))
		}
		e.Parts = append(e.Parts, part)
	}
	slices.SortStableFunc(e.Parts, func(a, b Part) int { return cmp.Compare(b.Median(), a.Median()) })
	for p := range e.Parts {
		features := e.Parts[p].Features
		e.Parts[p].Features = lists.Make(len(features), func(n int) int { return len(order) + n })
		order = append(order, features...)
	}
	e.Estimate, e.certain = ordered(e.Estimate, order), lists.Pick(e.certain, order)
	return order
}

// Median returns the median of Percent.
func (p Part) Median() float64 { return posterior.Quantile(slices.Concat(p.Percent...), 0.5) }

// shares returns, by feature and item, the share of draws whose matched feature has the item.
func shares(e *posterior.Estimate, m *posterior.Matching) [][]float64 {
	return lists.Make(e.Z.K(), func(k int) []float64 {
		share := make([]float64, e.Z.N())
		m.Each(k, func(draw int, items []uint64) {
			for i := range feature.Items(items) {
				share[i] += 1 / float64(len(m.Matches))
			}
		})
		return share
	})
}

// certain returns, by feature, whether verdict.Certain of the draws at least have each of its items in a feature that
// overlaps with it by as much. No feature of nearly all items with weights is certain: where a weight is near 0, draws
// disagree on who has it.
func certain(e *posterior.Estimate, m *posterior.Matching) []bool {
	return lists.Make(e.Z.K(), func(k int) bool {
		if e.Weights != nil && float64(e.Z.Size(k)) > nearlyAll*float64(e.Z.N()) {
			return false
		}
		count := make([]float64, e.Z.N())
		m.Each(k, func(draw int, items []uint64) {
			if m.Overlap(draw, []int{k}) < verdict.Certain {
				return
			}
			for i := range feature.Items(items) {
				count[i]++
			}
		})
		for i := range feature.Items(e.Z.Column(k)) {
			if count[i] < verdict.Certain*float64(len(m.Matches)) {
				return false
			}
		}
		return true
	})
}

// nearlyAll is the share of the items above which a feature with weights says how much, not who.
const nearlyAll = 0.85

// Certain reports whether a feature is certain: nearly all draws give it to its items.
func (e *Estimate) Certain(k int) bool { return e.certain[k] }

// Groups says which features are identified only as a group, "" for none.
func (e *Estimate) Groups() string {
	var groups []string
	for _, p := range e.Parts {
		if len(p.Features) > 1 {
			groups = append(groups, p.Name())
		}
	}
	if groups == nil {
		return ""
	}
	line := words.And(groups)
	return "F" + line[1:] + " are identified only as a group, up to rotation: the data determine what they add together, not what each adds."
}

// PartOf returns the part of a feature.
func (e *Estimate) PartOf(k int) Part {
	return e.Parts[slices.IndexFunc(e.Parts, func(p Part) bool { return slices.Contains(p.Features, k) })]
}

// Size says what a feature adds, or what its group adds: "29 (20 to 36) percent".
func (e *Estimate) Size(k int) string {
	p := e.PartOf(k)
	if len(p.Features) > 1 {
		return WithInterval(e.Verdict, p.Percent) + " percent as the group of " + p.Name()
	}
	return WithInterval(e.Verdict, p.Percent) + " percent"
}

// Name names the features of a part by their numbers.
func (p Part) Name() string {
	first, last := p.Features[0]+1, p.Features[len(p.Features)-1]+1
	switch len(p.Features) {
	case 1:
		return fmt.Sprintf("feature %d", first)
	case 2:
		return fmt.Sprintf("features %d and %d", first, last)
	}
	return fmt.Sprintf("features %d to %d", first, last)
}

// small reports whether a part is one of those that are shown together: one feature of at most two items, and any part
// that adds less than verdict.Small or that no chain has.
func (e *Estimate) small(p Part) bool {
	return p.Chains == 0 || len(p.Features) == 1 && e.Z.Size(p.Features[0]) <= 2 || p.Median() < 100*verdict.Small
}

// maxParts is the max number of parts that the summary names.
const maxParts = 12

// BySize describes the parts, a line each, and the small ones in one line.
func (e *Estimate) BySize() (lines []string) {
	var small [][]float64 // percent that the parts leave that have a line
	features, items := 0, 0
	for _, p := range e.Parts {
		if e.small(p) || len(lines) == maxParts {
			features += len(p.Features)
			for _, k := range p.Features {
				items = max(items, e.Z.Size(k))
			}
			continue
		}
		lines = append(lines, e.line(p, len(lines) == 0)+".")
		if small == nil {
			small = lists.MapRows(p.Percent, func(float64) float64 { return 100 })
		}
		for c, chain := range p.Percent {
			for t, x := range chain {
				small[c][t] -= x
			}
		}
	}
	if features == 0 {
		return lines
	}
	line := words.Plural(features, "feature")
	switch {
	case items <= 1:
		line += " of one item"
	case items == 2:
		line += " of one or two items"
	default:
		line += fmt.Sprintf(" of at most %d items", items)
	}
	line += ", small or in few draws"
	if small != nil {
		line += ", and those of single draws, explain " + WithInterval(e.Verdict, small) + " percent"
	}
	return append(lines, line+".")
}

// line describes a part: its size, who has it, what it moves, and in how many chains it is found.
func (e *Estimate) line(p Part, first bool) string {
	line := p.Name()
	line = "F" + line[1:]
	line += ", " + WithInterval(e.Verdict, p.Percent) + " percent"
	if first {
		line += " of what all features explain"
	}
	if len(p.Features) == 1 {
		line += ": " + e.Describe(p.Features[0], shownItems, shownLoadings)
	} else {
		line += ", identified only as a group, up to rotation: " + e.describeGroup(p)
	}
	star := ""
	if p.Chains < len(e.Chains) {
		star = "*"
	}
	line += fmt.Sprintf("; in %d%s of %s", p.Chains, star, words.Plural(len(e.Chains), "chain"))
	if len(p.Features) == 1 && e.Certain(p.Features[0]) && e.OnLarge {
		line += ", certain"
	}
	return line
}

// shownItems and shownLoadings are how many items and loadings of a feature the summary names. Of a group it names variables
// with leastShare at least.
const (
	shownItems    = 6
	shownLoadings = 4
	leastShare    = 0.05
)

// describeGroup names the items to which a group of features adds most, and the variables that it moves most.
func (e *Estimate) describeGroup(p Part) string {
	largest := func(names []string, values []float64, n int) []int {
		order := permutation.Identity(len(values))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
		return order[:min(n, len(order))]
	}
	count := 0
	for i := range e.Z.N() {
		if slices.ContainsFunc(p.Features, func(k int) bool { return e.Z.Has(i, k) }) {
			count++
		}
	}
	largestItems := lists.Pick(e.Items, largest(e.Items, p.Items, shownItems))
	var variables []string
	for _, v := range largest(e.Variables, p.Variables, shownLoadings) {
		if p.Variables[v] >= leastShare {
			variables = append(variables, e.Variables[v]+" "+words.Percent(p.Variables[v]))
		}
	}
	if variables == nil {
		variables = []string{"at most " + words.Percent(slices.Max(p.Variables))}
	}
	return fmt.Sprintf("%s, most %s; by variable %s", words.Plural(count, "item"), words.And(largestItems), words.And(variables))
}
