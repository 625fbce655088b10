package mcmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// noiseCopy is noise by dense matrices, with places for faults.
type noiseCopy struct {
	rows      float64 // beyond those of the density
	prior     bool    // draws from the prior
	observed  bool    // only rows of observed cells
	unbounded bool    // ignores the bounds on the noise
	jacobian  float64 // added to the shape of the exchange
	loadings  bool    // the exchange leaves SigmaA
	flat      bool    // the prior of the scales is not in the exchange
	whole     bool    // the normalizers of the noise scales are not in the exchange
}

func (noiseCopy) Name() string { return "mutant" }

func (k noiseCopy) Step(rng *rand.Rand, s *target) Info {
	data, scales, n := collapsed.Unwrap(s.post.Data), s.Scales(), s.N()
	current := data.Detach()
	u := s.Unknowns()
	if err := current.SetValues(u.Cells); err != nil {
		panic(err)
	}
	precision := precisionOf(s)
	x, missing := current.Completed(), map[[2]int]bool{}
	for _, cell := range current.UnknownCells() {
		missing[cell] = true
	}
	noise := u.NoiseScales
	sum, count, rows := 0.0, 0.0, float64(n)
	if data.Intercept() {
		rows--
	}
	for j, free := range data.FreeNoiseScales() {
		if !free {
			continue
		}
		column := mat.NewVecDense(n, nil)
		size := rows + k.rows
		for i := range n {
			column.SetVec(i, x[i][j])
			if k.observed && missing[[2]int{i, j}] {
				size--
			}
		}
		quadratic := mat.Inner(column, precision, column)
		if k.prior {
			size, quadratic = 0, 0
		}
		shape, rate, share := 1+size/2, 1+quadratic/2, 1.0
		if b := data.NoiseBounds()[j]; b > 0 && !k.unbounded {
			share = mathext.GammaIncReg(shape, rate*math.Pow(scales.SigmaX/b, 2))
		}
		noise[j] = math.Sqrt(rate / mathext.GammaIncRegInv(shape, share*rng.Float64()))
		sum += 1 / (noise[j] * noise[j])
		count++
	}
	if int(count) == data.D() {
		g := math.Sqrt(distuv.Gamma{Alpha: 1 + count + k.jacobian, Beta: sum, Src: rng}.Rand())
		next := lglfm.Scales{SigmaX: scales.SigmaX * g, SigmaA: scales.SigmaA * g}
		if k.loadings {
			next.SigmaA = scales.SigmaA
		}
		log := s.post.SigmaX.LogDensity(next.SigmaX) - s.post.SigmaX.LogDensity(scales.SigmaX) +
			s.post.SigmaA.LogDensity(next.SigmaA) - s.post.SigmaA.LogDensity(scales.SigmaA)
		if k.flat {
			log = 0
		}
		for _, b := range data.NoiseBounds() {
			if b > 0 && !k.whole {
				log += math.Log(math.Expm1(-math.Pow(scales.SigmaX/b, 2)) / math.Expm1(-math.Pow(next.SigmaX/b, 2)))
			}
		}
		if accept(rng, log) {
			scales = next
			for j := range noise {
				noise[j] /= g
			}
		}
	}
	s.SetNoise(noise, scales)
	return Info{1, 1}
}

// precisionOf returns the precision of a column of X over its noise scale, with an intercept that of
// the flat prior.
func precisionOf(s *target) *mat.SymDense {
	c := enumerated{scales: s.Scales(), intercept: s.post.Data.Intercept()}
	precision, _ := c.precision(s.Z().Clone())
	return precision
}

var noiseControls = []mutant{
	{"noise", "a copy without a fault", ofNoise, func() kernel { return noiseCopy{} }},
}

var noiseMutants = []mutant{
	{"noise", "one row too many", ofNoise, func() kernel { return noiseCopy{rows: 1} }},
	{"noise", "N instead of N - 1, with an intercept", ofNoiseWide, func() kernel { return noiseCopy{rows: 1} }},
	{"noise", "no Jacobian", ofNoise, func() kernel { return noiseCopy{rows: -6} }},
	{"noise", "scales of the prior", ofNoise, func() kernel { return noiseCopy{prior: true} }},
	{"noise", "rows of observed cells with all cells", ofNoise, func() kernel { return noiseCopy{observed: true} }},
	{"noise", "exchange without the Jacobian of SigmaX and SigmaA", ofNoiseWide, func() kernel { return noiseCopy{jacobian: -1} }},
	{"noise", "exchange that leaves SigmaA", ofNoise, func() kernel { return noiseCopy{loadings: true} }},
	{"noise", "exchange without the priors of SigmaX and SigmaA", ofNoise, func() kernel { return noiseCopy{flat: true} }},
	{"noise", "exchange without the normalizers of the noise scales", ofNoise, func() kernel { return noiseCopy{whole: true} }},
	{"noise", "bounds ignored", ofNoise, func() kernel { return noiseCopy{unbounded: true} }},
}
