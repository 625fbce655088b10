package mcmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// noiseFreedom is the degrees of freedom nu of the prior of a noise scale s: s^2 is inverse
// gamma(nu/2, nu/2). At 2 a scale has the median 1.2 and 90% of its prior between 0.58 and 4.4.
const noiseFreedom = 2

// logNoiseScales returns the log prior density of the noise scales that are unknown.
func logNoiseScales(scales []float64, free []bool) float64 {
	const half = noiseFreedom / 2.0
	constant, _ := math.Lgamma(half)
	constant = math.Ln2 + half*math.Log(half) - constant
	sum := 0.0
	for j, s := range scales {
		if free[j] {
			sum += constant - (2*half+1)*math.Log(s) - half/(s*s)
		}
	}
	return sum
}

// drawNoiseScales draws the noise scales of columns from their prior, nil if there are none.
func (p *Posterior) drawNoiseScales(rng *rand.Rand) []float64 {
	if !p.Data.HasNoiseScales() {
		return nil
	}
	scales := make([]float64, p.Data.D())
	for j, free := range p.Data.FreeNoiseScales() {
		scales[j] = 1
		if free {
			scales[j] = drawNoiseScale(rng, 0, 0)
		}
	}
	return scales
}

// drawNoiseScale draws a noise scale given a quadratic form and a number of rows, see
// collapsed.Noise.Quadratics.
func drawNoiseScale(rng *rand.Rand, quadratic, rows float64) float64 {
	for {
		g := distuv.Gamma{Alpha: (noiseFreedom + rows) / 2, Beta: 1, Src: rng}.Rand()
		if s := math.Sqrt((noiseFreedom + quadratic) / 2 / g); s > 0 && !math.IsInf(s, 1) {
			return s
		}
	}
}

// noise draws the noise scales of the columns of X given the rest, and then moves along the
// direction that leaves the likelihood as it is: SigmaX and SigmaA times a common factor, all
// noise scales over it. Without the second step SigmaX and the mean of the noise scales would
// exchange their parts slowly. It needs both SigmaX and SigmaA random, and all noise scales unknown.
type noise struct {
	free      []bool
	rows      float64 // that the density of a column counts
	exchanges bool
	scales    []float64
}

func newNoise(post *Posterior) *noise {
	k := &noise{free: post.Data.FreeNoiseScales(), rows: float64(post.Data.N()), exchanges: post.SigmaX.Random() && post.SigmaA.Random()}
	if post.Data.Intercept() {
		k.rows--
	}
	k.scales = make([]float64, len(k.free))
	for j, free := range k.free {
		k.scales[j] = 1
		k.exchanges = k.exchanges && free
	}
	return k
}

func (k *noise) Name() string { return "noise" }

// Step does nothing while the likelihood is annealed: with few features yet, a chain would take a
// whole column for noise and keep it so. It always accepts the noise scales. Info counts the exchanges, if there are any.
func (k *noise) Step(rng *rand.Rand, s *target) Info {
	if s.Annealed() {
		return Info{}
	}
	quadratics, power, scales := s.NoiseQuadratics(), s.Power(), s.Scales()
	if quadratics == nil {
		return Info{}
	}
	sum, count := 0.0, 0.0
	for j, free := range k.free {
		if free {
			k.scales[j] = drawNoiseScale(rng, power*quadratics[j], power*k.rows)
			sum += 1 / (k.scales[j] * k.scales[j])
			count++
		}
	}
	info := Info{1, 1}
	if k.exchanges {
		// With a flat prior of SigmaX and SigmaA the factor g has the density
		// g^(2 + nu count - 1) exp(-nu g^2 sum/2): g^2 is a gamma variable. It is the proposal.
		g := math.Sqrt(distuv.Gamma{Alpha: (2 + noiseFreedom*count) / 2, Beta: noiseFreedom * sum / 2, Src: rng}.Rand())
		next := scales
		next.SigmaX *= g
		next.SigmaA *= g
		p := s.post
		log := p.SigmaX.LogDensity(next.SigmaX) - p.SigmaX.LogDensity(scales.SigmaX) +
			p.SigmaA.LogDensity(next.SigmaA) - p.SigmaA.LogDensity(scales.SigmaA)
		if log+rng.ExpFloat64() > 0 {
			scales = next
			for j := range k.scales {
				k.scales[j] /= g
			}
		} else {
			info.Accepted = 0
		}
	}
	s.SetNoise(k.scales, scales)
	return info
}
