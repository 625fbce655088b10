package verdict

import (
	"fmt"

	"aibd/internal/words"
)

// bounded returns a line if the draws of q pile up where its prior ends: the data want larger values
// than the prior allows. It returns "" otherwise.
func (q Quantity) bounded(r Run, agreed bool) string {
	if q.Max == 0 {
		return ""
	}
	above, all, from := 0, 0, (1-pileWidth)*q.Max
	for _, chain := range q.Chains {
		for _, x := range chain {
			if all++; x > from {
				above++
			}
		}
	}
	if float64(above) <= pileShare*float64(all) {
		return ""
	}
	line := fmt.Sprintf("The posterior of %s piles up at the maximum of its prior, %s: %s of the draws are in the last tenth, and the others are shifted too. ",
		q.Name, words.Rounded(q.Max, 3), words.Percent(float64(above)/float64(all)))
	setting, value := "mean", q.Max
	if r.Latent {
		// Without a maximum the latent values would grow without end.
		line += "Features separate the categories nearly without error, and the maximum decides how far"
		if agreed {
			return line + "."
		}
		line += ". Chains move faster with a smaller one"
		setting, value = "max", q.Max/3
	} else {
		line += "Give it a larger maximum, or a prior without one"
	}
	if r.Dir == "" {
		return line + "."
	}
	return fmt.Sprintf("%s: aibd fit %s --set prior.%s.%s=%s --out %s", line, Quoted(r.Dir+"/run.json"), q.Key, setting, words.Rounded(value, 3), Quoted(r.Next))
}
