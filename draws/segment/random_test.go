package segment

import (
	"bytes"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
)

// randZ returns an allocation of n items and k features, each item with each
// feature with probability p, and no feature without an item.
func randZ(rng *rand.Rand, n, k int, p float64) *feature.Allocation {
	z := feature.New(n)
	for j := range k {
		z.Append()
		for i := range n {
			if rng.Float64() < p {
				z.Flip(i, j)
			}
		}
		if z.Size(j) == 0 {
			z.Flip(rng.IntN(n), j)
		}
	}
	return z
}

// randDraw returns a draw whose doubles are multiples of 1/8, so that sums over
// a few of them are exact in any order. Laws without order have no temperature
// and no permutation.
func randDraw(rng *rand.Rand, iteration, n, k int, order bool) *draws.Draw {
	eighth := func() float64 { return float64(rng.IntN(1000)) / 8 }
	d := &draws.Draw{
		Iteration:   iteration,
		Mass:        eighth(),
		Temperature: math.NaN(),
		SigmaX:      eighth(),
		SigmaA:      eighth(),
		LogLik:      -eighth(),
		LogPrior:    -eighth(),
		Z:           randZ(rng, n, k, 0.1),
	}
	if order {
		d.Temperature = eighth()
		d.Permutation = rng.Perm(n)
	}
	return d
}

// randDraws returns draws of alternately more and fewer features, the first of
// k, the second of none.
func randDraws(seed uint64, count, n, k int, order bool) []*draws.Draw {
	rng := rand.New(rand.NewPCG(seed, 0))
	list := make([]*draws.Draw, count)
	for i := range list {
		list[i] = randDraw(rng, i, n, k*((i+1)%2), order)
	}
	return list
}

// encode returns the bytes of a segment of the given draws.
func encode(t testing.TB, h Header, list []*draws.Draw) []byte {
	t.Helper()
	s := New(h)
	for _, d := range list {
		if err := s.Record(d); err != nil {
			t.Fatal(err)
		}
	}
	return written(t, s)
}

// written returns the bytes that s writes.
func written(t testing.TB, s *Segment) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := s.WriteTo(&b)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(b.Len()) {
		t.Fatalf("WriteTo says %d bytes, wrote %d", n, b.Len())
	}
	return b.Bytes()
}

// opened returns a reader of a segment.
func opened(t testing.TB, file []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), "test.parquet")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// decode reads a segment: its header, its draws and the first error.
func decode(file []byte) (Header, []*draws.Draw, error) {
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), "test.parquet")
	if err != nil {
		return Header{}, nil, err
	}
	list, err := collect(r.Draws())
	return r.Header(), list, err
}

func collect(seq iter.Seq2[*draws.Draw, error]) (list []*draws.Draw, _ error) {
	for d, err := range seq {
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// same reports whether a and b are the same to the last bit, columns of Z in the
// same order.
func same(a, b *draws.Draw) bool {
	bits := func(list []float64) []uint64 { return lists.Map(list, math.Float64bits) }
	floats := func(d *draws.Draw) []uint64 {
		temperature := d.Temperature
		if math.IsNaN(temperature) { // stored as absent, whatever its bits
			temperature = math.NaN()
		}
		return bits([]float64{d.Mass, d.SigmaX, d.SigmaA, d.LogLik, d.LogPrior, temperature})
	}
	return a.Iteration == b.Iteration && slices.Equal(floats(a), floats(b)) &&
		slices.Equal(a.Permutation, b.Permutation) && (a.Permutation == nil) == (b.Permutation == nil) &&
		slices.Equal(bits(a.Shares), bits(b.Shares)) && (a.Shares == nil) == (b.Shares == nil) &&
		slices.Equal(bits(a.Rates), bits(b.Rates)) && (a.Rates == nil) == (b.Rates == nil) &&
		slices.Equal(a.Weights, b.Weights) && (a.Weights == nil) == (b.Weights == nil) &&
		a.Z.N() == b.Z.N() && a.Z.K() == b.Z.K() && a.Z.String() == b.Z.String()
}

func checkSame(t testing.TB, got, expected []*draws.Draw) {
	t.Helper()
	if !slices.EqualFunc(got, expected, same) {
		t.Fatalf("found draws %+v, expected %+v", got, expected)
	}
}

// chainLike returns draws each of which differs from the one before in a number
// of entries of Z, in two positions of the permutation and in every scalar.
func chainLike(count, n, k, flips int) []*draws.Draw {
	rng := rand.New(rand.NewPCG(3, 0))
	list := []*draws.Draw{randDraw(rng, 0, n, k, true)}
	for i := range count - 1 {
		next := randDraw(rng, i+1, n, 0, true)
		for _, v := range []*float64{&next.Mass, &next.Temperature, &next.SigmaX, &next.SigmaA, &next.LogLik, &next.LogPrior} {
			*v += rng.Float64()
		}
		next.Permutation = slices.Clone(list[i].Permutation)
		a, b := rng.IntN(n), rng.IntN(n)
		next.Permutation[a], next.Permutation[b] = next.Permutation[b], next.Permutation[a]
		next.Z = list[i].Z.Clone()
		for range flips {
			item, j := rng.IntN(n), rng.IntN(k)
			if next.Z.Flip(item, j); next.Z.Size(j) == 0 {
				next.Z.Flip(item, j)
			}
		}
		list = append(list, next)
	}
	return list
}
