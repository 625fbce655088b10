package model

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

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

// ranked sorts labels as a scale of answers has them, and reports whether one has them all.
func ranked(labels []string) bool {
	for _, scale := range answerScales {
		rank := func(label string) int {
			return slices.IndexFunc(scale, func(words string) bool {
				return slices.Contains(strings.Split(words, "|"), strings.ToLower(strings.TrimSpace(label)))
			})
		}
		if !slices.ContainsFunc(labels, func(label string) bool { return rank(label) < 0 }) {
			slices.SortFunc(labels, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
			return true
		}
	}
	return false
}

// minAnswered is the min number of columns, and of kinds of text in them, that look like a questionnaire.
const minAnswered = 3

// answers returns a line on at least three columns among those left out whose kinds of text are those of one of them, "" if
// there are none, and the option that takes them as data.
func (in *Input) answers(leftOut []string) string {
	var columns, labels []string
	for _, of := range leftOut {
		kinds, err := in.labels(of)
		if err != nil || len(kinds) < minAnswered || len(kinds) > maxKinds {
			continue
		}
		var same []string
		for _, c := range leftOut {
			if other, err := in.labels(c); err == nil && len(other) > 1 && !slices.ContainsFunc(other, func(l string) bool { return !slices.Contains(kinds, l) }) {
				same = append(same, c)
			}
		}
		if len(same) >= minAnswered && len(same) > len(columns) {
			columns, labels = same, kinds
		}
	}
	if columns == nil || strings.ContainsAny(strings.Join(slices.Concat(columns, labels), ""), `,='"*?[\`) {
		return ""
	}
	order := "if this order ascends"
	if ranked(labels) {
		order = "in this order"
	}
	list := strings.Join(labels, ",")
	return fmt.Sprintf("%s have the same kinds of text: --ordinal '%s' takes them as data, %s", hint.Listed(columns, 3),
		strings.Join(lists.Of(in.patterns(columns), func(p string) string { return p + "=" + list }), ","), order)
}

// patterns returns a pattern that only the given columns match, or the columns.
func (in *Input) patterns(columns []string) []string {
	common := columns[0]
	for _, c := range columns {
		for !strings.HasPrefix(c, common) {
			common = common[:len(common)-1]
		}
	}
	pattern := common + "*"
	for _, c := range in.Items.Columns {
		if match, _ := path.Match(pattern, c); match && !slices.Contains(columns, c) {
			return columns
		}
	}
	return []string{pattern}
}
