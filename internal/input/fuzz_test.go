package input

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/internal/model"
	"aibd/internal/spec"
)

// finiteDraws is a recorder that reports draws that cannot be.
type finiteDraws struct{ t *testing.T }

func (r finiteDraws) Record(d *draws.Draw) error {
	for _, x := range []float64{d.Mass, d.SigmaX, d.SigmaA, d.LogLik, d.LogPrior} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			r.t.Errorf("drawn %+v", d)
		}
	}
	return nil
}

// From a spec and files to draws: an error of one line, or a chain that draws numbers.
func FuzzBuild(f *testing.F) {
	dir := f.TempDir()
	const (
		x   = "id,a,b,age\nu,1,2,30\nv,2,1,40\nw,4,3,50\ny,4,4,50\n"
		m   = ",u,v,w,y\nu,0,1,2,3\nv,1,0,1,2\nw,2,1,0,0\ny,3,2,0,0\n"
		z   = "1,0\n1,1\n0,1\n0,0\n"
		age = "[data]\nfile = 'x'\n[distance]\nkind = 'absolute'\ncolumns = ['age']\n"
		mat = "[data]\nfile = 'x'\n[distance]\nkind = 'matrix'\nfile = 'm'\n"
	)
	for _, text := range []string{
		age, mat, "[data]\nfile = 'x'\n[prior]\nlaw = 'ibp'", age + "[sampler]\ninit = 'z'", age + "[prior]\nlaw = 'ddibp'", age + "[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'",
		"[data]\nfile = 'x'\n[prior]\nlaw = 'ddibp'\nproximity = 'm'", mat + "[prior]\ndecay = 'given'", mat + "[prior]\ndecay = 'reciprocal'\ndecay_shift = 1e-300",
		mat + "[prior]\ndecay = 'reciprocal'\ntemperature = { value = 1e6, fixed = true }", mat + "[prior]\ntemperature = { value = 0, fixed = true }",
		age + "[prior]\nmass = { shape = 1e12, rate = 1 }", age + "[prior]\nmass = { value = 1e300 }\n[sampler]\ninit = 'prior'", age + "[prior.sigma_x]\nvalue = 1e-300", age + "[prior.sigma_x]\nshape = 1e-300\nrate = 1e300",
		age + "[prior.permutation]\norder = [4, 3, 2, 1]", "[data]\nfile = 'x'\nlog = ['a*']\ncenter = false\nscale = false\n[distance]\nkind = 'euclidean'\ncolumns = ['*']\nper = 1e-300\nshift = 1e300",
		"[data]\nfile = 'x'\nside = 'm'\n[distance]\nkind = 'great-circle'\ncolumns = ['u', 'v']", age + "[sampler]\nstep_sigma_x = 1e300\nstep_temperature = 1e300",
	} {
		f.Add(text, x, m, z)
	}
	f.Add(mat, "a,b\n1e300,1\n-1e300,2\n", "0,1e300\n0,0\n", "1\n0\n")
	f.Add(mat+"[prior]\ndecay = 'reciprocal'", "a,b\n1,1\n2,2\n", "0,Inf\n0,0\n", "-\n-\n")
	f.Fuzz(func(t *testing.T, text, x, m, z string) {
		s, err := spec.ParseTOML([]byte(text), "spec.toml")
		if err != nil || s.Validate() != nil {
			return
		}
		// All names open the files of the test.
		s = s.Complete()
		for name, key := range map[string]*string{"x.csv": &s.Data.File, "m.csv": &s.Distance.File, "side.csv": &s.Data.Side, "z.txt": &s.Sampler.Init, "p.csv": &s.Prior.Proximity} {
			content := map[string]string{"x.csv": x, "z.txt": z}[name]
			if content == "" {
				content = m
			}
			switch {
			case *key == "", name == "z.txt" && (*key == "empty" || *key == "prior"), name == "p.csv" && s.Prior.ProximityFile() == "":
				continue
			}
			*key = filepath.Join(dir, name)
			if err := os.WriteFile(*key, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		p, err := within(1e8).Build(s)
		if err == nil {
			err = tryChain(t, p)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q", err)
		}
	})
}

// tryChain makes some scans of a chain whose problem is small.
func tryChain(t *testing.T, p *model.Problem) error {
	o := &p.Spec.Sampler
	o.OtherUpdates, o.Insertions = new(min(*o.OtherUpdates, 2)), min(o.Insertions, 2)
	o.Warmup, o.Draws, o.Thin = 2, 3, 1
	chain, err := p.NewChain(t.Context(), 0)
	if err != nil {
		return err
	}
	s, err := p.Start(t.Context(), 0)
	if err != nil {
		return err
	}
	if len(p.IDs) > 20 || s.Mass > 100 || min(s.Scales.SigmaX, s.Scales.SigmaA) < 0.05 {
		return nil // for long, or with features without end
	}
	if m := p.Posterior.Mass; m != nil && m.Shape/m.Rate > 100 {
		return nil // for long
	}
	again, err := Build(p.Spec)
	if err != nil || again.DataHash != p.DataHash {
		t.Errorf("built again: %v", err)
	}
	return chain.Run(t.Context(), finiteDraws{t})
}
