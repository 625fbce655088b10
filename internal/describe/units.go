package describe

// Units of columns, distances and temperatures in words.

import (
	"math"
	"strings"

	"aibd/dataset"
	"aibd/internal/spec"
	"aibd/internal/words"
)

// Strangers returns the factor between the similarity of items at distance 1 and that of items at
// distance 0 under the exponential decay.
func Strangers(temperature float64) float64 { return math.Exp(-temperature) }

// UnitOf returns the number by which distances in a unit were divided, and what follows a
// distance without that division, such as km or units of age.
func UnitOf(d spec.Distance, unit string) (per float64, name string) {
	if per = d.Per(); per != 1 {
		unit = strings.TrimPrefix(unit, words.Exact(per)+" ")
	}
	switch name, matrix := strings.CutPrefix(unit, "unit of "); {
	case matrix:
		unit = "in the unit of " + name
	case unit == "day":
		unit = "days"
	case unit != "km" && !strings.HasPrefix(unit, "sd of "):
		unit = "units of " + unit
	}
	return per, unit
}

// TemperatureUnit returns the unit of a temperature: one over that of the distances where their product enters the
// similarity, else none.
func TemperatureUnit(p spec.Prior, distance string) string {
	if distance == "" || p.Decay != "exponential" {
		return ""
	}
	return "per " + distance
}

// Transform describes the steps of a transform in order.
func Transform(t dataset.Transform) string {
	var steps []string
	if len(t.Log) > 0 {
		steps = append(steps, "log of "+strings.Join(t.Log, ", "))
	}
	if len(t.Log1p) > 0 {
		steps = append(steps, "log of 1 + "+strings.Join(t.Log1p, ", "))
	}
	switch {
	case t.Center && t.Scale:
		steps = append(steps, "columns centered and scaled to sd 1")
	case t.Center:
		steps = append(steps, "columns centered")
	case t.Scale:
		steps = append(steps, "columns scaled to sd 1")
	}
	if len(steps) == 0 {
		return "none"
	}
	return strings.Join(steps, "; ")
}
