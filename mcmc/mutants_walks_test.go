package mcmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/intensity"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// massCopy draws the mass from a gamma of the given shape and rate.
func massCopy(f func(s *target) (shape, rate float64)) func() kernel {
	return func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			shape, rate := f(s)
			s.Mass = distuv.Gamma{Alpha: shape, Beta: rate, Src: rng}.Rand()
			return Info{1, 1}
		})
	}
}

var massMutants = []mutant{
	{"mass", "shape without K", ofAIBD, massCopy(func(s *target) (float64, float64) {
		return s.post.Mass.Shape, s.post.Mass.Rate + s.Law().TotalIntensity()
	})},
	{"mass", "shape with K - 1", ofIBP, massCopy(func(s *target) (float64, float64) {
		return s.post.Mass.Shape + float64(s.Z().K()) - 1, s.post.Mass.Rate + s.Law().TotalIntensity()
	})},
	{"mass", "rate without H", ofIBP, massCopy(func(s *target) (float64, float64) {
		return s.post.Mass.Shape + float64(s.Z().K()), s.post.Mass.Rate
	})},
	{"mass", "H of temperature 0 at every temperature", ofSymmetric, massCopy(func(s *target) (float64, float64) {
		return s.post.Mass.Shape + float64(s.Z().K()), s.post.Mass.Rate + 1
	})},
	{"mass", "prior's rate taken for a scale", ofAIBD, massCopy(func(s *target) (float64, float64) {
		return s.post.Mass.Shape + float64(s.Z().K()), 1/s.post.Mass.Rate + s.Law().TotalIntensity()
	})},
}

// additive is the random walk with a normal step, the right one.
func additive(sd float64) func(*rand.Rand, float64) float64 {
	return func(rng *rand.Rand, x float64) float64 { return x + sd*rng.NormFloat64() }
}

// multiplicative is the random walk on the log scale, or with a step in proportion
// to the value: both need a factor in the ratio that the mutants do without.
func multiplicative(sd float64) func(*rand.Rand, float64) float64 {
	return func(rng *rand.Rand, x float64) float64 { return x * math.Exp(sd*rng.NormFloat64()) }
}

func proportional(sd float64) func(*rand.Rand, float64) float64 {
	return func(rng *rand.Rand, x float64) float64 { return x * (1 + sd*rng.NormFloat64()) }
}

// temperatureTerms are the parts of the log ratio.
type temperatureTerms struct{ now, next, sum, total, prior float64 }

// right is their sum: of log nu, -mass*H and the prior.
func (t temperatureTerms) right() float64 { return t.sum + t.total + t.prior }

// temperatureCopy is Temperature with places for faults.
func temperatureCopy(propose func(*rand.Rand, float64) float64, ratio func(temperatureTerms) float64) func() kernel {
	return func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			next := propose(rng, s.Temperature())
			if !(next > 0) {
				return Info{1, 0}
			}
			sum, h := s.Law().SumLogIntensity(), s.Law().TotalIntensity()
			newSum, newH := s.Propose(next, s.Permutation())
			p := s.post.Temperature
			log := ratio(temperatureTerms{s.Temperature(), next, newSum - sum, -s.Mass * (newH - h), p.LogDensity(next) - p.LogDensity(s.Temperature())})
			if !accept(rng, log) {
				return Info{1, 0}
			}
			s.Accept()
			return Info{1, 1}
		})
	}
}

var temperatureControls = []mutant{
	{"temperature", "a copy without a fault", ofSymmetric, temperatureCopy(additive(stepTemperature), temperatureTerms.right)},
	{"temperature", "a walk on the log scale with its Jacobian", ofSequential, temperatureCopy(multiplicative(0.8), func(t temperatureTerms) float64 {
		return t.right() + math.Log(t.next/t.now)
	})},
}

var temperatureMutants = []mutant{
	{"temperature", "H left out, sequential dd-IBP", ofSequential, temperatureCopy(additive(stepTemperature), func(t temperatureTerms) float64 { return t.sum + t.prior })},
	{"temperature", "H left out, symmetric dd-IBP", ofSymmetric, temperatureCopy(additive(stepTemperature), func(t temperatureTerms) float64 { return t.sum + t.prior })},
	{"temperature", "wrong sign of H", ofSymmetric, temperatureCopy(additive(stepTemperature), func(t temperatureTerms) float64 { return t.sum - t.total + t.prior })},
	{"temperature", "prior left out", ofAIBD, temperatureCopy(additive(stepTemperature), func(t temperatureTerms) float64 { return t.sum + t.total })},
	{"temperature", "wrong sign of the sum of log nu", ofAIBD, temperatureCopy(additive(stepTemperature), func(t temperatureTerms) float64 { return -t.sum + t.total + t.prior })},
	{"temperature", "walk on the log scale without its Jacobian", ofAIBD, temperatureCopy(multiplicative(0.8), temperatureTerms.right)},
	{"temperature", "step in proportion to the value", ofAIBD, temperatureCopy(proportional(0.7), temperatureTerms.right)},
	{"temperature", "law left at the old temperature", ofAIBD, deaf(walkTemperature(stepTemperature))},
	{"temperature", "second temperature moved without the law", ofTwo, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			next := s.Temperatures().Clone()
			next.Tail[0] += stepTemperature * rng.NormFloat64()
			p := s.post.temperaturePrior(1)
			if !(next.Tail[0] > 0) || !accept(rng, p.LogDensity(next.Tail[0])-p.LogDensity(s.Temperatures().Value(1))) {
				return Info{1, 0}
			}
			s.ProposeTemperatures(next, s.Permutation())
			s.Accept()
			return Info{1, 1}
		})
	}},
	{"temperature", "law left at the old second temperature", ofTwo, deaf(walkTemperatures(stepTemperature))},
	{"temperature", "unit of the first distance for the second", ofTwoSymmetric, func() kernel {
		k := walkTemperatures(stepTemperature)
		return step(func(rng *rand.Rand, s *target) Info {
			units := s.post.TemperatureUnits
			s.post.TemperatureUnits = []float64{1, 1}
			defer func() { s.post.TemperatureUnits = units }()
			return k.Step(rng, s)
		})
	}},
	{"temperature", "prior of the first temperature for the second", ofDecays, func() kernel {
		k := walkTemperatures(stepTemperature)
		return step(func(rng *rand.Rand, s *target) Info {
			priors := s.post.FurtherTemperatures
			s.post.FurtherTemperatures = nil
			defer func() { s.post.FurtherTemperatures = priors }()
			return k.Step(rng, s)
		})
	}},
	{"temperature", "decay of the first distance for the second", ofDecays, func() kernel {
		wrong := must(prior.NewAIBD(twoDistances(similarity.Reciprocal{Shift: 0.1}), 1, 1, prior.Identity(len(places))))
		return step(func(rng *rand.Rand, s *target) Info {
			next := s.Temperatures().Clone()
			next.Tail[0] += stepTemperature * rng.NormFloat64()
			if !(next.Tail[0] > 0) {
				return Info{1, 0}
			}
			log := s.post.logTemperatures(next) - s.post.logTemperatures(s.Temperatures())
			z := s.Z().Clone()
			index := func(t intensity.Temperatures) float64 {
				return prior.LogProb(wrong.WithFurtherTemperatures(t.Tail).With(t.First, s.Permutation()), z)
			}
			if !accept(rng, log+index(next)-index(s.Temperatures())) {
				return Info{1, 0}
			}
			s.ProposeTemperatures(next, s.Permutation())
			s.Accept()
			return Info{1, 1}
		})
	}},
	{"temperature", "tuning that never stops and follows the state", ofAIBD, func() kernel {
		k := walkTemperature(stepTemperature)
		return step(func(rng *rand.Rand, s *target) Info {
			k.tuner.Temperature.Step = stepTemperature / s.Temperature()
			return k.Step(rng, s)
		})
	}},
}

// scaleTerms are the parts of the log ratio, and where it is taken.
type scaleTerms struct {
	s                 *target
	next              lglfm.Scales
	likelihood, prior float64
}

func (t scaleTerms) right() float64 { return t.likelihood + t.prior }

// scalesCopy is Scales with places for faults.
func scalesCopy(propose func(*rand.Rand, float64) float64, ratio func(scaleTerms) float64) func() kernel {
	return func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			next := lglfm.Scales{SigmaX: propose(rng, s.Scales().SigmaX), SigmaA: propose(rng, s.Scales().SigmaA)}
			if next.Valid() != nil {
				return Info{1, 0}
			}
			p := s.post
			prior := p.SigmaX.LogDensity(next.SigmaX) - p.SigmaX.LogDensity(s.Scales().SigmaX) +
				p.SigmaA.LogDensity(next.SigmaA) - p.SigmaA.LogDensity(s.Scales().SigmaA)
			now, then := s.LogLikAt(s.Scales()), s.LogLikAt(next)
			if !accept(rng, ratio(scaleTerms{s, next, then - now, prior})) {
				return Info{1, 0}
			}
			s.SetScales(next)
			return Info{1, 1}
		})
	}
}

// logDet returns log det(Z'Z + rI).
func logDet(s *target, scales lglfm.Scales) float64 {
	k := s.Z().K()
	if k == 0 {
		return 0
	}
	r := scales.SigmaX * scales.SigmaX / (scales.SigmaA * scales.SigmaA)
	gram := mat.NewSymDense(k, nil)
	for a := range k {
		for b := range a + 1 {
			sum := 0.0
			for i := range s.Z().N() {
				if s.Z().Has(i, a) && s.Z().Has(i, b) {
					sum++
				}
			}
			if a == b {
				sum += r
			}
			gram.SetSym(a, b, sum)
		}
	}
	log, _ := mat.LogDet(gram)
	return log
}

var scaleControls = []mutant{
	{"scales", "a copy without a fault", ofUniform, scalesCopy(additive(stepScale), scaleTerms.right)},
}

var scaleMutants = []mutant{
	{"scales", "prior left out", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 { return t.likelihood })},
	{"scales", "likelihood left out", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 { return t.prior })},
	{"scales", "wrong sign of the ratio", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 { return -t.right() })},
	{"scales", "every proposal accepted", ofUniform, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		if math.IsInf(t.prior, -1) {
			return t.prior
		}
		return 0
	})},
	{"scales", "walk on the log scale without its Jacobian", ofIBP, scalesCopy(multiplicative(0.4), scaleTerms.right)},
	{"scales", "step in proportion to the value", ofUniform, scalesCopy(proportional(0.4), scaleTerms.right)},
	{"scales", "SigmaX and SigmaA exchanged in the likelihood", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		swap := func(s lglfm.Scales) lglfm.Scales { return lglfm.Scales{SigmaX: s.SigmaA, SigmaA: s.SigmaX} }
		return t.s.LogLikAt(swap(t.next)) - t.s.LogLikAt(swap(t.s.Scales())) + t.prior
	})},
	{"scales", "log det for one variable too many", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		return t.right() - (logDet(t.s, t.next)-logDet(t.s, t.s.Scales()))/2
	})},
	{"scales", "K D log SigmaA left out", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		return t.right() + float64(t.s.Z().K()*t.s.post.Data.D())*math.Log(t.next.SigmaA/t.s.Scales().SigmaA)
	})},
	{"scales", "N instead of N - K", ofIBP, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		return t.right() - float64(t.s.Z().K()*t.s.post.Data.D())*math.Log(t.next.SigmaX/t.s.Scales().SigmaX)
	})},
	{"scales", "N instead of N - 1, with an intercept", ofIntercept, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		return t.right() - float64(t.s.post.Data.D())*math.Log(t.next.SigmaX/t.s.Scales().SigmaX)
	})},
	{"scales", "prior of the cutpoints left out", ofOrdinal, scalesCopy(additive(stepScale), scaleTerms.right)},
	{"scales", "prior of the noise scales left out", ofNoise, scalesCopy(additive(stepScale), scaleTerms.right)},
	{"scales", "normalizers of the noise scales left out", ofNoise, scalesCopy(additive(stepScale), func(t scaleTerms) float64 {
		if math.IsInf(t.s.LogPriorAt(t.next), -1) {
			return math.Inf(-1)
		}
		return t.right()
	})},
	{"scales", "tuning that never stops and follows the state", ofXAlone, func() kernel {
		k := walkScales(stepScale, stepScale, 0)
		return step(func(rng *rand.Rand, s *target) Info {
			k.tuner.Scales.X = stepScale / (s.Scales().SigmaX * s.Scales().SigmaX)
			return k.Step(rng, s)
		})
	}},
}
