package model

import (
	"slices"
	"testing"

	"aibd/internal/oracle/fixture"
	"aibd/prior"
	"aibd/similarity"
)

// ageAffinity is the affinity of fixture.ByAge.
func ageAffinity(t *testing.T, decay similarity.Decay) *prior.Affinity {
	t.Helper()
	m, err := similarity.NewMatrix(fixture.AgeDistances())
	if err != nil {
		t.Fatal(err)
	}
	return prior.NewAffinity(m, decay)
}

// Each proximity stands for the law of package prior that it should, with data and
// without.
func TestDDIBP(t *testing.T) {
	put(t, "x.csv", ages, "d.csv", fixture.ByAge, "p.csv", fixture.Nearness, "plain.csv", "0,0.5,0\n0.25,0,2\n0,1,0\n")
	symmetric, err := prior.NewDDIBP(ageAffinity(t, similarity.Exponential{}), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	power, err := prior.NewDDIBP(ageAffinity(t, similarity.Reciprocal{Shift: 1}), 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	sequential, err := prior.NewSequentialDDIBP(ageAffinity(t, similarity.Exponential{}), 2, 3, []int{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := similarity.NewMatrix([][]float64{{0, 0.5, 0}, {0.25, 0, 2}, {0, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := prior.NewDDIBP(prior.NewAffinity(m, similarity.Given{}), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	const (
		data   = "[data]\nfile = 'x.csv'\n"
		matrix = "[distance]\nkind = 'matrix'\nfile = 'd.csv'\n"
		ddibp  = "[prior]\nlaw = 'ddibp'\nmass = { value = 2 }\n"
		at3    = "temperature = { value = 3 }\n"
	)
	for _, c := range []struct {
		text string
		law  prior.Attraction
		unit string
	}{
		{data + matrix + ddibp + at3 + "permutation = { kind = 'fixed', order = [3, 1, 2] }", sequential, "unit of d.csv"},
		{matrix + ddibp + at3 + "permutation = { order = [3, 1, 2] }", sequential, "unit of d.csv"},
		{matrix + ddibp + "temperature_unit = 'distance'\nproximity = 'symmetric'", symmetric, "unit of d.csv"},
		{matrix + ddibp + at3 + "proximity = 'symmetric'\ndecay = 'reciprocal'", power, "unit of d.csv"},
		{data + ddibp + "proximity = 'p.csv'", symmetric, ""},
		{ddibp + "proximity = 'plain.csv'", plain, ""},
		{data + "[distance]\nkind = 'matrix'\nfile = 'plain.csv'\n" + ddibp + "proximity = 'symmetric'\ndecay = 'given'", plain, "unit of plain.csv"},
	} {
		p, err := loadPrior(parse(t, c.text), 0)
		if err != nil {
			t.Fatalf("%s\n%v", c.text, err)
		}
		// The laws differ in the sharing of three items.
		want := c.law.ExpectedSharing()
		got := p.Law.(prior.Attraction)
		for i, row := range got.ExpectedSharing() {
			for j := range row {
				if !near(row[j], want[i][j]) {
					t.Fatalf("%s\n%v: expected sharing %v, of %v %v", c.text, got, got.ExpectedSharing(), c.law, want)
				}
			}
		}
		if p.Unit != c.unit || !near(got.TotalIntensity(), c.law.TotalIntensity()) || !slices.Equal(got.Permutation(), c.law.Permutation()) {
			t.Errorf("%s\nunit %q, intensity %v, permutation %v", c.text, p.Unit, got.TotalIntensity(), got.Permutation())
		}
		if c.law != plain && !near(got.Temperature(), c.law.Temperature()) {
			t.Errorf("%s\ntemperature %v", c.text, got.Temperature())
		}
	}
}

// At temperature 0 the number of features is Poisson(mass) where any item may link to
// any other, and that of the IBP where only to earlier ones.
func TestDDIBPAtTemperature0(t *testing.T) {
	put(t, "d.csv", fixture.ByAge)
	for text, want := range map[string]float64{
		"": 3 * (1 + 1./2 + 1./3), "proximity = 'symmetric'": 3,
	} {
		p, err := loadPrior(parse(t, "[distance]\nkind = 'matrix'\nfile = 'd.csv'\n[prior]\nlaw = 'ddibp'\nmass = { value = 3 }\ntemperature = { fixed = true, value = 0 }\n"+text), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Law.Mass() * p.Law.TotalIntensity(); !near(got, want) {
			t.Errorf("%s: %v features, expected %v", text, got, want)
		}
	}
}
