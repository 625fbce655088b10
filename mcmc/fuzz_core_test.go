package mcmc

// Fuzzing of whole scans at extreme but legal values.

import (
	"math"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/oracle/choices"
	"aibd/internal/oracle/dense"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// coreMax is the maximum number of features of the states, so that a scan stays short.
const coreMax = 200

// extremeProblem builds a posterior and a start.
func extremeProblem(t *testing.T, s *choices.Source) (*Posterior, Start, [][]float64) {
	n, d := 2+s.Below(7), s.Below(5)
	unit := s.Choose(1, 1e150, 1e-150, 1e8, 1e-8)
	x := make2(n, d)
	same := s.Below(4) == 0
	for i := range x {
		for j := range x[i] {
			x[i][j] = unit * float64(int8(s.Byte())) / 16
			if same && i > 0 {
				x[i][j] = x[0][j]
			}
		}
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	rows := make2(n, n)
	symmetric := s.Yes()
	for i := range rows {
		for j := range rows {
			rows[i][j] = s.Choose(1, 0, 1e-300, 1e-3, 5, 1e3, 1e150, 1e300, math.Inf(1))
			if symmetric && j < i {
				rows[i][j] = rows[j][i]
			}
		}
	}
	dist, err := similarity.NewMatrix(rows)
	if err != nil {
		t.Fatal(err)
	}
	kind := s.Below(4)
	decays := []similarity.Decay{similarity.Exponential{}, similarity.Reciprocal{Shift: 1}, similarity.Window{}, similarity.Constant{}, similarity.Reciprocal{}}
	decay := decays[s.Below(len(decays))]
	mass := s.Choose(1, 1e-300, 1e-8, 0.1, 10, 100)
	temperature := s.Choose(1, 0, 1e-6, 30, 1e3, 1e6)
	perm := s.Permutation(n)
	var law prior.Law
	affinity := prior.NewAffinity(dist, decay)
	switch kind {
	case 0:
		law, err = prior.NewIBP(n, mass)
	case 1:
		law, err = prior.NewAIBD(affinity, mass, temperature, perm)
	case 2:
		law, err = prior.NewSequentialDDIBP(affinity, mass, temperature, perm)
	default:
		law, err = prior.NewDDIBP(affinity, mass, temperature)
	}
	if err != nil {
		t.Skip(err) // the dd-IBP has no reciprocal decay without shift
	}
	sigma := func(values ...float64) (float64, ScalePrior) {
		v := unit * s.Choose(values...)
		switch s.Below(3) {
		case 0:
			return v, ScalePrior{}
		case 1:
			return v, ScalePrior{Max: 2 * v}
		}
		return v, ScalePrior{Gamma: &Gamma{2, 1 / v}}
	}
	post := &Posterior{Data: data, Law: law, Permutation: s.Yes() && (kind == 1 || kind == 2)}
	start := Start{Z: feature.New(n)}
	start.Scales.SigmaX, post.SigmaX = sigma(1, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1e4, 1e8)
	start.Scales.SigmaA, post.SigmaA = sigma(1, 1e-8, 1e-4, 1e-2, 0.1, 1e4, 1e8)
	if s.Yes() {
		post.Mass = &Gamma{1, 1}
	}
	if kind > 0 && temperature > 0 && s.Yes() {
		post.Temperature = &Gamma{1, 1 / temperature}
	}
	for range s.Below(10) {
		column := s.Byte()
		k := start.Z.Append()
		for i := range n {
			if column>>i&1 != 0 || i == 0 && column<<(8-n) == 0 {
				start.Z.Flip(i, k)
			}
		}
	}
	for i := range n {
		for range s.Below(30) / 10 * 10 {
			start.Z.Flip(i, start.Z.Append())
		}
	}
	return post, start, x
}

// checkState compares a state with its parts computed from scratch.
func checkState(t *testing.T, s *target, x [][]float64, limit int) {
	t.Helper()
	d := draws.Draw{LogPrior: s.LogPrior()}
	s.Fill(&d)
	for name, v := range map[string]float64{
		"mass": d.Mass, "SigmaX": d.SigmaX, "SigmaA": d.SigmaA, "log likelihood": d.LogLik, "log prior": d.LogPrior,
	} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%s is %v", name, v)
		}
	}
	if k := s.K(); k > limit {
		t.Fatalf("%d features, at most %d", k, limit)
	}
	want := dense.LogLikExact(x, s.Z().Rows(), d.SigmaX, d.SigmaA)
	if !(math.Abs(d.LogLik-want) <= 1e-7*math.Max(1, math.Abs(want))) {
		t.Fatalf("log likelihood %.17g, want %.17g, at SigmaX %g, SigmaA %g and Z\n%v", d.LogLik, want, d.SigmaX, d.SigmaA, s.Z())
	}
	law := s.law()
	sum := -s.Mass*s.Law().TotalIntensity() + float64(s.Z().K())*math.Log(s.Mass) + s.Law().SumLogIntensity() - s.Z().LogMultiplicities()
	if want := prior.LogProb(law.WithMass(s.Mass), s.Z().Clone()); !(math.Abs(sum-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Fatalf("log probability of Z %.17g, want %.17g, under %v", sum, want, law)
	}
}

// FuzzCore runs up to three scans of a small problem. A start may be refused where
// its prior is 0 or the data say that nothing can be computed, and for no other
// reason.
func FuzzCore(f *testing.F) {
	choices.Seed(f, 11, 200)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := (*choices.Source)(&b)
		scans, updates := 1+s.Below(3), s.Below(3)
		post, start, x := extremeProblem(t, s)
		state, err := newTarget(post, start, true, coreMax)
		if err != nil {
			if post.Data.Check(start.Scales) != nil {
				return
			}
			law := post.Law
			if lp := prior.LogProb(law, start.Z); math.IsInf(lp, -1) {
				return
			}
			t.Fatal(err)
		}
		options := DefaultOptions()
		options.OtherUpdates = updates
		options.StepX, options.StepA = start.Scales.SigmaX/10, start.Scales.SigmaA/10
		scan := options.scan(post, &tuner{newTuning(options), true})
		checkState(t, state, x, coreMax)
		rng := NewStream(7, "fuzz")
		for range scans {
			scan.Step(rng.Rand, state)
			checkState(t, state, x, coreMax)
		}
	})
}
