package mcmc

import (
	"math/rand/v2"
	"slices"
)

// A mutant is a kernel with one fault. Each must be caught by the joint test, at the
// level at which the right kernels pass.
//
// Mutants are copies of kernels, or wrappers of them, that differ in the fault
// alone. The copies without a fault, the controls, are among the right kernels.
type mutant struct {
	kernel string // whose fault
	wrong  string // what is wrong
	on     model
	make   func() Kernel
}

// mutants is the catalogue.
var mutants = slices.Concat(rowMutants, columnMutants, massMutants, temperatureMutants, permutationMutants, scaleMutants, moveMutants, combinationMutants)

// controls are the copies without a fault.
var controls = slices.Concat(rowControls, columnControls, temperatureControls, permutationControls, scaleControls, moveControls, combinationControls)

// subject returns the mutant as a subject of the joint test.
func (m mutant) subject() subject {
	return subject{kernel: m.kernel, what: m.wrong, on: []model{m.on}, make: func(*Posterior) Kernel { return m.make() }}
}

// scanMutants are default scans with a mutant in the place of the kernel, the first
// of them for the samplers in their order.
var scanMutants = []mutant{
	named("mass", "shape without K", ofIBP),
	named("rows", "new dishes, mass/p, taken for singletons", ofAIBDFixed),
	named("clusters", "nu left out", ofAIBD),
	named("temperature", "H left out, sequential dd-IBP", ofSequential),
	named("rows", "sequential nu in the symmetric dd-IBP", ofSymmetric),
	{"anneal", "does not end with warmup", ofWide, func() Kernel { return fixed{&Anneal{scans: 100 * sbcWarmup, on: true}} }},
	named("sums", "equal columns leave a zero column, which is dropped", ofThree),
}

// named returns the mutant of that name on another model.
func named(kernel, wrong string, on model) mutant {
	i := slices.IndexFunc(mutants, func(m mutant) bool { return m.kernel == kernel && m.wrong == wrong })
	m := mutants[i]
	m.on = on
	return m
}

// sampler returns a scan with the mutant in it, one with annealing if that is at fault,
// as a subject of simulation-based calibration.
func (m mutant) sampler() sampler {
	scan := defaultScan
	if m.kernel == "anneal" {
		scan = warmedScan
	}
	return sampler{m.kernel + ": " + m.wrong, m.on, func(post *Posterior) *Cycle {
		kernels := slices.Clone(scan(post).kernels)
		mutant := m.make()
		for i, k := range kernels {
			if k.Name() == m.kernel {
				kernels[i] = mutant
			}
		}
		return NewCycle(kernels...)
	}}
}

// step is a kernel given by what it does.
type step func(rng *rand.Rand, s *State) Info

func (step) Name() string { return "mutant" }

func (f step) Step(rng *rand.Rand, s *State) Info { return f(rng, s) }

// accept reports whether a proposal of log ratio log is accepted.
func accept(rng *rand.Rand, log float64) bool { return log+rng.ExpFloat64() > 0 }
