package exhibits

// Expected sharing against the temperature under three laws, of 5 and of 50 states.

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"

	"aibd/internal/figure"
)

// lawTemperatures are the temperatures of the curves of 50 states.
func lawTemperatures(j *job) []float64 {
	if j.Quick {
		return steps(5, 1)
	}
	return steps(5, 4)
}

// sharingDraws is the number of draws that estimate the sharing of 50 states.
func sharingDraws(j *job, k kind) int {
	if k == symmetric { // of allocations, which vary more than permutations
		return j.size(40_000, 100)
	}
	return j.size(4000, 20)
}

// meanSentence states the mean over pairs and whether it differs from mass/2.
func meanSentence(s shared) string {
	sentence := fmt.Sprintf("%.4f at temperature %v", s.mean, s.temperature)
	switch off := math.Abs(s.mean-0.5) / s.meanErr; {
	case s.meanErr == 0:
		return sentence + " (exact)"
	case off < 3:
		return sentence + fmt.Sprintf(" (standard error %.4f: not distinguishable)", s.meanErr)
	default:
		return sentence + fmt.Sprintf(" (%.0f standard errors away)", off)
	}
}

func makeLaws(j *job) error {
	j.result.About = fmt.Sprintf("Expected number of features that each pair shares, for the five states and for all 50 (arrests and urban population, centered and scaled), mass 1, exponential similarity. AIBD and sequential dd-IBP are averaged over the order of arrival: exactly for 5 states, over %d random orders for 50. The symmetric dd-IBP has no order; it is exact for 5 states and estimated from %d draws for 50.", sharingDraws(j, aibd), sharingDraws(j, symmetric))
	g := &grid{columns: 3, margin: 12 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 48 * vg.Millimeter,
		legend: []entry{{"mean over pairs", line(color.Black, 1.6)}, {"mass/2", dashed(color.Black, 0.7)}, {"near pair", line(figure.Sequential(0), 1)}, {"far pair", line(figure.Sequential(1), 1)}}}
	sets := []places{fiveStates(), somePlaces()}
	header := []string{"law", "states", "temperature", "mean over pairs", "standard error", "less mass/2", "in standard errors"}
	var rows [][]Cell
	var farthest []string
	for _, p := range sets {
		n := len(p.names)
		temperatures := lawTemperatures(j)
		if n == 5 && !j.Quick {
			temperatures = steps(5, 20)
		}
		for _, k := range kinds {
			curves, err := j.averagedSharing(k, p, temperatures, sharingDraws(j, k))
			if err != nil {
				return err
			}
			name := fmt.Sprintf("laws-%s-%d", k.key(), n)
			j.numbers(name, fmt.Sprintf("Expected sharing, %v, %d states", k, n), pairHeader(p), pairRows(curves))
			c := newCurves(p, curves)
			if k == aibd {
				farthest = append(farthest, fmt.Sprintf("%.2f to %.2f", c.low, c.high))
			}
			label := ""
			if k == aibd {
				label = "expected shared features"
			}
			pl := axes("temperature", label, 0, 5, 0, 1)
			alpha, width := uint8(0xff), 1.0
			if n > 5 {
				alpha, width = 0x70, 0.3
			}
			c.add(pl, alpha, width)
			addCurve(pl, []float64{0, 5}, []float64{0.5, 0.5}, dashed(color.Black, 0.7))
			g.panels = append(g.panels, panel{title: fmt.Sprintf("%v, %d states", k, n), plot: pl})
			var means []string
			for _, s := range curves {
				if s.temperature != math.Trunc(s.temperature) {
					continue
				}
				off := s.mean - 0.5
				apart := word("–")
				if s.meanErr > 1e-12 {
					apart = fixed(off/s.meanErr, 1)
				}
				rows = append(rows, []Cell{word(k.String()), count(n), fixed(s.temperature, 0), fixed(s.mean, 5), fixed(s.meanErr, 5), fixed(off, 5), apart})
				if k == aibd && s.temperature > 0 {
					means = append(means, meanSentence(s))
				}
			}
			if k == aibd {
				j.find("AIBD, %d states: the mean over pairs is %s; the IBP has mass/2 = 0.5. The paper found the two equal by simulation. They are close. They are not equal where the value is exact or several standard errors away.", n, strings.Join(means, ", "))
			}
		}
	}
	j.table("laws", "Mean over pairs of the expected sharing (a standard error of 0: exact)", header, rows)
	j.find("Under the dd-IBP, sharing falls to zero as temperature rises, because the link of an item to itself outweighs its links to others. Under the AIBD, sharing moves from distant pairs to close ones.")
	g.add(j, "laws", fmt.Sprintf("Expected number of shared features of each pair against temperature, mass 1. Upper row: 5 states (distances %s). Lower row: 50 states (%s). Color runs from the smallest of these distances to the largest.", farthest[0], farthest[1]))
	return nil
}
