package mcmc

// The kernels under test, alone. A kernel that does not move everything is tested
// all the same: what it leaves alone keeps its law.

// Steps that the priors of the models ask for.
const (
	stepTemperature = 0.8
	stepScale       = 0.35
)

var kernelSubjects = []subject{
	{kernel: "rows", what: "exact singletons", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide, ofBusy},
		make: func(*Posterior) Kernel { return NewRows(new(ExactSingletons)) }},
	{kernel: "clusters", what: "of the tree", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide},
		make: func(post *Posterior) Kernel { return NewClusters(post.Data, 2) }},
	{kernel: "sums", what: "and differences", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide, ofMany},
		make: func(*Posterior) Kernel { return NewSums(4) }},
	{kernel: "combinations", what: "of three and four columns", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofOrder, ofOrderSequential, ofWindow, ofWide, ofMany},
		make: func(*Posterior) Kernel { return NewCombinations(8) }},
	{kernel: "columns", what: "births and deaths", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric, ofThree, ofWindow, ofWide},
		make: func(*Posterior) Kernel { return NewColumns() }},
	{kernel: "mass", what: "Gibbs", on: []model{ofIBP, ofAIBD, ofSequential, ofSymmetric},
		make: func(*Posterior) Kernel { return Mass{} }},
	{kernel: "temperature", what: "random walk", on: []model{ofAIBD, ofSequential, ofSymmetric},
		make: func(*Posterior) Kernel { return NewTemperature(stepTemperature) }},
	{kernel: "shuffle", what: "of 3 positions", on: []model{ofAIBD, ofSequential, ofWindow, ofOrder, ofOrderSequential},
		make: func(*Posterior) Kernel { return NewShuffle(3) }},
	{kernel: "shuffle", what: "of all positions", on: []model{ofAIBD},
		make: func(*Posterior) Kernel { return NewShuffle(10) }},
	{kernel: "insert", what: "Gibbs", on: []model{ofAIBD, ofWindow, ofWide, ofOrder},
		make: func(*Posterior) Kernel { return NewInsert() }},
	{kernel: "scales", what: "random walk", on: []model{ofIBP, ofWide, ofUniform, ofXAlone, ofAAlone},
		make: func(*Posterior) Kernel { return NewScales(stepScale, stepScale, -0.3) }},
}

// scanSubject is the default scan, with steps of the size that warmup would find.
var scanSubject = subject{kernel: "scan", what: "default", on: scanModels, rounds: 6, steps: 2,
	make: func(post *Posterior) Kernel {
		o := smallOptions()
		o.StepTemperature, o.StepX, o.StepA = stepTemperature, stepScale, stepScale
		return must(NewScan(post, o))
	}}

// smallOptions are the default ones but for how often the moves of columns are
// proposed: the defaults are for problems of another size.
func smallOptions() Options {
	o := DefaultOptions()
	o.Clusters, o.Sums, o.Combinations = 2, 4, 4
	return o
}

// Annealing acts in warmup only, where nothing is to be left invariant, so that it
// has no line above: that it ends is seen in a sampler, and a mutant of it there.
const annealScans = sbcWarmup * 4 / 5

func warmedScan(post *Posterior) *Cycle {
	o := smallOptions()
	o.Anneal = annealScans
	return must(NewScan(post, o))
}

func defaultScan(post *Posterior) *Cycle { return must(NewScan(post, smallOptions())) }

// sampler is a scan under test by simulation-based calibration.
type sampler struct {
	what string
	on   model
	scan func(*Posterior) *Cycle
}

var samplers = []sampler{
	{"default", ofIBP, defaultScan},
	{"default", ofAIBDFixed, defaultScan},
	{"default", ofAIBD, defaultScan},
	{"default", ofSequential, defaultScan},
	{"default", ofSymmetric, defaultScan},
	{"with annealing", ofWide, warmedScan},
}
