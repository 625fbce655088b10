package mcmc

import (
	"math/rand/v2"
	"slices"
)

// A mutant is a kernel with one fault. Each must be caught by the joint test, by the
// bound that the right kernels pass.
//
// Mutants are copies of kernels, or wrappers of them, that differ in the fault
// alone. The copies without a fault, the controls, are among the right kernels.
type mutant struct {
	kernel string // whose fault
	wrong  string // what is wrong
	on     model
	make   func() kernel
}

// mutants is the catalogue.
var mutants = slices.Concat(cellMutants, noiseMutants, rowMutants, blockMutants, columnMutants, massMutants, temperatureMutants, permutationMutants, scaleMutants, moveMutants, combinationMutants, weightedMutants)

// controls are the copies without a fault.
var controls = slices.Concat(cellControls, noiseControls, rowControls, blockControls, columnControls, temperatureControls, permutationControls, scaleControls, moveControls, combinationControls)

// subject returns the mutant as a subject of the joint test.
func (m mutant) subject() subject {
	return subject{kernel: m.kernel, what: m.wrong, on: []model{m.on}, make: func(*Posterior) kernel { return m.make() }}
}

// scanMutants are default scans with a mutant instead of the kernel.
var scanMutants = []mutant{
	named("mass", "shape without K", ofIBP),
	named("noise", "scales of the prior", ofNoise),
	named("cutpoints", "a factor of the cells without its Jacobian", ofOrdinal),
	named("rows", "new dishes, mass/p, taken for singletons", ofAIBDFixed),
	named("clusters", "nu left out", ofAIBD),
	named("temperature", "H left out, sequential dd-IBP", ofSequential),
	named("rows", "sequential nu in the symmetric dd-IBP", ofSymmetric),
	{"anneal", "does not end with warmup", ofWide, func() kernel {
		done := 0
		return step(func(_ *rand.Rand, s *target) Info {
			s.SetPower(max(0.01, float64(done)/(100*sbcWarmup)))
			done++
			return Info{}
		})
	}},
	named("sums", "equal columns leave a zero column, which is dropped", ofThree),
}

// aloneMutants are the mutants of the short form that a whole scan hides, or that take many replicates
// of it.
var aloneMutants = []mutant{
	named("cells", "means in place of draws", ofGaps),
	named("cells", "no intercept", ofInterceptGaps),
	named("blocks", "only columns that the item has", ofMany),
	named("combinations", "nu left out", ofOrder),
	named("insert", "one position beside", ofOrder),
	named("noise", "N instead of N - 1, with an intercept", ofNoiseWide),
	named("deviations", "noise scales left as they were", ofWeightedGaps),
	named("shares", "given weights, without the determinant", ofNear),
	named("singletons", "twice the mass", ofWeighted),
	named("columns", "with weights, twice the mass", ofWeighted),
	named("rescale", "loadings without weights", ofWeighted),
	named("shear", "weights moved the wrong way", ofWeightedMany),
	named("weights", "stale loadings, 0 for features that were born", ofWeightedWide),
}

// aloneInShort are kernels whose mutants the short form tests alone: in a scan they need many replicates.
var aloneInShort = []string{"sums", "temperature", "shuffle", "complement"}

// jointScanMutants are default scans with a mutant instead of a kernel, one for each
// other kernel.
var jointScanMutants = []mutant{
	named("rows", "wrong sign of the prior in the ratio", ofAIBD),
	named("clusters", "every proposal accepted", ofIBP),
	named("sums", "every proposal accepted", ofIBP),
	named("columns", "births and deaths without the factors of K", ofIBP),
	named("mass", "rate without H", ofIBP),
	named("temperature", "H left out, symmetric dd-IBP", ofSymmetric),
	named("shuffle", "every proposal accepted", ofOrder),
	named("scales", "wrong sign of the ratio", ofIBP),
	named("complement", "nu left out", ofIntercept),
	named("noise", "one row too many", ofNoise),
	named("bounded", "conditional means in place of draws", ofBinary),
	named("cutpoints", "middles in place of draws", ofOrdinal),
}

// scan returns a default scan with the mutant instead of the kernel as a subject of
// the joint test.
func (m mutant) scan() subject {
	s := scanSubject
	s.what, s.make = m.kernel+": "+m.wrong, func(post *Posterior) kernel {
		return newCycle(m.replace(scanSubject.make(post).(*cycle).kernels)...)
	}
	return s
}

// replace returns the kernels with the mutant instead of the kernel.
func (m mutant) replace(kernels []kernel) []kernel {
	kernels, mutant := slices.Clone(kernels), m.make()
	for i, k := range kernels {
		if k.Name() == m.kernel {
			kernels[i] = mutant
		}
	}
	return kernels
}

// named returns the mutant of that name on another model.
func named(kernel, wrong string, on model) mutant {
	i := slices.IndexFunc(mutants, func(m mutant) bool { return m.kernel == kernel && m.wrong == wrong })
	m := mutants[i]
	m.on = on
	return m
}

// sampler returns a sampler with the mutant instead of the kernel, or first in the
// scan if annealing is at fault.
func (m mutant) sampler() sampler {
	s := sampler{what: m.kernel + ": " + m.wrong, on: m.on}
	if m.kernel == "anneal" {
		s.anneal = annealScans
	}
	s.change = func(kernels []kernel) []kernel {
		if m.kernel == "anneal" {
			return slices.Insert(kernels, 0, m.make())
		}
		return m.replace(kernels)
	}
	return s
}

// step is a kernel given by a function.
type step func(rng *rand.Rand, s *target) Info

func (step) Name() string { return "mutant" }

func (f step) Step(rng *rand.Rand, s *target) Info { return f(rng, s) }

// accept reports whether a proposal of log ratio log is accepted.
func accept(rng *rand.Rand, log float64) bool { return log+rng.ExpFloat64() > 0 }
