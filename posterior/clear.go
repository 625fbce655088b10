package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
)

// ClearSharing returns, for each pair of items, the mean over draws of the number of features that both
// have with a clear part: |w_ik w_jk| |a_k|^2 is above a fraction of the noise variance SigmaX^2. Weights
// are 1 if features are binary. |a_k|^2 is the mean over the variables of the expected squared loading
// given the draw, over the squared noise scale. The diagonal holds the features of each item whose own
// part is clear. SignalCovariance has the same other arguments and returns the same errors.
func ClearSharing(data *lglfm.Data, ds []*draws.Draw, fraction float64) ([][]float64, error) {
	n := data.N()
	sums, err := overDraws(data, ds, n*n, func() adder {
		return func(sum []float64, d *draws.Draw, l *lglfm.Loadings) {
			g, k := d.Z.Weighted(nil, d.Weights), d.Z.K()
			for a := range k {
				size := 0.0
				for v, mean := range l.Mean(a) {
					scale := lglfm.NoiseScale(d, v)
					size += (mean*mean + l.Variance(a, v)) / (scale * scale * float64(data.D()))
				}
				least := fraction * d.SigmaX * d.SigmaX / size
				members := d.Z.Members(nil, a)
				for _, i := range members {
					for _, j := range members {
						if math.Abs(g[i*k+a]*g[j*k+a]) > least {
							sum[i*n+j]++
						}
					}
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	mean := lists.Square(n)
	for _, sum := range sums {
		for i := range mean {
			floats.AddScaled(mean[i], 1/float64(len(ds)), sum[i*n:(i+1)*n])
		}
	}
	return mean, nil
}
