package state

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// An edit changes a state at random. It reports false if it could not.
type edit struct {
	name string
	do   func(rng *rand.Rand, s *State, tree *collapsed.Tree) bool
}

// edits are all of them.
var edits = []edit{
	{"close a row", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		i := rng.IntN(s.N())
		s.Open(i)
		for k := range s.K() {
			if s.Shared(k) && rng.IntN(2) == 0 {
				s.Flip(k)
			}
		}
		s.SetSingletons(rng.IntN(3))
		s.Close(rng)
		return true
	}},
	{"append a column", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		column := make([]uint64, (s.N()+63)/64)
		s.DrawColumn(rng, column)
		s.Append(column)
		return true
	}},
	{"remove a column", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		if s.K() < 3 {
			return false
		}
		s.Remove(rng.IntN(s.K()))
		return true
	}},
	{"combine columns", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		k, terms, ok := someCombination(rng, s)
		if ok {
			s.Combine(k, terms)
		}
		return ok
	}},
	{"complement a column", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		k := rng.IntN(s.K())
		if s.first == 0 || s.z.Size(k) == s.N() {
			return false
		}
		s.Complement(k)
		return true
	}},
	{"toggle items", func(rng *rand.Rand, s *State, tree *collapsed.Tree) bool {
		if s.K() == 0 || !s.Steady() {
			return false
		}
		k, node := rng.IntN(s.K()), rng.IntN(tree.Nodes())
		after := false
		for w, x := range s.Column(k) {
			after = after || x^tree.Node(node)[w] != 0
		}
		if !after {
			return false
		}
		s.Toggles(tree)
		s.ToggleColumn(k)
		s.Toggle(node)
		return true
	}},
	{"move the law", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		if math.IsNaN(s.Temperature()) {
			return false
		}
		s.Propose(3*rng.Float64(), rng.Perm(s.N())[:len(s.Permutation())])
		s.Accept()
		return true
	}},
	{"set the scales", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		s.SetScales(lglfm.Scales{SigmaX: 0.5 + rng.Float64(), SigmaA: 0.5 + rng.Float64()})
		return true
	}},
	{"set the power", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		s.SetPower([]float64{0.3, 1, 1.2}[rng.IntN(3)])
		return true
	}},
}

// someCombination returns a column and terms whose sum is a set or the negative of one.
func someCombination(rng *rand.Rand, s *State) (k int, terms []collapsed.Term, ok bool) {
	if s.K() < 4 || !s.Steady() {
		return 0, nil, false
	}
	for range 200 {
		order := rng.Perm(s.K())
		terms = terms[:0]
		for _, c := range order[1 : 2+rng.IntN(3)] {
			terms = append(terms, collapsed.Term{Column: c, Sign: float64(1 - 2*rng.IntN(2))})
		}
		low, high := 0, 0
		for i := range s.N() {
			count := btoi(s.Z().Has(i, order[0]))
			for _, t := range terms {
				count += int(t.Sign) * btoi(s.Z().Has(i, t.Column))
			}
			low, high = min(low, count), max(high, count)
		}
		if low == 0 && high == 1 || low == -1 && high == 0 {
			return order[0], terms, true
		}
	}
	return 0, nil, false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A fault is a part of a state that an edit forgets.
type fault struct {
	name string
	// forget runs an edit and undoes its change of the part.
	forget func(s *State, do func() bool) bool
	// not lists edits that do not change the part.
	not []string
}

// deaf is a tracker that no edit changes.
type deaf struct{ intensity.Tracker }

func (deaf) Reset(*feature.Allocation) {}
func (deaf) Flip(int, int)             {}
func (deaf) Append(int)                {}
func (deaf) AppendColumn([]uint64)     {}
func (deaf) Remove(int)                {}
func (deaf) Accept()                   {}

var faults = []fault{
	{"the tracker", func(s *State, do func() bool) bool {
		tracker := s.tracker
		s.tracker = deaf{tracker}
		defer func() { s.tracker = tracker }()
		return do()
	}, []string{"set the scales", "set the power"}},
	{"the cache", func(s *State, do func() bool) bool {
		s.ready()
		old := collapsed.NewCache(s.data, s.y, s.scales)
		ok := do()
		s.cache = old
		return ok
	}, []string{"move the law", "set the scales"}}, // which ready notices
	{"Z", func(s *State, do func() bool) bool {
		old := s.y.Clone()
		ok := do()
		s.y, s.z = old, old.From(s.first)
		return ok
	}, []string{"move the law", "set the scales", "set the power"}},
	// The complement of a column has the same likelihood.
	{"the log likelihood", func(s *State, do func() bool) bool {
		old := s.logLik
		ok := do()
		s.logLik = old
		return ok
	}, []string{"move the law", "complement a column"}},
	{"the spectrum", func(s *State, do func() bool) bool {
		s.LogLikAt(lglfm.Scales{SigmaX: 1, SigmaA: 2})
		ok := do()
		s.spectral = true
		return ok
	}, []string{"move the law", "complement a column", "set the scales"}},
	{"its likelihood at the current scales", func(s *State, do func() bool) bool {
		old := s.LogLikAt(s.scales)
		ok := do()
		s.LogLikAt(s.scales)
		s.atScales = old
		return ok
	}, []string{"move the law", "complement a column"}},
	{"the direction of a combination", func(s *State, do func() bool) bool {
		z := s.z.Clone()
		ok := do()
		if k := changed(z, &s.z); k >= 0 && s.Steady() {
			// As if the negative had been put in: twice the column is taken out.
			s.cache.Combine(s.first+k, nil, true)
			s.logLik = s.cache.LogLik()
		}
		return ok
	}, []string{"close a row", "append a column", "remove a column", "toggle items", "move the law", "set the scales", "set the power"}},
	{"the column of ones", func(s *State, do func() bool) bool {
		if s.first == 0 {
			return false
		}
		s.first = 0
		defer func() { s.first, s.z = 1, s.y.From(1) }()
		return do()
	}, []string{"append a column", "complement a column", "move the law", "set the scales", "set the power"}},
}

// changed returns the column that differs, -1 if none does.
func changed(a, b *feature.Allocation) int {
	for k := range min(a.K(), b.K()) {
		for w, x := range a.Column(k) {
			if x != b.Column(k)[w] {
				return k
			}
		}
	}
	return -1
}

// check returns how a state differs from one made afresh of its unknowns.
func check(s *State, law prior.Law) error {
	if a, ok := law.(prior.Attraction); ok {
		law = a.WithFurtherTemperatures(s.temperatures.Tail).With(s.temperatures.First, s.permutation)
	}
	want := New(s.full, intensity.Unwrap(law).Tracker(), s.Unknowns(), Weights{}, s.limit)
	want.SetPower(s.power)
	near := func(name string, got, want float64) error {
		if got != want && !(math.Abs(got-want) <= 1e-7*math.Max(1, math.Abs(want))) {
			return fmt.Errorf("%s: %v, computed afresh %v", name, got, want)
		}
		return nil
	}
	other := lglfm.Scales{SigmaX: 1.3, SigmaA: 0.7}
	type value struct {
		name  string
		value func(*State) float64
	}
	values := []value{
		{"log likelihood", (*State).LogLik},
		{"log probability of Z", (*State).LogProb},
		{"H", func(s *State) float64 { return s.Law().TotalIntensity() }},
		{"log likelihood at the same scales", func(s *State) float64 { return s.LogLikAt(s.Scales()) }},
		{"log prior at other scales", func(s *State) float64 { return s.LogPriorAt(other) }},
		{"log likelihood at other scales", func(s *State) float64 { return s.LogLikAt(other) }},
	}
	for k := range s.K() {
		for i := 0; i < s.N(); i += 1 + s.N()/8 {
			if s.z.Size(k) > 1 || !s.z.Has(i, k) {
				values = append(values, value{fmt.Sprintf("prior's ratio of the flip of item %d in column %d", i, k), func(s *State) float64 { return s.Law().LogFlip(i, k) }})
			}
		}
	}
	for k := range s.K() {
		values = append(values, value{fmt.Sprintf("likelihood's ratio without column %d", k), func(s *State) float64 { return s.LogRemove(k) }})
	}
	for k := 1; k < s.K(); k++ {
		values = append(values, value{fmt.Sprintf("likelihood's ratio of the sum of columns %d and %d", k-1, k), func(s *State) float64 {
			if !s.Steady() {
				return 0
			}
			return s.LogCombine(k-1, []collapsed.Term{{Column: k, Sign: 1}})
		}})
	}
	for _, v := range values {
		if err := near(v.name, v.value(s), v.value(want)); err != nil {
			return err
		}
	}
	return nil
}

// problem is a law with data.
type problem struct {
	name string
	law  prior.Law
	data *lglfm.Data
}

// has reports whether a state of the problem can make an edit.
func (p problem) has(e edit) bool {
	_, ok := p.law.(prior.Attraction)
	return (ok || e.name != "move the law") && (p.data.Intercept() || e.name != "complement a column")
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// problems have every law, few items and items that take two words.
func problems() (all []problem) {
	for _, n := range []int{7, 70} {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		x, place := make([][]float64, n), make([]float64, n)
		for i := range x {
			place[i] = 10 * rng.Float64()
			for range 4 {
				x[i] = append(x[i], rng.NormFloat64())
			}
		}
		data, distance := must(lglfm.NewData(x)), similarity.AbsDifference(place)
		aff, perm := prior.NewAffinity(distance, similarity.Exponential{}), prior.Identity(n)
		mass := 8 / math.Log(float64(n))
		for name, law := range map[string]prior.Law{
			"IBP":               must(prior.NewIBP(n, mass)),
			"AIBD":              must(prior.NewAIBD(aff, mass, 1, perm)),
			"AIBD, reciprocal":  must(prior.NewAIBD(prior.NewAffinity(distance, similarity.Reciprocal{Shift: 1}), mass, 1, perm)),
			"dd-IBP sequential": must(prior.NewSequentialDDIBP(aff, mass, 1, perm)),
			"dd-IBP symmetric":  must(prior.NewDDIBP(aff, mass/3, 0.2)),
		} {
			all = append(all, problem{fmt.Sprintf("%s of %d items", name, n), law, data})
			if name == "IBP" || name == "AIBD" {
				all = append(all, problem{fmt.Sprintf("%s of %d items with an intercept", name, n), law, must(data.WithIntercept())})
			}
		}
	}
	return all
}

// start returns a state of a few columns that can be combined.
func (p problem) start(rng *rand.Rand) *State {
	z := feature.New(p.law.N())
	for z.K() < 6 {
		if k := z.Append(); true {
			for i := range z.N() {
				if rng.IntN(3) == 0 {
					z.Flip(i, k)
				}
			}
			if z.Size(k) == 0 {
				z.Remove(k)
			}
		}
	}
	// Two columns whose sum is a set, and one that holds another.
	for k := range 2 {
		c := z.Append()
		for i := range z.N() {
			if z.Has(i, k) != (i%3 == 0 && k == 1) {
				z.Flip(i, c)
			}
		}
		if z.Size(c) == 0 {
			z.Remove(c)
		}
	}
	u := Unknowns{Z: z, Mass: p.law.Mass(), Temperature: math.NaN(), Scales: lglfm.Scales{SigmaX: 0.8, SigmaA: 1}}
	if a, ok := p.law.(prior.Attraction); ok {
		u.Temperature, u.Permutation = a.Temperature(), a.Permutation()
	}
	return New(collapsed.Unwrap(p.data), intensity.Unwrap(p.law).Tracker(), u, Weights{}, 1000)
}

// TestEdits: after each of many random edits everything derived from the unknowns is what
// it would be if computed afresh. It compares, so that it raises no false alarm.
func TestEdits(t *testing.T) {
	for _, p := range problems() {
		t.Run(p.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, 3))
			s, tree := p.start(rng), collapsed.Unwrap(p.data).Linkage()
			made := map[string]int{}
			for range 300 {
				e := edits[rng.IntN(len(edits))]
				if e.do(rng, s, tree) {
					made[e.name]++
				}
				if err := check(s, p.law); err != nil {
					t.Fatalf("after %s: %v", e.name, err)
				}
				for s.K() > 14 {
					s.Remove(0)
				}
			}
			for _, e := range edits {
				if made[e.name] < 8 && p.has(e) {
					t.Errorf("%s: %d times, too few to see anything", e.name, made[e.name])
				}
			}
		})
	}
}

// TestBrokenEdits: every edit that forgets a part of the state is noticed.
func TestBrokenEdits(t *testing.T) {
	for _, p := range problems() {
		for _, f := range faults {
			for _, e := range edits {
				if slices.Contains(f.not, e.name) || !p.has(e) || f.name == "the column of ones" && !p.data.Intercept() {
					continue
				}
				rng, caught := rand.New(rand.NewPCG(4, 5)), false
				for try := 0; try < 20 && !caught; try++ {
					s := p.start(rng)
					caught = broken(func() error {
						if !f.forget(s, func() bool { return e.do(rng, s, collapsed.Unwrap(p.data).Linkage()) }) {
							return nil
						}
						return check(s, p.law)
					})
				}
				if !caught {
					t.Errorf("%s: %s that forgets %s goes unnoticed", p.name, e.name, f.name)
				}
			}
		}
	}
}

// broken reports whether a check notices something. What is out of step may also panic.
func broken(check func() error) (got bool) {
	defer func() { got = got || recover() != nil }()
	return check() != nil
}

// ratios are the changes of the log likelihood that a state computes for some of its
// columns and items, and the states after these changes.
var ratios = []struct {
	name string
	log  func(s *State, tree *collapsed.Tree) float64
	next func(z *feature.Allocation, tree *collapsed.Tree)
}{
	{"flip", func(s *State, _ *collapsed.Tree) float64 {
		s.Open(3)
		defer s.Close(nil)
		return s.LogFlip(2)
	}, func(z *feature.Allocation, _ *collapsed.Tree) { z.Flip(3, 2) }},
	{"bound of a flip", func(s *State, _ *collapsed.Tree) float64 {
		s.Open(3)
		defer s.Close(nil)
		bounds, factors := make([]float64, s.K()), make([]float64, s.K())
		factors[2] = 1
		if s.FlipBounds(bounds, factors); bounds[2] >= 0.9999*math.Exp(s.LogFlip(2)) && bounds[2] < math.Inf(1) && bounds[1] == 0 {
			return s.LogFlip(2)
		}
		return math.NaN()
	}, func(z *feature.Allocation, _ *collapsed.Tree) { z.Flip(3, 2) }},
	{"block", func(s *State, _ *collapsed.Tree) float64 {
		s.Open(3)
		defer s.Close(nil)
		return s.Weigh(new(collapsed.Block), []int{1, 2})[3]
	}, func(z *feature.Allocation, _ *collapsed.Tree) {
		z.Flip(3, 1)
		z.Flip(3, 2)
	}},
	{"added column", func(s *State, _ *collapsed.Tree) float64 { return s.LogAppend(s.Column(2)) },
		func(z *feature.Allocation, _ *collapsed.Tree) { z.AppendColumn(slices.Clone(z.Column(2))) }},
	{"removed column", func(s *State, _ *collapsed.Tree) float64 { return s.LogRemove(2) },
		func(z *feature.Allocation, _ *collapsed.Tree) { z.Remove(2) }},
	{"combination", func(s *State, _ *collapsed.Tree) float64 {
		return s.LogCombine(2, []collapsed.Term{{Column: s.K() - 1, Sign: 1}})
	}, func(z *feature.Allocation, _ *collapsed.Tree) {
		for i := range z.N() {
			if z.Has(i, z.K()-1) {
				z.Flip(i, 2)
			}
		}
	}},
	{"toggle", func(s *State, tree *collapsed.Tree) float64 {
		s.Toggles(tree)
		s.ToggleColumn(2)
		return s.LogToggle(1)
	}, func(z *feature.Allocation, tree *collapsed.Tree) {
		for _, i := range feature.Members(nil, tree.Node(1)) {
			z.Flip(i, 2)
		}
	}},
}

// TestRatios: the changes equal those of the likelihood, with an intercept too. A state that
// takes [1 Z] for Z is noticed.
func TestRatios(t *testing.T) {
	for _, p := range problems() {
		tree := collapsed.Unwrap(p.data).Linkage()
		for _, r := range ratios {
			s := p.start(rand.New(rand.NewPCG(8, 9)))
			s.Append(slices.Clone(s.ComplementOf(2)))
			z := s.z.Clone()
			r.next(z, tree)
			want := lglfm.LogLik(p.data, z, s.scales) - lglfm.LogLik(p.data, &s.z, s.scales)
			differs := func() error {
				if got := r.log(s, tree); !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
					return fmt.Errorf("%s: %s: log ratio %v, expected %v", p.name, r.name, got, want)
				}
				return nil
			}
			if err := differs(); err != nil {
				t.Error(err)
			}
			if p.data.Intercept() && r.name != "added column" {
				if s.first = 0; !broken(differs) {
					t.Errorf("%s: %s: a forgotten column of ones goes unnoticed", p.name, r.name)
				}
			}
		}
	}
}

// TestMisuse: what would leave a state out of step panics.
func TestMisuse(t *testing.T) {
	p := problems()[0]
	for name, misuse := range map[string]func(s *State){
		"an edit while a row is open":       func(s *State) { s.Open(0); s.Remove(0) },
		"Accept without a proposal":         func(s *State) { s.Accept() },
		"Accept of a proposal before edits": func(s *State) { s.Propose(1, s.Permutation()); s.Remove(0); s.Accept() },
		"Toggle after another edit": func(s *State) {
			s.Toggles(collapsed.Unwrap(p.data).Linkage())
			s.ToggleColumn(0)
			s.Remove(1)
			s.Toggle(0)
		},
		"a sum of columns that is not a set": func(s *State) { s.Combine(0, []collapsed.Term{{Column: 0, Sign: 1}}) },
		"a complement without an intercept":  func(s *State) { s.Complement(0) },
		"a sum of columns that is empty":     func(s *State) { s.Combine(0, []collapsed.Term{{Column: 0, Sign: -1}}) },
	} {
		s := p.start(rand.New(rand.NewPCG(6, 7)))
		if func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			misuse(s)
			return false
		}() == false {
			t.Errorf("%s does not panic", name)
		}
	}
}
