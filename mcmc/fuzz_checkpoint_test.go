package mcmc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// fuzzPosteriors returns small posteriors of every kind of law, with everything unknown and
// with only Z unknown.
func fuzzPosteriors(f *testing.F) []*Posterior {
	const n = 5
	data, err := lglfm.NewData(twin(n, 3).x)
	if err != nil {
		f.Fatal(err)
	}
	aff := prior.NewAffinity(similarity.AbsDifference([]float64{1, 1, 2, 4, 8}), similarity.Exponential{})
	ibp, err := prior.NewIBP(n, 1)
	if err != nil {
		f.Fatal(err)
	}
	aibd, err := prior.NewAIBD(aff, 1, 1, prior.Identity(n))
	if err != nil {
		f.Fatal(err)
	}
	ddibp, err := prior.NewDDIBP(aff, 1, 1)
	if err != nil {
		f.Fatal(err)
	}
	scale := ScalePrior{Max: 2}
	return []*Posterior{
		{Data: data, Law: aibd, Mass: &Gamma{1, 1}, Temperature: &Gamma{1, 1}, Permutation: true, SigmaX: scale, SigmaA: scale},
		{Data: data, Law: ibp, Mass: &Gamma{1, 1}, SigmaX: scale, SigmaA: ScalePrior{Gamma: &Gamma{1, 1}}},
		{Data: data, Law: ddibp, Temperature: &Gamma{1, 1}, SigmaA: scale},
		{Data: data, Law: aibd},
	}
}

// oneScan is done after a scan.
type oneScan struct {
	context.Context
	scans int
}

var errOneScan = errors.New("a scan was made")

func (c *oneScan) Err() error {
	if c.scans == 0 {
		return errOneScan
	}
	c.scans--
	return nil
}

// noNaN is a recorder that refuses draws that cannot be.
type noNaN struct{ t *testing.T }

func (r noNaN) Record(d *draws.Draw) error {
	for _, x := range []float64{d.Mass, d.SigmaX, d.SigmaA, d.LogLik, d.LogPrior} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			r.t.Errorf("drawn %+v", d)
		}
	}
	if t := d.Temperature; !math.IsNaN(t) && (t < 0 || math.IsInf(t, 0)) {
		r.t.Errorf("drawn %+v", d)
	}
	return nil
}

// fuzzChain returns a chain at its start, with settings that make short scans.
func fuzzChain(f *testing.F, post *Posterior) *Chain {
	chain, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}, fuzzOptions(), fuzzConfig, NewStream(1, "fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	return chain
}

var fuzzConfig = Config{Warmup: 1, Draws: 3, Thin: 1}

func fuzzOptions() Options {
	o := DefaultOptions()
	o.OtherUpdates = 2
	return o
}

// tryResume resumes a chain from a checkpoint, if it can be, and makes a scan.
func tryResume(t *testing.T, post *Posterior, p Checkpoint) {
	chain, err := Resume(post, fuzzOptions(), fuzzConfig, p)
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q", err)
		}
		return
	}
	again, err := chain.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(again); err != nil {
		t.Errorf("it cannot be stored again: %v", err)
	}
	if s := p.Scales; min(s.SigmaX, s.SigmaA) < 0.05 {
		return // the posterior of data so far from 0 has features without end
	}
	if err := chain.Run(&oneScan{t.Context(), 1}, noNaN{t}); err != nil && err != errOneScan && strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q", err)
	}
}

// Whatever a checkpoint holds, resuming from it gives an error of one line or a chain
// whose next scan ends, and ends without a number that is none.
func FuzzCheckpoint(f *testing.F) {
	posts := fuzzPosteriors(f)
	for i, post := range posts {
		chain := fuzzChain(f, post)
		for range 2 {
			p, err := chain.Checkpoint()
			if err != nil {
				f.Fatal(err)
			}
			text, err := json.Marshal(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), string(text))
			chain.Run(&oneScan{f.Context(), 1}, averager{})
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		var p Checkpoint
		if json.Unmarshal([]byte(text), &p) == nil {
			tryResume(t, posts[int(which)%len(posts)], p)
		}
	})
}

// The same for checkpoints that are whole, with numbers that a chain would not have.
func FuzzResume(f *testing.F) {
	posts := fuzzPosteriors(f)
	var good []Checkpoint
	for _, post := range posts {
		p, err := fuzzChain(f, post).Checkpoint()
		if err != nil {
			f.Fatal(err)
		}
		good = append(good, p)
	}
	for _, x := range []float64{1, 0, 1e-300, 1e300, 1e6, 1e-5, math.MaxFloat64, 5e-324} {
		f.Add(uint8(0), 1, x, 1., 1., 1., 0.1, 5., []byte{3, 17}, []byte{4, 3, 2, 1, 0})
		f.Add(uint8(0), 1, 1., x, 1., 1., x, 5., []byte{3, 17}, []byte{4, 3, 2, 1, 0})
		f.Add(uint8(1), 0, 1., 0., x, 1., 0.1, x, []byte{1, 2, 4, 8, 16, 31}, []byte{})
		f.Add(uint8(2), 3, 1., 2., 1., x, 0.1, 0., []byte{}, []byte{})
		f.Add(uint8(3), 3, 1., x, x, x, 0., 0., []byte{1, 1, 1, 1}, []byte{0, 1, 2, 3, 4})
	}
	f.Fuzz(func(t *testing.T, which uint8, done int, mass, temperature, sigmaX, sigmaA, step, count float64, columns, permutation []byte) {
		i := int(which) % len(posts)
		p := good[i]
		p.Done, p.Mass, p.Temperature, p.Scales = done, mass, temperature, lglfm.Scales{SigmaX: sigmaX, SigmaA: sigmaA}
		p.Columns, p.Features, p.Permutation = columns, len(columns), nil
		for _, item := range permutation {
			p.Permutation = append(p.Permutation, int(item))
		}
		p.Tuning = Tuning{Temperature: TemperatureWalk{step, count}, Scales: ScaleWalk{step, step, step, count}}
		tryResume(t, posts[i], p)
	})
}
