package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"aibd/internal/results"
	"aibd/mcmc"
)

// The picture shows the mean of X as fitted, so of logarithms, in its interval, and not the logarithm
// of the mean.
func TestPredictedAsFitted(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"x.csv":    "id,a,b,c\na,0.001,0.2,yes\nb,1000,0.4,no\nc,0.01,0.5,yes\nd,100,0.1,no\ne,0.1,0.3,no\nf,10,0.6,yes\n",
		"held.csv": "item,variable\nc,a\nf,b\ne,c\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call(t, "fit", "x.csv", "--prior", "ibp", "--log", "a", "--scale=false", "--binary", "c", "--set", "data.holdout_file=held.csv", "--chains", "1", "--warmup", "20", "--draws", "40", "--quiet", "--out", "run")
	j, err := results.Open("run")
	if err != nil {
		t.Fatal(err)
	}
	p, err := j.Predict(results.DefaultPredicted)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Cells {
		lower, upper := p.AsFitted(c, c.Lower), p.AsFitted(c, c.Upper)
		if !(lower <= c.Fitted && c.Fitted <= upper) {
			t.Errorf("%s: found the mean %v, expected one from %v to %v", c.Variable, c.Fitted, lower, upper)
		}
		if log := math.Log(float64(c.Mean)); c.Variable == "a" && log <= upper {
			t.Errorf("found the log %v of the mean in the file, expected one above %v", log, upper)
		}
	}
}

// A new item in other units has a bounded number of features of its own. A note comes before the work.
func TestPredictNewFarOut(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"x.csv":   "id,a,b\na,1,2\nb,3,1\nc,2,2\nd,1,4\ne,4,3\n",
		"new.csv": "id,a,b\nordinary,2,NA\nfar,100000,NA\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call(t, "fit", "x.csv", "--features", "binary", "--prior", "ibp", "--chains", "1", "--warmup", "20", "--draws", "40", "--quiet", "--out", "run")
	var out, errs bytes.Buffer
	if err := Run([]string{"predict", "run", "new.csv", "--json"}, strings.NewReader(""), &out, &errs); err != nil {
		t.Fatal(err)
	}
	if notes := errs.String(); strings.Count(notes, "Note:") != 1 || !strings.HasPrefix(notes, `Note: new.csv: line 3, column "a": found 100000, `) {
		t.Errorf("found the notes %s", notes)
	}
	var got struct {
		Items []struct {
			Singletons float64
			Limited    int `json:"limited_draws"`
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if i := got.Items; i[0].Limited != 0 || i[1].Limited != 40 || math.Abs(i[1].Singletons-mcmc.MaxSingletons) > 1e-9 {
		t.Errorf("found %+v", got)
	}
}

// A new item that is like one of the run has the features of that one with the same weights, with the
// signs of the estimate.
func TestPredictNewWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 6))
	x, another := "id,a,b,c,d\n", "id,a,b,c,d\n"
	for i := range 24 {
		w, row := rng.NormFloat64(), ""
		for _, loading := range []float64{4, -3, 5, 2} {
			row += fmt.Sprintf(",%.3f", w*loading+0.3*rng.NormFloat64())
		}
		x += fmt.Sprintf("old%d%s\n", i, row)
		if i < 6 {
			another += fmt.Sprintf("new%d%s\n", i, row)
		}
	}
	put(t, "x.csv", x)
	put(t, "new.csv", another)
	call(t, "fit", "x.csv", "--features", "weighted", "--chains", "2", "--warmup", "300", "--draws", "200", "--quiet", "--out", "run")
	var estimate struct{ Features []struct{ Weights []float64 } }
	var got struct{ Items []struct{ Weights []float64 } }
	for name, into := range map[string]any{"estimate run --json": &estimate, "predict run new.csv --json": &got} {
		var out bytes.Buffer
		if err := Run(strings.Fields(name), strings.NewReader(""), &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	for i, item := range got.Items {
		if want := estimate.Features[0].Weights[i]; math.Abs(item.Weights[0]-want) > 0.15 {
			t.Errorf("item %d: found weight %v, expected about %v", i, item.Weights[0], want)
		}
	}
}

// A table in logarithms of one more is predicted as one with values one larger is in logarithms.
func TestPredictLog1p(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "x.csv", "id,a,b\na,0,2\nb,12,5\nc,1,3\nd,NA,4\ne,3,1\nf,7,6\n")
	put(t, "one.csv", "id,a,b\na,1,2\nb,13,5\nc,2,3\nd,NA,4\ne,4,1\nf,8,6\n")
	put(t, "held.csv", "item,variable\na,a\nf,b\n")
	var all []*results.Predictions
	for file, flag := range map[string]string{"x": "--log1p", "one": "--log"} {
		call(t, "fit", file+".csv", "--prior", "ibp", flag, "a", "--set", "data.holdout_file=held.csv", "--chains", "1", "--warmup", "20", "--draws", "40", "--quiet", "--out", file)
	}
	for _, dir := range []string{"x", "one"} {
		j, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := j.Predict(results.DefaultPredicted)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for i, c := range all[0].Cells {
		one, other := 0.0, all[1].Cells[i]
		if c.Variable == "a" {
			one = 1
		}
		got := []float64{float64(c.Mean) + one, float64(c.SD), float64(c.Lower) + one, float64(c.Upper) + one}
		for k, want := range []results.Number{other.Mean, other.SD, other.Lower, other.Upper} {
			if w := float64(want); math.Abs(got[k]-w) > 1e-6*math.Abs(w) {
				t.Errorf("cell %d, number %d: found %v, expected %v", i, k, got[k], w)
			}
		}
		if c.LogScore != nil && math.Abs(float64(*c.LogScore-*other.LogScore)) > 1e-6 {
			t.Errorf("cell %d: log density %v, expected %v", i, *c.LogScore, *other.LogScore)
		}
	}
}
