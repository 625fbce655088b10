package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/prior"
)

// The moves of whole columns against posteriors by enumeration, as in
// exact_test.go, whose limit and rate of false alarms hold here. They leave the number
// of features alone, so that births and deaths go with them; these are tested by
// themselves.

// withBirths is the cycle of a kernel with births and deaths.
func withBirths(k kernel) kernel {
	return newCycle(append(slices.Repeat([]kernel{new(columns)}, 3), k)...)
}

// manyCombinations proposes about 50 combinations of the columns of four items: one step
// proposes at most half as many as there are pairs of columns.
func manyCombinations() kernel {
	return newCycle(slices.Repeat([]kernel{&combinations{tries: 50}}, 16)...)
}

func TestExactPosteriorMoves(t *testing.T) {
	cases := ddibpTargets(t)
	cases["three items"] = threeItems
	cases["IBP"] = goldenTargets(t)[0]
	cases["four items"] = fourItems
	cases["an intercept"] = withOnes
	for name, c := range someOf(cases, "three items", "four items", "an intercept", symmetricName) {
		data := c.posterior(t).Data
		kernels := []kernel{newClusters(data, 2), &sums{tries: 4}, manyCombinations()}
		switch {
		case c.intercept:
			kernels = append(kernels, complement, &blocks{size: 3})
		case !*fixture.Long && name == "four items":
			kernels = kernels[2:]
		case !*fixture.Long:
			kernels = kernels[:2] // there is little to combine
		}
		for _, k := range kernels {
			if z := c.worst(t, k.Name()+" "+name, length(scans/20), withBirths(k), nil); !(z < limit) {
				t.Errorf("%s: %s: |z| = %.2f, want below %v", name, k.Name(), z, limit)
			}
		}
	}
}

// fourItems have enough columns of two and three items for these to be combined.
var fourItems = enumerated{
	x:      [][]float64{{1.1, -0.3}, {1.9, 0.4}, {0.8, 1.3}, {0.5, 0.9}},
	law:    must(prior.NewAIBD(nearness([]float64{0, 0.4, 0.5, 2}), 3, 2, []int{2, 0, 3, 1})),
	scales: lglfm.Scales{SigmaX: 0.8, SigmaA: 0.8},
	maxK:   5,
}

// flat is a tracker that takes all columns for equally likely.
type flat struct{ intensity.Tracker }

func (flat) LogIntensity([]uint64) float64            { return 0 }
func (flat) IntensityBound([]uint64, float64) float64 { return 0 }
func (flat) TotalIntensity() float64                  { return 1 }

// flattened runs a kernel with such a tracker.
type flattened struct{ kernel }

func (k flattened) Step(rng *rand.Rand, s *target) Info {
	s.under(func(t intensity.Tracker) intensity.Tracker { return flat{t} })
	defer func() { s.move(s.law(), s.Unknowns()) }()
	return k.kernel.Step(rng, s)
}

// forgetful makes a step under data without the intercept.
type forgetful struct {
	kernel
	data *lglfm.Data
}

func (k forgetful) Step(rng *rand.Rand, s *target) Info {
	data := s.post.Data
	s.post.Data = k.data
	s.move(s.law(), s.Unknowns())
	info := k.kernel.Step(rng, s)
	s.post.Data = data
	s.move(s.law(), s.Unknowns())
	return info
}

// ridged is complement with the prior of the loadings for the intercept. Its data are without
// one.
type ridged struct{ data *lglfm.Data }

func (ridged) Name() string { return "mutant" }

func (k ridged) Step(rng *rand.Rand, s *target) Info {
	if s.K() == 0 || s.Z().Size(0) == s.N() {
		return Info{Proposed: 1}
	}
	logLik := func(z *feature.Allocation) float64 {
		return lglfm.LogLik(k.data, collapsed.WithOnes(z), s.Scales())
	}
	next := s.Z().Clone()
	next.AppendColumn(s.ComplementOf(0))
	next.Remove(0)
	if !accept(rng, logLik(next)-logLik(s.Z().Clone())+s.Law().LogIntensity(s.ComplementOf(0))-s.Law().LogIntensity(s.Column(0))) {
		return Info{Proposed: 1}
	}
	s.Complement(0)
	return Info{Proposed: 1, Accepted: 1}
}

// oneWay proposes that a column joins a cluster that is not its own. No proposal leaves a
// cluster.
type oneWay struct{ *clusters }

func (k oneWay) Step(rng *rand.Rand, s *target) Info {
	if s.Z().K() == 0 || s.Z().Has(linkage(s.post.Data)[0][0], 0) {
		return Info{}
	}
	return k.clusters.Step(rng, s)
}

// asymmetric makes sums and no differences.
type asymmetric struct{ *sums }

func (k asymmetric) Step(rng *rand.Rand, s *target) Info {
	for a := range s.Z().K() {
		for b := range s.Z().K() {
			if a != b {
				if k.combine(s.Column(a), s.Column(b)) < 0 {
					return Info{}
				}
			}
		}
	}
	return k.sums.Step(rng, s)
}

func TestBrokenMoves(t *testing.T) {
	three, four, ones := threeItems, fourItems, withOnes
	data, plain := three.posterior(t).Data, must(lglfm.NewData(ones.x))
	for name, broken := range map[string]struct {
		enumerated
		kernel
		scans int
	}{
		"clusters without the prior":     {three, flattened{newClusters(data, 2)}, scans / 40},
		"clusters that cannot leave":     {three, oneWay{newClusters(data, 2)}, scans / 40},
		"sums without the prior":         {three, flattened{&sums{tries: 4}}, scans / 20},
		"sums that are never taken back": {three, asymmetric{&sums{tries: 1}}, scans / 20},
		"combinations without the prior": {four, flattened{manyCombinations()}, scans / 20},
		"complements without the prior":  {ones, flattened{complement}, scans / 20},
		"complements under a ridge":      {ones, ridged{plain}, scans / 40},
		"no column of ones":              {ones, forgetful{exactRows(), plain}, scans / 80},
	} {
		if name == "combinations without the prior" && !*fixture.Long {
			continue // it takes more scans to see
		}
		z := broken.worst(t, name, length(broken.scans), withBirths(broken.kernel), nil)
		t.Logf("%s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", name, z)
		}
	}
}

// TestMovesKeepState: values derived from the unknowns are, after many moves, what they
// would be if computed afresh.
func TestMovesKeepState(t *testing.T) {
	a := twin(30, 12)
	post := a.posterior(t)
	s, err := newState(post, Start{Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: 0.9, SigmaA: 0.35}})
	if err != nil {
		t.Fatal(err)
	}
	rng := NewStream(1, "keep")
	kernels := []kernel{newClusters(post.Data, 30), &sums{tries: 500}, &combinations{tries: 1000}}
	var moved [3]int
	for range 20 {
		for i, k := range kernels {
			moved[i] += k.Step(rng.Rand, s).Accepted
		}
	}
	if slices.Min(moved[:]) < 50 {
		t.Fatalf("%v moves, too few to see anything", moved)
	}
	logLik, logPrior := s.LogLik(), s.LogPrior()
	s.Refresh()
	if d := math.Abs(s.LogLik() - logLik); !(d < 1e-8) {
		t.Errorf("after %v moves the log likelihood is off by %g", moved, d)
	}
	if d := math.Abs(s.LogPrior() - logPrior); !(d < 1e-8) {
		t.Errorf("after %v moves the log prior is off by %g", moved, d)
	}
}

// TestMovesDoNotAllocate: not in a scan that has been made before.
func TestMovesDoNotAllocate(t *testing.T) {
	a := twin(30, 12)
	post := a.posterior(t)
	s, err := newState(post, Start{Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: 0.9, SigmaA: 0.35}})
	if err != nil {
		t.Fatal(err)
	}
	rng := NewStream(1, "allocate")
	none := func(kernels ...kernel) {
		for _, k := range kernels {
			k.Step(rng.Rand, s)
			if n := testing.AllocsPerRun(10, func() { k.Step(rng.Rand, s) }); n > 0 {
				t.Errorf("%s: %v allocations", k.Name(), n)
			}
		}
	}
	none(newClusters(post.Data, 30), &sums{tries: 500}, &combinations{tries: 500})
	post.Data = must(post.Data.WithIntercept())
	s.move(s.law(), s.Unknowns())
	none(newClusters(post.Data, 30), &sums{tries: 500}, &combinations{tries: 500}, complement, &blocks{size: 3})
}

func TestMoveOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"anneal":       func(o *Options) { o.Anneal = -1 },
		"clusters":     func(o *Options) { o.Clusters = -1 },
		"sums":         func(o *Options) { o.Sums = -1 },
		"combinations": func(o *Options) { o.Combinations = -1 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// linkage returns the items of the nodes that Clusters flips.
func linkage(data *lglfm.Data) (nodes [][]int) {
	tree := collapsed.Unwrap(data).Linkage()
	for v := range tree.Nodes() {
		nodes = append(nodes, feature.Members(nil, tree.Node(v)))
	}
	return nodes
}

// TestLinkage: four points on a line, two near pairs, and a far one.
func TestLinkage(t *testing.T) {
	data, err := lglfm.NewData([][]float64{{0}, {10}, {0.1}, {40}, {10.5}})
	if err != nil {
		t.Fatal(err)
	}
	got, want := linkage(data), [][]int{{0, 2}, {1, 4}, {0, 1, 2, 4}, {0, 1, 2, 3, 4}}
	if !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	one, err := lglfm.NewData([][]float64{{1}})
	if err != nil {
		t.Fatal(err)
	}
	if nodes := linkage(one); len(nodes) != 0 {
		t.Errorf("nodes %v of one item", nodes)
	}
}
