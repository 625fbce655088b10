package exhibits

// The table of expected sharing.

import (
	"fmt"

	"aibd/internal/lists"
)

// printedSharing holds the paper's values for each pair at each of tableTemperatures.
var printedSharing = [][]float64{
	{0.54, 0.53, 0.48, 0.47, 0.53, 0.48, 0.48, 0.48, 0.48, 0.53},
	{0.65, 0.61, 0.39, 0.39, 0.61, 0.39, 0.39, 0.41, 0.40, 0.67},
	{0.72, 0.59, 0.35, 0.35, 0.61, 0.36, 0.36, 0.40, 0.39, 0.73},
}

func makeSharing(j *job) error {
	p := fiveStates()
	j.result.About = "Exact expected number of features that two of the five states share under the AIBD, mass 1, exponential similarity, averaged over all orders of arrival by dynamic programming over sets of states."
	curves, err := j.averagedSharing(aibd, p, tableTemperatures, 0)
	if err != nil {
		return err
	}
	header := append([]string{"pair"}, lists.Map(tableTemperatures, func(t float64) string { return fmt.Sprintf("temperature %v", t) })...)
	rows := lists.Map(p.pairs(), func(pair [2]int) []Cell {
		return append([]Cell{word(p.pairName(pair))}, lists.Map(curves, func(s shared) Cell { return fixed(s.sharingOf(pair), 4) })...)
	})
	for m, t := range tableTemperatures {
		for i, pair := range p.pairs() {
			j.compare(fmt.Sprintf("%s, temperature %v", p.pairName(pair), t), printedSharing[m][i], 2, curves[m].sharingOf(pair), 0)
		}
	}
	mean := append([]Cell{word("mean over pairs")}, lists.Map(curves, func(s shared) Cell { return fixed(s.mean, 4) })...)
	j.table("sharing", "Expected number of shared features", header, append(rows, mean))
	all := j.result.Compared
	j.find("Of the %d printed values compared, %d agree to two decimals.", len(all), agreeing(all))
	for _, c := range all {
		if !c.agrees() {
			j.find("%s: the paper prints %.2f. The exact value is %.4f, which rounds to %.2f. The printed value is wrong in its last digit.", c.What, c.Printed, c.Found, c.Found)
		}
	}
	j.find("The mean over pairs is %.4f, %.4f and %.4f. This is close to mass/2 = 0.5, as the paper found by simulation, but not equal. Equality holds at temperature 0, and for at most three items.", curves[0].mean, curves[1].mean, curves[2].mean)
	return nil
}
