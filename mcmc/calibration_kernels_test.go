package mcmc

// The kernels under test, alone. A kernel that moves only some unknowns can be
// tested alone: the others keep their distribution.

// Steps that suit the priors of the models.
const (
	stepTemperature = 0.8
	stepScale       = 0.35
)

var kernelSubjects = append([]subject{
	{kernel: "cells", what: "Gibbs", on: []model{ofWideGaps, ofInterceptGaps},
		make: func(*Posterior) kernel { return cells }},
	{kernel: "bounded", what: "Gibbs", on: []model{ofBinary, ofEnds, ofOrdinal, ofNoiseLimits, ofTally, ofRoots, ofCounts},
		make: func(*Posterior) kernel { return bounded }},
	{kernel: "cutpoints", what: "slices", on: []model{ofOrdinal},
		make: func(*Posterior) kernel { return cutpoints }},
	{kernel: "noise", what: "Gibbs and exchange", on: []model{ofNoise, ofNoiseWide, ofNoiseLimits, ofCounts, ofNoiseBinary, ofNoiseOrdinal},
		make: func(post *Posterior) kernel { return newNoise(post) }},
	{kernel: "rows", what: "exact singletons", on: []model{ofIntercept, ofGaps, ofInterceptGaps, ofWideGaps, ofNoise, ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide, ofBusy},
		make: func(*Posterior) kernel { return exactRows() }},
	{kernel: "blocks", what: "of 3 columns", on: []model{ofGaps, ofInterceptGaps, ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide, ofBusy, ofMany},
		make: func(*Posterior) kernel { return &blocks{size: 3} }},
	{kernel: "clusters", what: "of the tree", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide},
		make: func(post *Posterior) kernel { return newClusters(post.Data, 2) }},
	{kernel: "sums", what: "and differences", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofMany},
		make: func(*Posterior) kernel { return &sums{tries: 4} }},
	{kernel: "combinations", what: "of three and four columns", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofOrder, ofOrderSequential, ofWindow, ofMany},
		make: func(*Posterior) kernel { return &combinations{tries: 8} }},
	{kernel: "complement", what: "of a column", on: []model{ofIntercept, ofThreeIntercept},
		make: func(*Posterior) kernel { return complement }},
	{kernel: "columns", what: "births and deaths", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide},
		make: func(*Posterior) kernel { return new(columns) }},
	{kernel: "mass", what: "Gibbs", on: []model{ofIBP, ofAIBD, ofSymmetric},
		make: func(*Posterior) kernel { return mass }},
	{kernel: "temperature", what: "random walk", on: []model{ofAIBD, ofSequential, ofSymmetric},
		make: func(*Posterior) kernel { return walkTemperature(stepTemperature) }},
	{kernel: "temperature", what: "random walks of two distances", on: []model{ofTwo, ofTwoSequential, ofTwoSymmetric, ofDecays},
		make: func(*Posterior) kernel { return walkTemperatures(stepTemperature) }},
	{kernel: "shuffle", what: "of 3 positions", on: []model{ofAIBD, ofSequential, ofWindow, ofOrder, ofOrderSequential},
		make: func(*Posterior) kernel { return &shuffle{size: 3} }},
	{kernel: "shuffle", what: "of all positions", on: []model{ofAIBD},
		make: func(*Posterior) kernel { return &shuffle{size: 10} }},
	{kernel: "insert", what: "Gibbs", on: []model{ofAIBD, ofWindow, ofOrder},
		make: func(*Posterior) kernel { return new(insert) }},
	{kernel: "scales", what: "random walk", on: []model{ofIntercept, ofIBP, ofOrdinal, ofNoise, ofWide, ofUniform, ofXAlone, ofAAlone},
		make: func(*Posterior) kernel { return walkScales(stepScale, stepScale, -0.3) }},
}, weightedSubjects...)

// scanSubject is the default scan, with steps of the size that warmup would find.
var scanSubject = subject{kernel: "scan", what: "default", on: scanModels, rounds: 6, steps: 2,
	make: func(post *Posterior) kernel {
		o := smallOptions()
		o.StepTemperature, o.StepX, o.StepA = stepTemperature, stepScale, stepScale
		return scanOf(post, o)
	}}

// smallOptions are the default ones except how often the moves of columns are
// proposed: the defaults are for problems of another size.
func smallOptions() Options {
	o := DefaultOptions()
	o.Clusters, o.Sums, o.Combinations = 2, 4, 4
	return o
}

// Annealing acts in warmup only, where no distribution is left invariant. It has no line
// above. A sampler tests that it ends, and has a mutant in which it does not.
const annealScans = sbcWarmup * 4 / 5

// sampler is a whole sampler under test by simulation-based calibration.
type sampler struct {
	what   string
	on     model
	anneal int
	change func(kernels []kernel) []kernel // of the scan; nil: none
}

// chain returns the chain from s that draws the given number of times.
func (m sampler) chain(s *target, draws int, stream *Stream) *Chain {
	o := smallOptions()
	o.Anneal = m.anneal
	c := must(newChain(s, o, Config{Warmup: sbcWarmup, Draws: draws, Thin: sbcThin}, stream))
	if m.change != nil {
		c.scan = newCycle(m.change(c.scan.kernels)...)
	}
	return c
}

var samplers = []sampler{
	{what: "default", on: ofIBP},
	{what: "default", on: ofAIBDFixed},
	{what: "default", on: ofAIBD},
	{what: "default", on: ofSequential},
	{what: "default", on: ofSymmetric},
	{what: "default", on: ofGaps},
	{what: "default", on: ofBinary},
	{what: "default", on: ofOrdinal},
	{what: "default", on: ofNoise},
	{what: "default", on: ofWeighted},
	{what: "default", on: ofCommonGaps},
	{what: "default", on: ofNearGaps},
	{what: "default", on: ofNearTwo},
	{what: "default", on: ofNear},
	{what: "default", on: ofLinked},
	{what: "with annealing", on: ofWide, anneal: annealScans},
}
