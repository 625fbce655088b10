package verdict

import (
	"fmt"

	"aibd/internal/words"
)

// bounded returns a line if the draws of q pile up where its prior ends: the data want larger values
// than the prior allows. It returns "" otherwise.
func (q Quantity) bounded(r Run) string {
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
	line := fmt.Sprintf("The posterior of %s piles up at the maximum of its prior, %s: %s of the draws are in the last tenth, and the others are shifted too. Give it a larger maximum, or a prior without one",
		q.Name, words.Rounded(q.Max, 3), words.Percent(float64(above)/float64(all)))
	if r.Dir == "" {
		return line + "."
	}
	return fmt.Sprintf("%s: aibd fit %s --set prior.%s.mean=%s --out %s", line, Quoted(r.Dir+"/run.json"), q.Key, words.Rounded(q.Max, 3), Quoted(r.Next))
}
