package results

import "aibd/lglfm"

// Fitted returns the posterior mean of the fitted values ZB, by item and variable, with B the
// mean of the loadings given the draw, over at most the given number of draws. X must be
// there.
func (j *Judged) Fitted(most int) ([][]float64, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	from := Thinned(j.Chains, most)
	fitted := make([][]float64, len(j.Seen.X))
	for i := range fitted {
		fitted[i] = make([]float64, len(j.Seen.X[i]))
	}
	l := lglfm.NewLoadings(data, j.Seen.X)
	row := make([]float64, len(j.Run.Data.Columns))
	for _, d := range from {
		if err := l.ResetDraw(d); err != nil {
			return nil, err
		}
		for i := range fitted {
			l.Fitted(i, row)
			for v, x := range row {
				fitted[i][v] += x / float64(len(from))
			}
		}
	}
	return fitted, nil
}
