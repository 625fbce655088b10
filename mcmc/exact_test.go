package mcmc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/oracle/dense"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// The tests of this file compare long chains with posteriors that are computed
// exactly, by enumeration of all allocations of 3 or 4 items with at most maxK
// features; draws beyond maxK are left out on both sides. What is compared are the
// means of indicator and counting functions of Z, each by a z test with the Monte
// Carlo error of the chain.
//
// limit is the largest |z| that passes. Under a correct kernel one |z| beyond it
// has probability 1e-7, or 3e-7 where errors come from 200 batches. The seed is fixed.
// Chains stop halfway if no |z| is above limit/sqrt(2), where a bias is to be seen that
// reaches limit at the end, or if one is above limit. With two looks at most 100 functions
// in each of at most 20 chains raise a false alarm once in 800 seeds.
//
// The short form of the tests (see calibration_test.go) has shorter chains, and fewer
// posteriors for some kernels.
const limit, halfway = 5.33, limit / math.Sqrt2

// enumerated is a small posterior with everything but Z, and perhaps the permutation,
// fixed.
type enumerated struct {
	x      [][]float64
	law    prior.Law
	scales lglfm.Scales
	maxK   int
	random bool // permutation

	bounds    []lglfm.Bound
	ordinal   []lglfm.Ordinal
	intercept bool
	noise     bool      // a noise scale for each column, which is integrated out
	lower     []float64 // bounds on the noise of the columns
}

func (c enumerated) posterior(t testing.TB) *Posterior {
	t.Helper()
	data, err := lglfm.NewBounded(c.x, c.bounds, c.ordinal...)
	if err == nil && c.noise {
		data, err = data.WithNoiseScales(c.lower)
	}
	if err == nil && c.intercept {
		data, err = data.WithIntercept()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Posterior{Data: data, Law: c.law, Permutation: c.random}
}

// code identifies an allocation of at most 4 items: 4 bits count the columns of each kind.
func code(z interface {
	K() int
	Column(k int) []uint64
}) (code uint64) {
	for k := range z.K() {
		code += 1 << (4 * (z.Column(k)[0] - 1))
	}
	return code
}

// exact returns the posterior probabilities of all allocations, by their codes.
func (c enumerated) exact(t *testing.T) map[uint64]float64 {
	t.Helper()
	probs, sum := c.weighed(t)
	for key := range probs {
		probs[key] /= sum
	}
	return probs
}

// weighed returns the joint densities of X and each allocation, and their sum.
func (c enumerated) weighed(t *testing.T) (probs map[uint64]float64, sum float64) {
	t.Helper()
	numbers := c // without the current values of cells between bounds
	numbers.bounds, numbers.ordinal, numbers.x = nil, nil, nil
	for _, row := range c.x {
		var kept []float64
		for j, v := range row {
			if !slices.ContainsFunc(c.ordinal, func(o lglfm.Ordinal) bool { return o.Variable == j }) && !c.allBounded(j) {
				kept = append(kept, v)
			}
		}
		numbers.x = append(numbers.x, kept)
	}
	var data *lglfm.Data
	if len(numbers.x[0]) > 0 {
		data = numbers.posterior(t).Data
	}
	laws := []prior.Law{c.law}
	if c.random {
		laws = nil
		for _, perm := range permutations(c.law.N()) {
			laws = append(laws, c.law.(prior.Attraction).With(c.law.(prior.Attraction).Temperature(), perm))
		}
	}
	probs = map[uint64]float64{}
	feature.Enumerate(c.law.N(), c.maxK, func(z *feature.Allocation) bool {
		p := 0.0
		for _, law := range laws {
			p += math.Exp(prior.LogProb(law, z) + numbers.logLik(data, z) + c.logBounds(t, z) + c.logOrdinal(z))
		}
		probs[code(z)] = p
		sum += p
		return true
	})
	return probs, sum
}

// logLik returns the log likelihood of z, with an intercept by differences of the observed rows
// of each column.
func (c enumerated) logLik(data *lglfm.Data, z *feature.Allocation) float64 {
	switch {
	case len(c.x[0]) == 0:
		return 0
	case c.noise:
		return c.logNoisy(z)
	case !c.intercept:
		return lglfm.LogLik(data, z, c.scales)
	}
	sum := 0.0
	for j := range c.x[0] {
		var x [][]float64
		var rows [][]int
		for i, row := range z.Rows() {
			if !math.IsNaN(c.x[i][j]) {
				x, rows = append(x, c.x[i][j:j+1]), append(rows, row)
			}
		}
		sum += dense.LogLikIntercept(x, rows, c.scales.SigmaX, c.scales.SigmaA)
	}
	return sum
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for index := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), index, n-1))
		}
	}
	return all
}

// enumeration holds the statistics whose means are compared, the number of features, the
// sharing of all pairs and the most probable allocations: their values by allocation, and
// their exact means.
type enumeration struct {
	number map[uint64]int // of the allocation, by its code
	values [][]float64    // of the statistics, by number
	want   []float64
}

// problem identifies an enumerated posterior.
type problem struct {
	x                 *[]float64
	law               prior.Law
	scales            lglfm.Scales
	maxK              int
	bounds, ordinal   int
	random, intercept bool
	noise             bool
}

// enumerations keeps what was computed: many chains are compared with each posterior.
var enumerations = map[problem]*enumeration{}

func (c enumerated) enumerate(t *testing.T) *enumeration {
	t.Helper()
	key := problem{&c.x[0], c.law, c.scales, c.maxK, len(c.bounds), len(c.ordinal), c.random, c.intercept, c.noise}
	if e := enumerations[key]; e != nil {
		return e
	}
	probs := c.exact(t)
	codes := slices.SortedFunc(maps.Keys(probs), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(probs[b], probs[a]), cmp.Compare(a, b))
	})
	codes = codes[:min(30, len(codes))]
	e := &enumeration{number: map[uint64]int{}}
	feature.Enumerate(c.law.N(), c.maxK, func(z *feature.Allocation) bool {
		var row []float64
		for k := range c.maxK + 1 {
			row = append(row, indicator(z.K() == k))
		}
		for i := range z.N() {
			for j := range i + 1 {
				row = append(row, float64(z.Shared(i, j)))
			}
		}
		index := code(z)
		for _, code := range codes {
			row = append(row, indicator(index == code))
		}
		if e.want == nil {
			e.want = make([]float64, len(row))
		}
		floats.AddScaled(e.want, probs[index], row)
		e.number[index], e.values = len(e.values), append(e.values, row)
		return true
	})
	enumerations[key] = e
	return e
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// worst runs a chain and returns the largest |z| of its means against the exact
// ones, with errors from the means of 1,000 batches, or of
// fewer that are of 50 draws. It may stop halfway.
func (c enumerated) worst(t *testing.T, seed string, scans int, kernel kernel, wrap func(*target)) float64 {
	t.Helper()
	e := c.enumerate(t)
	s, err := newState(c.posterior(t), Start{Scales: c.scales})
	if err != nil {
		t.Fatal(err)
	}
	if wrap != nil {
		wrap(s)
	}
	rng := NewStream(1, seed)
	var visits []int
	for scan := range scans {
		if scan == scans/2 {
			if z := e.worst(visits, 250); z < halfway {
				return z
			}
			if z := e.worst(visits, 500); z >= limit {
				return z
			}
		}
		kernel.Step(rng.Rand, s)
		if scan >= 100 && s.Z().K() <= c.maxK {
			visits = append(visits, e.number[code(s)])
		}
	}
	return e.worst(visits, 500)
}

// worst returns the largest |z| of the means over visits. Functions whose sum over them is
// expected below rare are left out: their batch means are not normal.
func (e *enumeration) worst(visits []int, rare float64) (worst float64) {
	batches := min(1000, len(visits)/50)
	size := len(visits) / batches
	means := make([]float64, batches)
	for f, want := range e.want {
		if want*float64(len(visits)) < rare {
			continue
		}
		for b := range means {
			means[b] = 0
			for _, v := range visits[b*size : (b+1)*size] {
				means[b] += e.values[v][f] / float64(size)
			}
		}
		mean, sd := stat.MeanStdDev(means, nil)
		if z := math.Abs(mean-want) / (sd / math.Sqrt(float64(batches))); !(z <= worst) && mean != want {
			worst = z
		}
	}
	return worst
}

// goldenTargets are the posteriors of lglfm_exact_posterior.json, checked against
// what that file says of them.
func goldenTargets(t *testing.T) (targets []enumerated) {
	t.Helper()
	if golden != nil {
		return golden
	}
	b, err := os.ReadFile("testdata/lglfm_exact_posterior.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Records []struct {
			N           int
			Mass        float64
			SdX, SdA    float64
			X           [][]float64
			Temperature float64
			Distance    [][]float64
			Permutation []int
			MaxFeatures int       `json:"max_features"`
			ProbByK     []float64 `json:"prob_by_K"`
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Records {
		c := enumerated{x: r.X, scales: lglfm.Scales{SigmaX: r.SdX, SigmaA: r.SdA}, maxK: r.MaxFeatures}
		if r.Distance == nil {
			c.law, err = prior.NewIBP(r.N, r.Mass)
		} else {
			perm := make([]int, r.N)
			for p, i := range r.Permutation {
				perm[p] = i - 1
			}
			m, e := similarity.NewMatrix(r.Distance)
			if e != nil {
				t.Fatal(e)
			}
			c.law, err = prior.NewAIBD(prior.NewAffinity(m, similarity.Exponential{}), r.Mass, r.Temperature, perm)
		}
		if err != nil {
			t.Fatal(err)
		}
		byK := make([]float64, r.MaxFeatures+1)
		probs := c.exact(t)
		feature.Enumerate(r.N, r.MaxFeatures, func(z *feature.Allocation) bool {
			byK[z.K()] += probs[code(z)]
			return true
		})
		for k := range byK {
			if math.Abs(byK[k]-r.ProbByK[k]) > 1e-10 {
				t.Fatalf("N = %d: probability of %d features %v, want %v", r.N, k, byK[k], r.ProbByK[k])
			}
		}
		targets = append(targets, c)
	}
	golden = targets
	return targets
}

// golden and ddibp are kept once read.
var (
	golden []enumerated
	ddibp  map[string]enumerated
)

// ddibpTargets are the posteriors of ddibp_exact_posterior.json in which only Z is
// unknown, checked against what that file says of the number of features.
func ddibpTargets(t *testing.T) map[string]enumerated {
	t.Helper()
	if ddibp != nil {
		return maps.Clone(ddibp)
	}
	b, err := os.ReadFile("testdata/ddibp_exact_posterior.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			N          int
			Mode       string
			Tau, Alpha float64
			SigmaX     float64 `json:"sigma_x"`
			SigmaA     float64 `json:"sigma_a"`
			X          [][]float64
			Distance   [][]float64
			PMF        []float64 `json:"pmf_T"`
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	targets := map[string]enumerated{}
	for _, r := range file.Cases {
		if r.Alpha == 0 {
			continue // a random mass
		}
		m, err := similarity.NewMatrix(r.Distance)
		if err != nil {
			t.Fatal(err)
		}
		aff := prior.NewAffinity(m, similarity.Exponential{})
		c := enumerated{x: r.X, scales: lglfm.Scales{SigmaX: r.SigmaX, SigmaA: r.SigmaA}, maxK: 8}
		if r.Mode == "symmetric" {
			c.law, err = prior.NewDDIBP(aff, r.Alpha, r.Tau)
		} else {
			c.law, err = prior.NewSequentialDDIBP(aff, r.Alpha, r.Tau, prior.Identity(r.N))
		}
		if err != nil {
			t.Fatal(err)
		}
		byK, sum := make([]float64, c.maxK+1), 0.0
		probs := c.exact(t)
		feature.Enumerate(r.N, c.maxK, func(z *feature.Allocation) bool {
			byK[z.K()] += probs[code(z)]
			return true
		})
		for k := range byK {
			sum += r.PMF[k]
		}
		for k := range byK {
			if math.Abs(byK[k]-r.PMF[k]/sum) > 1e-10 {
				t.Fatalf("%v: probability of %d features %v, want %v", c.law, k, byK[k], r.PMF[k]/sum)
			}
		}
		targets[fmt.Sprint(c.law)] = c
	}
	ddibp = targets
	return maps.Clone(targets)
}

func TestExactPosteriorDDIBP(t *testing.T) {
	targets := ddibpTargets(t)
	if len(targets) != 6 {
		t.Fatalf("%d posteriors, want 6", len(targets))
	}
	for name, c := range targets {
		if !*fixture.Long && c.law.N() < 3 {
			continue
		}
		if z := c.worst(t, name, length(scans/10), exactRows(), nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", name, z, limit)
		}
	}
}

// TestExactPosteriorRandomMass compares chains with the posteriors of
// ddibp_exact_posterior.json in which the mass is unknown, gamma(1, 1): the means of
// the mass, of the number of features and of the sharing of all pairs.
func TestExactPosteriorRandomMass(t *testing.T) {
	b, err := os.ReadFile("testdata/ddibp_exact_posterior.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Mode       string
			N          int
			Tau, Alpha float64
			MeanAlpha  float64 `json:"mean_alpha"`
			MeanT      float64 `json:"mean_T"`
			SigmaX     float64 `json:"sigma_x"`
			SigmaA     float64 `json:"sigma_a"`
			X          [][]float64
			Distance   [][]float64
			Shared     [][]float64 `json:"E_ZZt"`
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, r := range file.Cases {
		if r.Alpha != 0 {
			continue
		}
		cases++
		m, err := similarity.NewMatrix(r.Distance)
		if err != nil {
			t.Fatal(err)
		}
		law, err := prior.NewSequentialDDIBP(prior.NewAffinity(m, similarity.Exponential{}), 1, r.Tau, prior.Identity(r.N))
		if err != nil {
			t.Fatal(err)
		}
		post := enumerated{x: r.X, law: law}.posterior(t)
		post.Mass = &Gamma{1, 1}
		s, err := newState(post, Start{Scales: lglfm.Scales{SigmaX: r.SigmaX, SigmaA: r.SigmaA}})
		if err != nil {
			t.Fatal(err)
		}
		fs := []func() float64{func() float64 { return s.Mass }, func() float64 { return float64(s.Z().K()) }}
		want := []float64{r.MeanAlpha, r.MeanT}
		for i := range r.N {
			for j := range i + 1 {
				fs = append(fs, func() float64 { return float64(s.Z().Shared(i, j)) })
				want = append(want, r.Shared[i][j])
			}
		}
		cycle := newCycle(exactRows(), mass)
		rng := NewStream(1, fmt.Sprint("random mass ", r.N))
		const batches = 500
		size := length(400)
		means := make([][]float64, len(fs))
		for f := range means {
			means[f] = make([]float64, batches)
		}
		for scan := range 100 + batches*size {
			cycle.Step(rng.Rand, s)
			if index := scan - 100; index >= 0 {
				for f := range fs {
					means[f][index/size] += fs[f]() / float64(size)
				}
			}
		}
		for f := range fs {
			mean, sd := stat.MeanStdDev(means[f], nil)
			if z := math.Abs(mean-want[f]) / (sd / math.Sqrt(batches)); !(z < limit) {
				t.Errorf("N = %d, statistic %d: %v, want %v, |z| = %.2f", r.N, f, mean, want[f], z)
			}
		}
	}
	if cases != 2 {
		t.Errorf("%d posteriors with an unknown mass, want 2", cases)
	}
}

// TestExactPosteriorColumns: births and deaths alone, without any flip, have the
// posterior too.
func TestExactPosteriorColumns(t *testing.T) {
	cases := ddibpTargets(t)
	cases["three items"] = threeItems
	cases["IBP"] = goldenTargets(t)[0]
	for name, c := range someOf(cases, "three items", "IBP", symmetricName) {
		// Ten proposals between looks, instead of one scan.
		kernels := slices.Repeat([]kernel{new(columns)}, 10)
		if z := c.worst(t, "columns "+name, length(scans/20), newCycle(kernels...), nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", name, z, limit)
		}
	}
}

// bornAlike is the kernel of columns without the factor 1/(K+1).
type bornAlike struct{ columns }

func (k *bornAlike) Step(rng *rand.Rand, s *target) Info {
	if rng.IntN(2) == 0 || s.Z().K() == 0 {
		return k.columns.Step(rng, s)
	}
	a := rng.IntN(s.Z().K())
	if s.LogRemove(a)-math.Log(s.Mass*s.Law().TotalIntensity())+rng.ExpFloat64() > 0 {
		s.Remove(a)
	}
	return Info{1, 0}
}

// threeItems is an AIBD posterior of three items far from its prior and from the
// IBP.
var threeItems = enumerated{
	x:      [][]float64{{1.1, -0.3}, {0.9, 0.4}, {-0.8, 1.3}},
	law:    must(prior.NewAIBD(nearness([]float64{0, 0.4, 2}), 1.2, 1.5, []int{2, 0, 1})),
	scales: lglfm.Scales{SigmaX: 0.7, SigmaA: 1},
	maxK:   6,
}

// withOnes is a posterior with an intercept of three items whose columns are often taken
// for their complements.
var withOnes = enumerated{
	x: [][]float64{{3.1, -0.3}, {2.9, 0.4}, {1.2, 1.3}}, law: threeItems.law, scales: threeItems.scales, maxK: 6,
	intercept: true,
}

// scans is enough for the weakest of the broken twins, the fixed order, which the short
// form leaves out.
const scans = 1_000_000

// length returns n scans, a fifth of them in the short form.
func length(n int) int {
	if !*fixture.Long {
		return n / 5
	}
	return n
}

// symmetricName names a posterior under the symmetric dd-IBP.
const symmetricName = "dd-IBP(N=3, mass=0.8, temperature=1, exponential)"

// someOf returns the posteriors, in the short form those of the given names.
func someOf(all map[string]enumerated, names ...string) map[string]enumerated {
	if *fixture.Long {
		return all
	}
	some := map[string]enumerated{}
	for _, name := range names {
		some[name] = all[name]
	}
	return some
}

func TestExactPosterior(t *testing.T) {
	cases := map[string]enumerated{"three items": threeItems, "three items with an intercept": withOnes}
	for i, c := range goldenTargets(t) {
		cases[fmt.Sprintf("golden %d", i+1)] = c
	}
	for name, c := range cases {
		n := length(scans / 10)
		if name == "three items" && *fixture.Long {
			n = scans
		}
		if z := c.worst(t, name, n, exactRows(), nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", name, z, limit)
		}
	}
}

func TestExactPosteriorRandomPermutation(t *testing.T) {
	dense := threeItems
	dense.random = true
	for name, k := range map[string]struct {
		enumerated
		kernel
	}{
		"shuffle": {dense, &shuffle{size: 2}}, "shuffle of all": {dense, &shuffle{size: 5}}, "insert": {dense, new(insert)},
		"shuffle apart": {apartItems, &shuffle{size: 2}}, "insert apart": {apartItems, new(insert)},
	} {
		cycle := newCycle(exactRows(), k.kernel)
		if z := k.worst(t, name, length(scans/10), cycle, nil); !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", name, z, limit)
		}
	}
}

// apartItems are two items that do not attract each other, and one that attracts both, in a random order.
var apartItems = enumerated{
	x: threeItems.x,
	law: must(prior.NewAIBD(prior.NewAffinity(must(similarity.NewMatrix([][]float64{
		{0, 3, 0.1}, {3, 0, math.Inf(1)}, {0.1, math.Inf(1), 0},
	})), similarity.Exponential{}), 1.5, 1, prior.Identity(3))),
	scales: lglfm.Scales{SigmaX: 0.4, SigmaA: 1}, maxK: threeItems.maxK, random: true,
}

// noOwner is a tracker that leaves the factor of the first owner out of its
// ratios.
type noOwner struct {
	intensity.Tracker
	s *target
}

func (n noOwner) LogFlip(i, k int) float64 {
	position := make([]int, n.s.Z().N())
	for p, j := range n.s.Permutation() {
		position[j] = p
	}
	before, after := len(position), len(position)
	for j := range position {
		member := n.s.Z().Has(j, k)
		if member {
			before = min(before, position[j])
		}
		if member != (j == i) {
			after = min(after, position[j])
		}
	}
	owner := math.Log(float64(before+1)) - math.Log(float64(after+1))
	return n.Tracker.LogFlip(i, k) - owner
}

func (n noOwner) FlipBound(int, int) float64 { return math.Inf(1) }

func (n noOwner) FlipBounds(_ int, bounds []float64) {
	for k := range bounds {
		bounds[k] = math.Inf(1)
	}
}

// TestBrokenTwins shows that the test above has power: it rejects broken twins.
func TestBrokenTwins(t *testing.T) {
	c := threeItems
	fixed := &rowsCopy{singletons: new(exactSingletons), fixedOrder: true}
	for name, twin := range map[string]struct {
		enumerated
		scans  int
		kernel kernel
		wrap   func(*target)
	}{
		"columns in fixed order":      {c, scans, fixed, nil},
		"singletons cut at 1":         {c, scans / 3, &rows{singletons: &truncatedSingletons{divisor: 1}}, nil},
		"no factor of first owner":    {c, scans / 20, exactRows(), func(s *target) { s.under(func(t intensity.Tracker) intensity.Tracker { return noOwner{t, s} }) }},
		"deaths without the factor K": {c, scans / 20, &bornAlike{}, nil},
		"permutation always changed":  {c, scans / 20, newCycle(exactRows(), reckless{}), nil},
		"one position beside":         {apartItems, scans / 10, newCycle(exactRows(), &insertCopy{beside: 1}), nil},
		"places of equal weights":     {apartItems, scans / 20, newCycle(exactRows(), &insertCopy{power: 1e-9}), nil},
	} {
		if !*fixture.Long && twin.scans == scans {
			continue
		}
		z := twin.worst(t, name, length(twin.scans), twin.kernel, twin.wrap)
		t.Logf("%s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", name, z)
		}
	}
}
