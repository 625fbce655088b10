package mcmc

// Starts at the factors of a factor analysis.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/factors"
	"aibd/lglfm"
	"aibd/prior"
)

// InitOf returns how the features of a chain, numbered from zero, are drawn at its start by default. Features with
// weights start from unlike places: chains with even numbers have none, and the others as many factors as the data allow.
// The first learn features and the second forget them, so that both see modes that the other ones may not find.
func (p *Posterior) InitOf(chain int) Init {
	if p.Features.weights() && chain%2 == 1 {
		return InitFactors
	}
	return InitEmpty
}

// startAtFactors completes a start. Its features are the factors of factors.Analyze. An item has a feature if its score
// makes its cells likelier than a score of 0 does, with a normal prior of the score. The scales are those of the loadings and of
// what the features leave, unless they are given, and missing cells have the values that the features predict.
func (p *Posterior) startAtFactors(rng *rand.Rand, s Start, given lglfm.Scales) (Start, error) {
	if !p.Features.weights() {
		return s, fmt.Errorf("start at factors: found %s features, expected features with weights", Binary)
	}
	_, law, err := p.unknowns(s)
	if err != nil {
		return s, fmt.Errorf("start: %w", err)
	}
	data := collapsed.Unwrap(p.Data)
	x, missing := data.Completed(), data.MissingCells()
	for _, cell := range missing {
		x[cell[0]][cell[1]] = math.NaN()
	}
	a := factors.Analyze(rng, x)
	loadings := s.setFactors(law, a)

	fitted := fitOf(a.Mean, loadings, s.Z, s.Weights)
	for _, cell := range missing {
		x[cell[0]][cell[1]] = fitted[cell[0]][cell[1]]
	}
	for _, cell := range data.UnknownCells() {
		s.Cells = append(s.Cells, x[cell[0]][cell[1]])
	}
	noise := a.Noise // at least what is left, in all items
	for v := range noise {
		squares := 0.0
		for i := range x {
			e := x[i][v] - fitted[i][v]
			squares += e * e
		}
		noise[v] = max(noise[v], math.Sqrt(squares/float64(len(x))))
	}
	p.setScales(&s, noise, loadings, given)
	if p.Mass != nil {
		s.Mass = Gamma{p.Mass.Shape + float64(s.Z.K()), p.Mass.Rate + law.TotalIntensity()}.rand(rng)
	}
	return s, nil
}

// setFactors sets the features and the weights of a start, and returns the loadings.
func (s *Start) setFactors(law prior.Law, a *factors.Analysis) (loadings [][]float64) {
	n := law.N()
	s.Z, s.Weights = feature.New(n), []float64{}
	for k, loading := range a.Loadings {
		precision := 0.0
		for v, l := range loading {
			precision += l * l / (a.Noise[v] * a.Noise[v])
		}
		items, squares := make([]uint64, (n+63)/64), 0.0
		for i, scores := range a.Scores {
			if w := scores[k]; w*w*precision > math.Log1p(precision) {
				items[i>>6] |= 1 << (uint(i) & 63)
			}
		}
		if !slices.ContainsFunc(items, func(word uint64) bool { return word != 0 }) {
			continue
		}
		if items = Supported(law, items); items == nil {
			continue
		}
		s.Z.AppendColumn(items)
		size := float64(s.Z.Size(s.Z.K() - 1))
		for i := range feature.Items(items) {
			squares += a.Scores[i][k] * a.Scores[i][k] / size
		}
		unit := math.Sqrt(squares)
		for i := range feature.Items(items) {
			s.Weights = append(s.Weights, a.Scores[i][k]/unit)
		}
		for v := range loading {
			loading[v] *= unit
		}
		loadings = append(loadings, loading)
	}
	return loadings
}

// fitOf returns what features explain.
func fitOf(mean []float64, loadings [][]float64, z *feature.Allocation, weights []float64) [][]float64 {
	fitted := make([][]float64, z.N())
	for i := range fitted {
		fitted[i] = slices.Clone(mean)
	}
	for k, loading := range loadings {
		for i := range feature.Items(z.Column(k)) {
			for v, l := range loading {
				fitted[i][v] += weights[0] * l
			}
			weights = weights[1:]
		}
	}
	return fitted
}

// setScales sets the scales and the noise scales of a start, those that are not given, by the noise of the columns and by
// the loadings.
func (p *Posterior) setScales(s *Start, noise []float64, loadings [][]float64, given lglfm.Scales) {
	const nearest = 100 // of SigmaX to SigmaA
	data := collapsed.Unwrap(p.Data)
	free, lower := data.FreeNoiseScales(), data.NoiseBounds()
	var some []float64
	for v := range noise {
		if free == nil || free[v] {
			some = append(some, noise[v])
		}
	}
	if given.SigmaX == 0 && len(some) > 0 {
		s.Scales.SigmaX = p.SigmaX.within(median(some))
		if given.SigmaA != 0 {
			s.Scales.SigmaX = max(s.Scales.SigmaX, given.SigmaA/nearest)
		}
	}
	if free != nil {
		s.NoiseScales = make([]float64, len(noise))
		for v := range noise {
			if s.NoiseScales[v] = 1; free[v] {
				s.NoiseScales[v] = max(noise[v], lower[v]) / s.Scales.SigmaX
			}
		}
	}
	if given.SigmaA == 0 && len(loadings) > 0 {
		squares := 0.0
		for _, loading := range loadings {
			for v, l := range loading {
				if free != nil {
					l /= s.NoiseScales[v]
				}
				squares += l * l
			}
		}
		size := math.Sqrt(squares / float64(len(loadings)*len(noise)))
		s.Scales.SigmaA = p.SigmaA.within(min(max(size, s.Scales.SigmaX/nearest), nearest*s.Scales.SigmaX))
	}
}

// within returns the value at which the prior has a density that is nearest to x.
func (p ScalePrior) within(x float64) float64 {
	if p.Max != 0 {
		return min(x, 0.99*p.Max)
	}
	return x
}
