// Package prospect says what a law and the priors say before data are seen: how many features there are, which
// items share them, how probable allocations are, and what X looks like.
package prospect

import (
	"fmt"

	"aibd/internal/describe"
	"aibd/internal/model"
	"aibd/internal/words"
	"aibd/prior"
)

// LawLine describes a law and its parameters in one line.
func LawLine(p *model.PriorProblem) string {
	line := family(p)
	if p.Spec.HasTemperature() {
		law := p.Law.(prior.Attraction)
		line += fmt.Sprintf(", temperature %v", law.Temperature())
		for _, t := range law.FurtherTemperatures() {
			line += fmt.Sprintf(" and %v", t)
		}
	}
	return line
}

// family describes a law without its temperature.
func family(p *model.PriorProblem) string {
	return fmt.Sprintf("%s; %s, mass %v", describe.Law(p.Spec, append([]model.Measured{{Unit: p.Unit}}, p.FurtherDistances...)), words.Plural(p.Law.N(), "item"), p.Law.Mass())
}

// Names returns the names of the items, their numbers from 1 if they have none.
func Names(p *model.PriorProblem) []string {
	if p.IDs != nil {
		return p.IDs
	}
	return words.Numbered("", p.Law.N())
}

// Averaged returns the law to average over permutations. It is nil if the permutation is
// not random or the law does not depend on it.
func Averaged(p *model.PriorProblem) prior.Attraction {
	if !p.Spec.Prior.HasPermutation() || p.Spec.Prior.Permutation.Kind != "random" {
		return nil
	}
	return p.Law.(prior.Attraction)
}
