package intensity_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/prior"
	"aibd/similarity"
)

// A tracker of two distances, of one decay or of two, agrees with the law computed afresh, through edits of the columns and
// proposals of either temperature and of the order, accepted or not. Some similarities underflow.
func TestTrackerOfSeveralDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 9
	for _, c := range []struct {
		length float64
		panel  bool // the distances have few combinations
		decays []similarity.Decay
	}{
		{3, false, []similarity.Decay{similarity.Exponential{}}},
		{2000, false, []similarity.Decay{similarity.Exponential{}}},
		{3, false, []similarity.Decay{similarity.Reciprocal{Shift: 1}, similarity.Exponential{}}},
		{2000, false, []similarity.Decay{similarity.Exponential{}, similarity.Reciprocal{Shift: 1}}},
		{3, false, []similarity.Decay{similarity.Window{}, similarity.Exponential{}}},
		{3, true, []similarity.Decay{similarity.Exponential{}}},
		{3, true, []similarity.Decay{similarity.Reciprocal{Shift: 1}, similarity.Exponential{}}},
	} {
		distances := similarity.Several{oneWay(rng, n, false), line(rng, n, c.length)}
		if c.panel {
			distances = similarity.Several{similarity.Same([]int{1, 1, 1, 2, 2, 2, 3, 3, 3}), similarity.AbsDifference([]float64{1, 2, 3, 1, 2, 3, 1, 2, 3})}
		}
		aff := prior.NewAffinity(distances, c.decays...)
		for name, law := range map[string]prior.Attraction{
			"AIBD":              must(prior.NewAIBD(aff, 1, 1, prior.Identity(n))),
			"sequential dd-IBP": must(prior.NewSequentialDDIBP(aff, 1, 1, prior.Identity(n))),
			"dd-IBP":            must(prior.NewDDIBP(aff, 1, 1)),
		} {
			tr, z := intensity.Unwrap(law).Tracker(), feature.New(n)
			tr.Reset(z)
			for step := range 400 {
				switch rng.IntN(4) {
				case 0:
					column := make([]uint64, z.Words())
					tr.DrawColumn(rng, column)
					tr.AppendColumn(column)
					z.AppendColumn(column)
				case 1:
					if z.K() > 5 {
						k := rng.IntN(z.K())
						tr.Remove(k)
						z.Remove(k)
					}
				default:
					temperature, tail, perm := law.Temperature(), law.FurtherTemperatures(), law.Permutation()
					switch rng.IntN(4) {
					case 0:
						temperature = 2 * rng.Float64()
					case 1:
						tail[0] = 2 * rng.Float64()
					case 2:
						tail[0] = 0
					}
					if perm != nil && rng.IntN(2) == 0 {
						perm = rng.Perm(n)
					}
					sum, h := tr.Propose(intensity.Temperatures{First: temperature, Tail: tail}, perm)
					next := law.WithFurtherTemperatures(tail).With(temperature, perm)
					if want := sumLogNu(next, z); !close(sum, want) || !close(h, next.TotalIntensity()) {
						t.Fatalf("%s, step %d: proposed %v and H %v, want %v and %v", name, step, sum, h, want, next.TotalIntensity())
					}
					tail[0] = math.NaN() // the tracker has a copy
					if rng.IntN(2) == 0 {
						tr.Accept()
						law = next
					}
				}
				if want := sumLogNu(law, z); !close(tr.SumLogIntensity(), want) {
					t.Fatalf("%s, step %d: sum %v, want %v", name, step, tr.SumLogIntensity(), want)
				}
				if i := rng.IntN(n); z.K() > 0 && !(z.Size(0) == 1 && z.Has(i, 0)) {
					flipped := z.Clone()
					flipped.Flip(i, 0)
					if want := law.LogIntensity(flipped.Column(0)) - law.LogIntensity(z.Column(0)); !math.IsNaN(want) && !close(tr.LogFlip(i, 0), want) { // not between columns that cannot occur
						t.Fatalf("%s, step %d: flip %v, want %v", name, step, tr.LogFlip(i, 0), want)
					}
				}
			}
		}
	}
}

// A proposal of temperatures takes no memory, whatever the decays.
func TestProposalsOfSeveralDistancesTakeNoMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 20
	for _, decays := range [][]similarity.Decay{
		{similarity.Exponential{}}, {similarity.Reciprocal{Shift: 1}, similarity.Exponential{}}, {similarity.Window{}, similarity.Exponential{}},
	} {
		aff := prior.NewAffinity(similarity.Several{oneWay(rng, n, false), line(rng, n, 3)}, decays...)
		for name, law := range map[string]prior.Attraction{
			"AIBD":              must(prior.NewAIBD(aff, 1, 1, prior.Identity(n))),
			"sequential dd-IBP": must(prior.NewSequentialDDIBP(aff, 1, 1, prior.Identity(n))),
			"dd-IBP":            must(prior.NewDDIBP(aff, 1, 1)),
		} {
			if name == "dd-IBP" && decays[0] == (similarity.Window{}) {
				continue // the logs of trees take memory
			}
			tr, z, perm := intensity.Unwrap(law).Tracker(), law.Rand(rng), law.Permutation()
			tr.Reset(z)
			next := intensity.Temperatures{First: 0.5, Tail: []float64{1}}
			propose := func() {
				next.First += 0.01
				tr.Propose(next, perm)
				tr.Accept()
			}
			propose()
			propose() // the tracker has two sets of tables
			if allocs := testing.AllocsPerRun(20, propose); allocs != 0 {
				t.Errorf("%s, %v: %v allocations", name, decays, allocs)
			}
		}
	}
}

// close reports whether two numbers differ by rounding only.
func close(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-7*(1+math.Abs(b)) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
