package segment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"aibd/draws"
	"aibd/feature"

	"pgregory.net/rapid"
)

var _ draws.Recorder = (*Segment)(nil)

func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		count, n, k int
		order       bool
	}{
		{0, 62, 0, true}, {1, 1, 0, true}, {1, 1, 1, false}, {3, 1, 4, true},
		{20, 62, 74, true}, {20, 62, 74, false}, {5, 64, 9, true}, {5, 65, 9, true},
		{3, 8, 500, true}, {3, 131, 500, false}, {2500, 9, 3, true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			h := Header{N: c.n, Chain: 2, DrawsPerChain: 5000, Segment: 3, Run: "a run"}
			list := randDraws(1, c.count, c.n, c.k, c.order)
			header, got, err := decode(encode(t, h, list))
			if err != nil {
				t.Fatal(err)
			}
			if header != h {
				t.Errorf("found header %+v, expected %+v", header, h)
			}
			checkSame(t, got, list)
		})
	}
}

// Any draw that may be recorded comes back as it was, special values included.
func TestRoundTripAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Header{
			N:             rapid.IntRange(1, 140).Draw(t, "n"),
			Chain:         rapid.IntRange(0, 9).Draw(t, "chain"),
			DrawsPerChain: rapid.IntRange(1, math.MaxInt32/10).Draw(t, "drawsPerChain"),
		}
		items := make([]int, h.N)
		for i := range items {
			items[i] = i
		}
		double := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}))
		s := New(h)
		var list []*draws.Draw
		for range rapid.IntRange(0, 4).Draw(t, "count") {
			z := feature.New(h.N)
			for k := range rapid.IntRange(0, 5).Draw(t, "features") {
				z.Append()
				for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, h.N-1), 1, h.N, rapid.ID).Draw(t, "members") {
					z.Flip(i, k)
				}
			}
			d := &draws.Draw{
				Iteration: rapid.IntRange(0, h.DrawsPerChain-1).Draw(t, "iteration"),
				Mass:      double.Draw(t, "mass"), Temperature: double.Draw(t, "temperature"),
				SigmaX: double.Draw(t, "sigmaX"), SigmaA: double.Draw(t, "sigmaA"),
				LogLik: double.Draw(t, "logLik"), LogPrior: double.Draw(t, "logPrior"),
				Z: z,
			}
			if rapid.Bool().Draw(t, "order") {
				d.Permutation = rapid.Permutation(items).Draw(t, "permutation")
			}
			list = append(list, d)
			s.Record(d)
		}
		var b bytes.Buffer
		if _, err := s.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		header, got, err := decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if header != h || len(got) != len(list) {
			t.Fatalf("found %+v and %d draws, expected %+v and %d", header, len(got), h, len(list))
		}
		for i := range list {
			if !same(got[i], list[i]) {
				t.Fatalf("draw %d: found %+v, expected %+v", i, got[i], list[i])
			}
		}
	})
}

// The segment keeps its own copy, and Reset leaves no trace of earlier draws.
func TestReuse(t *testing.T) {
	h := Header{N: 62, DrawsPerChain: 100}
	first, second := randDraws(1, 9, 62, 90, true), randDraws(2, 7, 62, 40, false)
	s := New(h)
	d := new(draws.Draw)
	for range 3 {
		for _, batch := range [][]*draws.Draw{first, second} {
			for _, next := range batch {
				*d = *next
				d.Z = next.Z.Clone()
				d.Permutation = append([]int(nil), next.Permutation...)
				s.Record(d)
				for k := range d.Z.K() {
					d.Z.Flip(0, k)
				}
				clear(d.Permutation)
			}
			if s.Len() != len(batch) {
				t.Fatalf("Len is %d, expected %d", s.Len(), len(batch))
			}
			got := written(t, s)
			if again := written(t, s); !bytes.Equal(got, again) {
				t.Fatal("a second WriteTo gives other bytes")
			}
			if !bytes.Equal(got, encode(t, h, batch)) {
				t.Fatal("a used segment gives other bytes than a new one")
			}
			h.Segment++
			s.Reset(h.Segment)
			if s.Len() != 0 {
				t.Fatalf("Len is %d after Reset", s.Len())
			}
		}
	}
}

// Segments share the compressor's memory: what others write at the same time
// does not matter.
func TestSameBytesConcurrently(t *testing.T) {
	h := Header{N: 62, DrawsPerChain: 100}
	list := [2][]*draws.Draw{randDraws(1, 50, 62, 90, true), randDraws(2, 50, 62, 30, true)}
	expected := [2][]byte{encode(t, h, list[0]), encode(t, h, list[1])}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range 5 {
				if !bytes.Equal(encode(t, h, list[i%2]), expected[i%2]) {
					t.Error("other bytes")
				}
			}
		})
	}
	group.Wait()
}

var errDiskFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 3, errDiskFull }

func TestWriteToError(t *testing.T) {
	if n, err := New(Header{N: 1, DrawsPerChain: 1}).WriteTo(failing{}); n != 3 || err != errDiskFull {
		t.Errorf("found %d, %v", n, err)
	}
}

func TestMisuse(t *testing.T) {
	record := func(change func(d *draws.Draw)) func() {
		return func() {
			d := randDraws(1, 1, 9, 2, true)[0]
			change(d)
			New(Header{N: 9, DrawsPerChain: 10}).Record(d)
		}
	}
	for _, c := range []struct {
		expected string
		do       func()
	}{
		{"0 items", func() { New(Header{DrawsPerChain: 1}) }},
		{"chain -1", func() { New(Header{N: 1, Chain: -1, DrawsPerChain: 1}) }},
		{"chain 2147483647", func() { New(Header{N: 1, Chain: math.MaxInt32, DrawsPerChain: 1}) }},
		{"0 draws per chain", func() { New(Header{N: 1}) }},
		{"1 to 1073741823", func() { New(Header{N: 1, Chain: 1, DrawsPerChain: 1 << 30}) }},
		{"iteration -1", record(func(d *draws.Draw) { d.Iteration = -1 })},
		{"iteration 10", record(func(d *draws.Draw) { d.Iteration = 10 })},
		{"8 items", record(func(d *draws.Draw) { d.Z = feature.New(8) })},
		{"feature 2 (from zero) has no item", record(func(d *draws.Draw) { d.Z.Append() })},
		{"found 3 entries", record(func(d *draws.Draw) { d.Permutation = []int{0, 1, 2} })},
		{"found item 10", record(func(d *draws.Draw) { d.Permutation[4] = 9 })},
		{"again", record(func(d *draws.Draw) { d.Permutation[4] = d.Permutation[3] })},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.expected) {
					t.Errorf("found panic %q, expected %q", got, c.expected)
				}
			}()
			c.do()
		}()
	}
}

// The size of the paper's application: 62 items, about 74 features.
func BenchmarkSegment(b *testing.B) {
	// A chain changes little from scan to scan: each draw flips ten entries.
	list := chainLike(1000, 62, 74, 10)
	s := New(Header{N: 62, DrawsPerChain: 1000})
	var file bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(0)
		for _, d := range list {
			s.Record(d)
		}
		file.Reset()
		s.WriteTo(&file)
	}
	b.ReportMetric(float64(file.Len())/float64(len(list)), "B/draw")
}
