package model

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// answerScales are scales of answers in ascending order. Words of one rank are separated by a bar.
var answerScales = [][]string{
	{"strongly disagree", "disagree", "somewhat disagree|slightly disagree", "neutral|neither|neither agree nor disagree|undecided", "somewhat agree|slightly agree", "agree", "strongly agree"},
	{"very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"},
	{"never", "rarely|seldom", "sometimes", "often|frequently", "usually", "always"},
	{"not at all", "a little|slightly", "somewhat|moderately", "quite a bit|very", "very much|extremely"},
	{"very poor", "poor", "fair", "good", "very good", "excellent"},
	{"none", "very low", "low|mild", "medium|moderate", "high|severe", "very high|very severe"},
}

// ranked sorts labels in the order of a scale that has them all. It reports whether there is such a scale, and no two
// labels have one rank.
func ranked(labels []string) bool {
	for _, scale := range answerScales {
		rank := func(label string) int {
			return slices.IndexFunc(scale, func(words string) bool {
				return slices.Contains(strings.Split(words, "|"), strings.ToLower(strings.TrimSpace(label)))
			})
		}
		if !slices.ContainsFunc(labels, func(label string) bool { return rank(label) < 0 }) {
			slices.SortFunc(labels, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
			return len(lists.Positions(lists.Map(labels, rank))) == len(labels) // no two words of one rank
		}
	}
	return false
}

// minAnswered is the min number of columns, and of kinds of text in them, that look like a questionnaire.
const minAnswered = 3

// answers looks for a questionnaire in the columns that are left out: at least three with the same kinds of text. It
// returns a line that names them and the option that takes them as data, or "".
func (in *Input) answers(leftOut []string) string {
	kinds := map[string][]string{}    // by column
	var answered, sets []string       // columns with few kinds of text, and these kinds, each set once
	labelsOf := map[string][]string{} // kinds by set
	for _, c := range leftOut {
		labels, err := in.labels(c)
		if err != nil || len(labels) < 2 || len(labels) > maxKinds {
			continue
		}
		answered, kinds[c] = append(answered, c), labels
		if set := strings.Join(labels, "\x00"); labelsOf[set] == nil && len(labels) >= minAnswered {
			sets, labelsOf[set] = append(sets, set), labels
		}
	}
	var columns, labels []string
	for _, set := range sets {
		in := lists.Positions(labelsOf[set])
		var matching []string
		for _, c := range answered {
			if !slices.ContainsFunc(kinds[c], func(l string) bool { _, ok := in[l]; return !ok }) {
				matching = append(matching, c)
			}
		}
		if len(matching) >= minAnswered && len(matching) > len(columns) {
			columns, labels = matching, labelsOf[set]
		}
	}
	if columns == nil || strings.ContainsAny(strings.Join(slices.Concat(columns, labels), ""), `,='"*?[\`) {
		return ""
	}
	order := "if their order is ascending"
	if ranked(labels) {
		order = "in this order"
	}
	list := strings.Join(labels, ",")
	return fmt.Sprintf("%s have the same kinds of text: --ordinal '%s' takes them as data, %s", hint.Listed(columns, 3),
		strings.Join(lists.Map(patterns(columns, in.Items.Columns), func(p string) string { return p + "=" + list }), ","), order)
}

// patterns returns a pattern that the given columns match and no other ones of all, or the columns.
func patterns(columns, all []string) []string {
	if len(columns) == 1 {
		return columns
	}
	common := columns[0]
	for _, c := range columns {
		for !strings.HasPrefix(c, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	matched := 0
	for _, c := range all {
		if match, _ := path.Match(common+"*", c); match {
			matched++
			if !slices.Contains(columns, c) {
				return columns
			}
		}
	}
	if matched < len(columns) {
		return columns
	}
	return []string{common + "*"}
}
