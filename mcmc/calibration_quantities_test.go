package mcmc

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/lglfm"
)

// testQuantity is a function of unknowns and data whose distribution under a
// sampler is compared with the true one. It does not depend on the order of the
// columns, which carries no meaning. Log likelihood and log prior are those that
// the state reports, kept by the kernels; a reference state has computed them
// afresh, so that a stale one shows.
type testQuantity struct {
	name string
	f    func(*target) float64
}

// testQuantities returns those that vary under the model.
func (m model) testQuantities() []testQuantity {
	n, p := m.n, m.post
	qs := []testQuantity{
		{"log likelihood", (*target).LogLik},
		{"log prior", (*target).LogPrior},
		{"error of the log prior", lawError},
		{"log joint", func(s *target) float64 { return s.LogLik() + s.LogPrior() }},
		{"features", func(s *target) float64 { return float64(s.Z().K()) }},
		{"ones", func(s *target) float64 { return float64(s.Z().Ones()) }},
		{"singletons", func(s *target) float64 { return float64(sizes(s, func(size int) int { return btoi(size == 1) })) }},
		{"squared sizes", func(s *target) float64 { return float64(sizes(s, func(size int) int { return size * size })) }},
		{"equal columns", func(s *target) float64 { return s.Z().LogMultiplicities() }},
		{"features of the first item", func(s *target) float64 { return float64(s.Z().RowSum(0)) }},
		{"features of the last item", func(s *target) float64 { return float64(s.Z().RowSum(n - 1)) }},
		{"sharing of the first two", func(s *target) float64 { return float64(s.Z().Shared(0, 1)) }},
		{"sharing of first and last", func(s *target) float64 { return float64(s.Z().Shared(0, n-1)) }},
		{"log likelihood by features", func(s *target) float64 { return (s.LogLik() + 15) * float64(s.Z().K()) }},
	}
	if p.Mass != nil {
		qs = append(qs,
			testQuantity{"mass", func(s *target) float64 { return s.Mass }},
			testQuantity{"score of mass", func(s *target) float64 { return float64(s.Z().K()) - s.Mass*s.Law().TotalIntensity() }})
	}
	if p.SigmaX.Random() {
		qs = append(qs,
			testQuantity{"SigmaX", func(s *target) float64 { return s.Scales().SigmaX }},
			testQuantity{"score of SigmaX", func(s *target) float64 {
				return logLikAt(s, lglfm.Scales{SigmaX: 1.2 * s.Scales().SigmaX, SigmaA: s.Scales().SigmaA}) - s.LogLik()
			}})
	}
	if p.SigmaA.Random() {
		qs = append(qs,
			testQuantity{"SigmaA", func(s *target) float64 { return s.Scales().SigmaA }},
			testQuantity{"score of SigmaA", func(s *target) float64 {
				return logLikAt(s, lglfm.Scales{SigmaX: s.Scales().SigmaX, SigmaA: 1.2 * s.Scales().SigmaA}) - s.LogLik()
			}},
			testQuantity{"features by SigmaA", func(s *target) float64 { return float64(s.Z().K()) * s.Scales().SigmaA }})
	}
	if p.SigmaX.Random() && p.SigmaA.Random() {
		qs = append(qs, testQuantity{"SigmaX over SigmaA", func(s *target) float64 { return s.Scales().SigmaX / s.Scales().SigmaA }})
	}
	if p.Temperature != nil {
		qs = append(qs,
			testQuantity{"temperature", func(s *target) float64 { return s.Temperature() }},
			testQuantity{"score of temperature", func(s *target) float64 { return other(s, 1.2*s.Temperature(), s.Permutation()) }},
			testQuantity{"temperature by ones", func(s *target) float64 { return (s.Temperature() - 1) * float64(s.Z().Ones()) }})
	}
	for d := range p.TemperatureUnits {
		qs = append(qs, testQuantity{fmt.Sprintf("temperature %d by sharing of the first two", d+1), func(s *target) float64 {
			return s.Temperatures().Value(d) * float64(1+s.Z().Shared(0, 1))
		}})
	}
	if p.TemperatureUnits != nil {
		qs = append(qs,
			testQuantity{"second temperature", func(s *target) float64 { return s.Temperatures().Value(1) }},
			testQuantity{"score of the second temperature", func(s *target) float64 {
				t := s.Temperatures().Clone()
				t.Tail[0] *= 1.2
				sum, h := s.Law().SumLogIntensity(), s.Law().TotalIntensity()
				newSum, newH := s.ProposeTemperatures(t, s.Permutation())
				return newSum - sum - s.Mass*(newH-h)
			}},
			testQuantity{"ratio of temperatures", func(s *target) float64 { return s.Temperature() / s.Temperatures().Value(1) }})
	}
	if m.gaps != nil || m.ends != nil {
		cell := func(s *target, c int) float64 { return contrasts(s)[c] }
		qs = append(qs,
			testQuantity{"first unknown cell", func(s *target) float64 { return cell(s, 0) }},
			testQuantity{"last unknown cell", func(s *target) float64 { return cell(s, len(s.Unknowns().Cells)-1) }},
			testQuantity{"first unknown cell squared", func(s *target) float64 { return cell(s, 0) * cell(s, 0) }},
			testQuantity{"product of two unknown cells of a column", func(s *target) float64 { return cell(s, 0) * cell(s, m.d) }},
			testQuantity{"squared unknown cells over SigmaX", func(s *target) float64 {
				sum := 0.0
				for _, v := range contrasts(s) {
					sum += v * v
				}
				return sum / (s.Scales().SigmaX * s.Scales().SigmaX)
			}},
			testQuantity{"log likelihood of the observed cells", func(s *target) float64 {
				if s.Weighted() != nil {
					return s.Weighted().LogObserved()
				}
				return lglfm.LogLik(s.post.Data, s.Z().Clone(), s.Scales())
			}})
	}
	if p.Features.weights() {
		weights := func(s *target) []float64 { return s.Unknowns().Weights }
		qs = append(qs,
			testQuantity{"sum of weights", func(s *target) float64 { return floats.Sum(weights(s)) }},
			testQuantity{"sum of squared weights", func(s *target) float64 { w := weights(s); return floats.Dot(w, w) }},
			testQuantity{"weights of the first item, squared", func(s *target) float64 {
				u, sum := s.Unknowns(), 0.0
				for _, w := range u.Z.Weighted(nil, u.Weights)[:u.Z.K()] {
					sum += w * w
				}
				return sum
			}},
			testQuantity{"product of the signals of the first two items", func(s *target) float64 {
				u, sum := s.Unknowns(), 0.0
				g, k := u.Z.Weighted(nil, u.Weights), u.Z.K()
				for a := range k {
					sum += g[a] * g[k+a]
				}
				return sum * s.Scales().SigmaA * s.Scales().SigmaA
			}},
			testQuantity{"squared weights of single items", func(s *target) float64 {
				u, sum, index := s.Unknowns(), 0.0, 0
				for k := range u.Z.K() {
					if u.Z.Size(k) == 1 {
						sum += u.Weights[index] * u.Weights[index]
					}
					index += u.Z.Size(k)
				}
				return sum
			}})
	}
	if p.Weights != nil {
		shares := func(s *target) []float64 { return s.Unknowns().Shares.Shares }
		qs = append(qs,
			testQuantity{"common share", func(s *target) float64 { return shares(s)[0] }},
			testQuantity{"own share", func(s *target) float64 { return draws.OwnShare(shares(s)) }},
			testQuantity{"common share by ones", func(s *target) float64 { return shares(s)[0] * float64(s.Z().Ones()) }},
			testQuantity{"common share by product of the signals", func(s *target) float64 {
				u := s.Unknowns()
				g, k := u.Z.Weighted(nil, u.Weights), u.Z.K()
				return (shares(s)[0] - 0.3) * floats.Dot(g[:k], g[k:2*k])
			}},
			testQuantity{"log density of the weights", func(s *target) float64 { return s.Weighted().LogWeights() }})
		for m, n := range p.Weights.Near {
			qs = append(qs,
				testQuantity{fmt.Sprintf("near share %d", m+1), func(s *target) float64 { return shares(s)[1+m] }},
				testQuantity{fmt.Sprintf("near share %d by product of the last two", m+1), func(s *target) float64 {
					u := s.Unknowns()
					g, k := u.Z.Weighted(nil, u.Weights), u.Z.K()
					return (shares(s)[1+m] - 0.3) * floats.Dot(g[(n.Distances.N()-2)*k:(n.Distances.N()-1)*k], g[(n.Distances.N()-1)*k:])
				}})
			if n.MaxRate > n.MinRate {
				qs = append(qs, testQuantity{fmt.Sprintf("log rate %d", m+1), func(s *target) float64 { return math.Log(s.Unknowns().Shares.Rates[m]) }})
			}
		}
	}
	if m.levels != nil {
		last := func(s *target) float64 { return slices.Max(s.Unknowns().Cutpoints) }
		qs = append(qs,
			testQuantity{"first cutpoint", func(s *target) float64 { return s.Unknowns().Cutpoints[0] }},
			testQuantity{"largest cutpoint", last},
			testQuantity{"largest cutpoint over SigmaX", func(s *target) float64 { return last(s) / s.Scales().SigmaX }},
			testQuantity{"first cutpoint of the largest", func(s *target) float64 { return s.Unknowns().Cutpoints[0] / last(s) }})
	}
	if m.noise != nil {
		last := func(s *target) float64 { return s.NoiseScales()[m.d-1] }
		qs = append(qs,
			testQuantity{"noise scale of the last column", last},
			testQuantity{"noise of the last column", func(s *target) float64 { return s.Scales().SigmaX * last(s) }},
			testQuantity{"noise scale by SigmaA", func(s *target) float64 { return s.Scales().SigmaA / last(s) }},
			testQuantity{"min noise scale", func(s *target) float64 { return slices.Min(s.NoiseScales()) }})
		if m.noise(0) {
			qs = append(qs, testQuantity{"ratio of noise scales", func(s *target) float64 { return s.NoiseScales()[0] / last(s) }})
		}
	}
	if p.Permutation {
		qs = append(qs,
			testQuantity{"position of the first item", func(s *target) float64 { return float64(slices.Index(s.Permutation(), 0)) }},
			testQuantity{"score of the permutation", func(s *target) float64 {
				reverse := slices.Clone(s.Permutation())
				slices.Reverse(reverse)
				return other(s, s.Temperature(), reverse)
			}},
			testQuantity{"distance of two items in the order", func(s *target) float64 {
				return math.Abs(float64(slices.Index(s.Permutation(), 0) - slices.Index(s.Permutation(), 1)))
			}},
			testQuantity{"features of the first to arrive", func(s *target) float64 { return float64(s.Z().RowSum(s.Permutation()[0])) }},
			testQuantity{"columns of the first to arrive", func(s *target) float64 {
				sum := 0
				for k := range s.Z().K() {
					if s.Z().Has(s.Permutation()[0], k) {
						sum += s.Z().Size(k)
					}
				}
				return float64(sum)
			}})
	}
	return qs
}

// logLikAt returns the log likelihood at other scales: of the observed cells with noise scales of 1, or,
// for features with weights, of all cells at the noise scales.
func logLikAt(s *target, scales lglfm.Scales) float64 {
	if s.Weighted() != nil {
		return s.LogLikAt(scales)
	}
	return lglfm.LogLik(s.post.Data, s.Z().Clone(), scales)
}

// lawError returns by how much the reported probability of Z is off, in units in
// which rounding errors are 0. A value that is out of date may have the distribution of one
// that is up to date, so that nothing else shows it.
func lawError(s *target) float64 {
	t := intensity.Unwrap(s.law()).Tracker()
	t.Reset(s.Z().Clone())
	sum := s.Law().SumLogIntensity() - t.SumLogIntensity() - s.Mass*(s.Law().TotalIntensity()-t.TotalIntensity())
	return math.Round(1e4 * sum)
}

// other returns by how much the log probability of Z would change under another
// temperature and permutation. A proposal that is not accepted leaves no trace.
func other(s *target, temperature float64, perm []int) float64 {
	sum, h := s.Law().SumLogIntensity(), s.Law().TotalIntensity()
	newSum, newH := s.Propose(temperature, perm)
	return newSum - sum - s.Mass*(newH-h)
}

// sizes adds f over the sizes of the columns.
func sizes(s *target, f func(size int) int) int {
	sum := 0
	for k := range s.Z().K() {
		sum += f(s.Z().Size(k))
	}
	return sum
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// contrasts returns the unknown cells, with an intercept less the first item, whose cells are
// observed: its flat prior says nothing of the cells themselves.
func contrasts(s *target) []float64 {
	values, data := s.Unknowns().Cells, collapsed.Unwrap(s.post.Data)
	if !data.Intercept() {
		return values
	}
	first := data.Completed()[0]
	for c, cell := range data.UnknownCells() {
		values[c] -= first[cell[1]]
	}
	return values
}
