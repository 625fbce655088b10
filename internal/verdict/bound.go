package verdict

import (
	"fmt"

	"aibd/draws"
	"aibd/internal/words"
)

// bounded returns lines if the draws of q pile up where its prior ends: the data want larger values
// than the prior allows. It returns nil otherwise.
func (q Quantity) bounded(r Run) []string {
	if q.Max == 0 {
		return nil
	}
	above, all, edge := 0, 0, (1-pileWidth)*q.Max
	for _, chain := range q.Chains {
		for _, x := range chain {
			if all++; x > edge {
				above++
			}
		}
	}
	if float64(above) <= pileShare*float64(all) {
		return nil
	}
	line := fmt.Sprintf("The posterior of %s piles up at the maximum of its prior, %s: %s of the draws are in the last tenth",
		q.Name, words.Rounded(q.Max, 3), words.Percent(float64(above)/float64(all)))
	var set string
	switch {
	case r.Latent && q.Key == draws.KeySigmaX:
		line += ". Categories determine only the ratio of SigmaA and SigmaX. Fix SigmaX"
		set = "--set prior.sigma_x.value=1 --set prior.sigma_x.fixed=true"
	case r.Latent && q.Key == draws.KeySigmaA:
		// Without a maximum the latent values could grow without end.
		line += ". Categories do not determine its scale. The number of features depends on this maximum: do not report that number alone. Compare a smaller maximum and a larger one"
		set = "--set prior.sigma_a.max=" + words.Rounded(3*q.Max, 3)
		if r.Dir != "" {
			return []string{
				line + ".",
				fmt.Sprintf("A smaller maximum: aibd fit %s --set prior.sigma_a.max=%s --out %s", Quoted(r.Dir+"/run.json"), words.Rounded(q.Max/3, 1), Quoted(r.Next+"-smaller")),
				fmt.Sprintf("A larger maximum: aibd fit %s %s --out %s", Quoted(r.Dir+"/run.json"), set, Quoted(r.Next)),
			}
		}
	default:
		line += ", and the others are shifted too. Give it a larger maximum, or a prior without one"
		set = fmt.Sprintf("--set prior.%s.mean=%s", q.Key, words.Rounded(q.Max, 3))
	}
	if r.Dir == "" {
		return []string{line + "."}
	}
	return []string{fmt.Sprintf("%s: aibd fit %s %s --out %s", line, Quoted(r.Dir+"/run.json"), set, Quoted(r.Next))}
}
