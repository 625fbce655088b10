package posterior

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/lglfm"
)

// SignalCovariance returns, for each pair of items, the mean over draws of the centered covariance of
// their signals (lglfm.Loadings.SignalCovariances). The diagonal holds their variances. Unlike Sharing
// it does not depend on which features encode the signals.
// SignalCovariance returns an error if there are no draws or data.Check fails for a draw.
func SignalCovariance(data *lglfm.Data, ds []*draws.Draw) ([][]float64, error) {
	var pairs [][2]int
	for i := range data.N() {
		for j := range i + 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	sums, err := overDraws(data, ds, len(pairs), func() adder {
		values := make([]float64, len(pairs))
		return func(sum []float64, _ *draws.Draw, l *lglfm.Loadings) {
			l.SignalCovariances(pairs, values)
			floats.Add(sum, values)
		}
	})
	if err != nil {
		return nil, err
	}
	mean := lists.Square(data.N())
	for p, pair := range pairs {
		i, j := pair[0], pair[1]
		for _, sum := range sums {
			mean[i][j] += sum[p] / float64(len(ds))
		}
		mean[j][i] = mean[i][j]
	}
	return mean, nil
}

// An adder adds what a draw has, with its loadings, to a sum.
type adder func(sum []float64, d *draws.Draw, l *lglfm.Loadings)

// overDraws returns sums of the given size over parts of the draws, which do not depend on the number of
// cores. It makes an adder for each part.
func overDraws(data *lglfm.Data, ds []*draws.Draw, size int, newAdder func() adder) ([][]float64, error) {
	if len(ds) == 0 {
		return nil, errors.New("found no draws, expected at least one")
	}
	for t, d := range ds {
		if err := data.Check(lglfm.ScalesOf(d)); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
	}
	const parts = 8
	x := data.X()
	sums := make([][]float64, parts)
	parallel.Do(parts, func(part int) {
		l, add := lglfm.NewLoadingsFrom(data, x, 0), newAdder()
		sums[part] = make([]float64, size)
		for t := part; t < len(ds); t += parts {
			if err := l.ResetDraw(ds[t]); err != nil {
				panic("posterior: " + err.Error()) // checked above
			}
			add(sums[part], ds[t], l)
		}
	})
	return sums, nil
}
