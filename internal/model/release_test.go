package model

import (
	"slices"
	"strings"
	"testing"

	"aibd/internal/spec"
)

// A run's spec with another law, decay or distance is what it would have been from the
// start.
func TestRelease(t *testing.T) {
	put(t, "x.csv", ages, "m.csv", "0,1,2\n1,0,3\n2,3,0\n", "signs.csv", "a,b\n0,1\n1,1\n0,0\n1,0\n")
	const (
		signs  = "[data]\nfile = 'signs.csv'\nid = '-'\nbinary = ['a', 'b']\n"
		file   = "[data]\nfile = 'x.csv'\n"
		matrix = file + "[distance]\nkind = 'matrix'\nfile = 'm.csv'\n"
		column = "[distance]\nkind = 'absolute'\ncolumns = ['lon']\n"
		sphere = "[distance]\nkind = 'great-circle'\n"

		weighted = "[likelihood]\nfeatures = 'weighted'\n"
		fixed    = "[prior.sigma_x]\nvalue = 2\nfixed = true\n"
	)
	binary := func(s *spec.Spec) { s.Likelihood.Features = "binary" }
	for name, c := range map[string]struct {
		from   string
		keys   []string
		change func(*spec.Spec)
		want   string
	}{
		"another distance":            {"", []string{"distance.kind", "distance.columns"}, func(s *spec.Spec) { s.Distance.Kind, s.Distance.Columns = "absolute", []string{"lon"} }, column},
		"a distance for a matrix":     {matrix, []string{"distance.kind", "distance.columns"}, func(s *spec.Spec) { s.Distance.Kind, s.Distance.Columns = "absolute", []string{"age"} }, file + strings.Replace(column, "lon", "age", 1)},
		"a distance for similarities": {matrix + "[prior]\ndecay = 'given'", []string{"distance.kind", "distance.columns"}, func(s *spec.Spec) { s.Distance.Kind, s.Distance.Columns = "absolute", []string{"age"} }, file + strings.Replace(column, "lon", "age", 1)},
		"a matrix for a distance":     {file + strings.Replace(column, "lon", "age", 1), []string{"distance.kind", "distance.file"}, func(s *spec.Spec) { s.Distance.Kind, s.Distance.File = "matrix", "m.csv" }, matrix},
		"another decay":               {matrix + "[prior]\ndecay = 'given'", []string{"prior.decay"}, func(s *spec.Spec) { s.Prior.Decay = "exponential" }, matrix},
		"attraction after none":       {"[prior]\nlaw = 'ibp'", []string{"prior.law"}, func(s *spec.Spec) { s.Prior.Law = "aibd" }, ""},
		"attraction over a distance":  {"[prior]\nlaw = 'ibp'", []string{"prior.law", "distance.kind"}, func(s *spec.Spec) { s.Prior.Law, s.Distance.Kind = "aibd", "great-circle" }, sphere},
		"none after attraction":       {"", []string{"prior.law"}, func(s *spec.Spec) { s.Prior.Law = "ibp" }, "[prior]\nlaw = 'ibp'\n" + sphere},
		"none after symmetric":        {"[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'", []string{"prior.law"}, func(s *spec.Spec) { s.Prior.Law = "ibp" }, "[prior]\nlaw = 'ibp'\n" + sphere},
		"attraction after symmetric":  {"[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'\ndecay = 'reciprocal'", []string{"prior.law"}, func(s *spec.Spec) { s.Prior.Law = "aibd" }, "[prior]\ndecay = 'reciprocal'"},
		"a file of proximities":       {file + strings.Replace(column, "lon", "age", 1) + "[prior]\nlaw = 'ddibp'", []string{"prior.proximity", "distance.kind"}, func(s *spec.Spec) { s.Prior.Proximity, s.Distance.Kind = "m.csv", "none" }, file + "[prior]\nlaw = 'ddibp'\nproximity = 'm.csv'"},
		"another proximity":           {file + strings.Replace(column, "lon", "age", 1) + "[prior]\nlaw = 'ddibp'", []string{"prior.proximity"}, func(s *spec.Spec) { s.Prior.Proximity = "symmetric" }, file + strings.Replace(column, "lon", "age", 1) + "[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'"},
		"distances after such a file": {file + "[prior]\nlaw = 'ddibp'\nproximity = 'm.csv'", []string{"prior.law", "distance.kind", "distance.file"}, func(s *spec.Spec) { s.Prior.Law, s.Distance.Kind, s.Distance.File = "aibd", "matrix", "m.csv" }, matrix},
		"a gamma prior of SigmaX":     {"", []string{"prior.sigma_x.shape"}, func(s *spec.Spec) { s.Prior.SigmaX.Shape, s.Prior.SigmaX.Rate = 1, 2 }, "[prior.sigma_x]\nshape = 1\nrate = 2"},
		"a uniform prior after such":  {"[prior.sigma_a]\nshape = 1\nrate = 2", []string{"prior.sigma_a.max"}, func(s *spec.Spec) { s.Prior.SigmaA.Max = 2 }, "[prior.sigma_a]\nmax = 2"},
		"an exponential prior after":  {"[prior.sigma_a]\nmax = 2", []string{"prior.sigma_a.mean"}, func(s *spec.Spec) { s.Prior.SigmaA.Mean = 3 }, "[prior.sigma_a]\nmean = 3"},
		"binary features of signs":    {signs + weighted, []string{"likelihood.features"}, binary, signs},
		"a given maximum of signs":    {signs + weighted + "[prior.sigma_a]\nmax = 1\n[sampler]\nstep_sigma_a = 0.5", []string{"likelihood.features"}, binary, signs + "[prior.sigma_a]\nmax = 1\n[sampler]\nstep_sigma_a = 0.5"},
		"a given maximum of numbers":  {weighted + "[prior]\nsigma_x = { value = 1, fixed = true }\nsigma_a = { max = 1 }\n[sampler]\nstep_sigma_a = 0.5", []string{"likelihood.features"}, binary, "[prior]\nsigma_x = { value = 1, fixed = true }\nsigma_a = { max = 1 }\n[sampler]\nstep_sigma_a = 0.5"},
		"a given step":                {signs + weighted + "[sampler]\nstep_sigma_a = 0.5", []string{"likelihood.features"}, binary, signs + "[sampler]\nstep_sigma_a = 0.5"},
		"signs with another SigmaX":   {signs + weighted + fixed, []string{"likelihood.features"}, binary, signs + fixed},
		"SigmaX of signs":             {signs, []string{"prior.sigma_x.value"}, func(s *spec.Spec) { s.Prior.SigmaX.Value = new(2.0) }, signs + fixed},
		"a maximum of signs":          {signs, []string{"prior.sigma_a.max"}, func(s *spec.Spec) { s.Prior.SigmaA.Max = 1 }, signs + "[prior.sigma_a]\nmax = 1"},
		"nothing that others hang on": {"", []string{"sampler.seed"}, func(s *spec.Spec) { s.Sampler.Seed = 2 }, "[sampler]\nseed = 2"},
	} {
		s := build(t, c.from).Spec
		s.Data.Hash = ""
		s.Release(func(prefixes ...string) bool {
			return slices.ContainsFunc(c.keys, func(key string) bool {
				return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
			})
		})
		c.change(&s)
		p, err := Load(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if found, want := string(p.Spec.TOML()), string(build(t, c.want).Spec.TOML()); found != want {
			for line := range strings.Lines(found) {
				if !strings.Contains(want, line) {
					t.Errorf("%s: found %s", name, line)
				}
			}
		}
	}
}
