package lab

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/dataset"
	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

var peerFolder = flag.String("peer", "", "folder with the data and the curves of docs/lab/peers.md: make what is not there, and write the table")

// The simulation of Bouchard-Côté and Roth, https://github.com/Roth-Lab/pgfa_experiments,
// lg/pipeline, run ibp_20.
const (
	peerN, peerD, peerK = 1000, 10, 20
	peerMass            = 2.0
	peerMissing         = 0.1
	peerSets            = 4
)

var peerScales = lglfm.Scales{SigmaX: 0.2, SigmaA: 2} // precisions 25 and 0.25

// peer is one simulated data set.
type peer struct {
	x, truth [][]float64 // x is NaN where a cell is missing
	z        *feature.Allocation
	data     *lglfm.Data
}

// simulatePeer draws data set number set with n items.
func simulatePeer(t testing.TB, set, n int) peer {
	rng := mcmc.NewStream(uint64(set), "peer").Rand
	p := peer{z: feature.New(n)}
	for range peerK {
		share := distuv.Beta{Alpha: peerMass / peerK, Beta: 1, Src: rng}.Rand()
		column := make([]uint64, p.z.Words())
		for i := range n {
			if rng.Float64() < share {
				column[i/64] |= 1 << (i % 64)
			}
		}
		if slices.Max(column) > 0 {
			p.z.AppendColumn(column)
		}
	}
	p.truth, _ = dataset.Simulate(rng, p.z, peerD, peerScales.SigmaX, peerScales.SigmaA)
	for _, row := range p.truth {
		p.x = append(p.x, slices.Clone(row))
		for j := range row {
			if rng.Float64() < peerMissing {
				p.x[len(p.x)-1][j] = math.NaN()
			}
		}
	}
	var err error
	if p.data, err = lglfm.NewData(p.x); err != nil {
		t.Fatal(err)
	}
	return p
}

// score returns the log of p(X, Z | scales, mass) and the root mean squared error of the
// means of the missing cells.
func (p peer) score(t testing.TB, z *feature.Allocation, scales lglfm.Scales, mass float64) (logJoint, rmse float64) {
	law, err := prior.NewIBP(z.N(), mass)
	if err != nil {
		t.Fatal(err)
	}
	var cells collapsed.Cells
	cells.Reset(collapsed.Unwrap(p.data), z, collapsed.Scales(scales))
	sum, n := 0.0, 0
	cells.Moments(func(i, j int, mean, sd float64) {
		sum += (p.truth[i][j] - mean) * (p.truth[i][j] - mean)
		n++
	})
	return lglfm.LogLik(p.data, z, scales) + prior.LogProb(law, z), math.Sqrt(sum / float64(n))
}

// A peerPoint is a point of the curve of a sampler.
type peerPoint struct{ seconds, features, logJoint, rmse float64 }

// sample runs the default scan, with blocks as aibd fit has for few variables, for about the
// given processor time, annealed over the given number of scans.
func (p peer) sample(t testing.TB, set, anneal int, seconds float64) (curve []peerPoint) {
	law, err := prior.NewIBP(p.z.N(), 1)
	if err != nil {
		t.Fatal(err)
	}
	post := &mcmc.Posterior{Data: p.data, Law: law, Mass: &mcmc.Gamma{Shape: 1, Rate: 1}, SigmaX: mcmc.ScalePrior{Max: p.sd()}, SigmaA: mcmc.ScalePrior{Max: 2 * p.sd()}}
	o := mcmc.OptionsFor(post, 0)
	o.Anneal, o.Blocks = anneal, 6
	stream := mcmc.NewStream(uint64(set), "peer chain")
	spent, began := 0.0, fixture.ProcessorTime()
	start, err := post.DrawStart(stream.Rand, mcmc.Start{}, mcmc.InitEmpty)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcmc.NewChain(post, start, o, mcmc.Config{Warmup: 2 * anneal, Draws: 1 << 20, Thin: 1}, stream)
	if err != nil {
		t.Fatal(err)
	}
	for spent < seconds {
		if err := c.Run(&oneScan{Context: t.Context()}, nothing); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		spent += (fixture.ProcessorTime() - began).Seconds()
		d := c.State()
		logJoint, rmse := p.score(t, d.Z, lglfm.Scales{SigmaX: d.SigmaX, SigmaA: d.SigmaA}, d.Mass)
		curve = append(curve, peerPoint{spent, float64(d.Z.K()), logJoint, rmse})
		began = fixture.ProcessorTime()
	}
	return curve
}

// oneScan is a context that ends after one scan of a chain, which asks it before each.
type oneScan struct {
	context.Context
	asked int
}

func (c *oneScan) Err() error {
	if c.asked++; c.asked > 1 {
		return context.Canceled
	}
	return c.Context.Err()
}

// nothing records no draws.
var nothing = draws.RecorderFunc(func(*draws.Draw) error { return nil })

// sd is the standard deviation of the observed cells about 0.
func (p peer) sd() float64 {
	sum, n := 0.0, 0
	for _, row := range p.x {
		for _, v := range row {
			if !math.IsNaN(v) {
				sum += v * v
				n++
			}
		}
	}
	return math.Sqrt(sum / float64(n))
}

// peerCSV writes numbers with a header; a missing one is empty.
func peerCSV(t testing.TB, name string, header []string, rows [][]float64) {
	text := strings.Join(header, ",") + "\n"
	for _, row := range rows {
		var cells []string
		for _, v := range row {
			if math.IsNaN(v) {
				cells = append(cells, "")
			} else {
				cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		text += strings.Join(cells, ",") + "\n"
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// readCurve reads a curve. It returns nil if there is none.
func readCurve(t testing.TB, name string) []peerPoint {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var curve []peerPoint
	for _, row := range rows[1:] {
		var v [4]float64
		for j := range v {
			if v[j], err = strconv.ParseFloat(row[j], 64); err != nil {
				t.Fatal(err)
			}
		}
		curve = append(curve, peerPoint{v[0], v[1], v[2], v[3]})
	}
	return curve
}

// TestPeer writes the table of docs/lab/peers.md with -peer=FOLDER, and otherwise makes a small
// one. It leaves data and curves in FOLDER, makes only those of ours that are not there, and
// shows those of the other program that lab/testdata/pgfa.py has left.
func TestPeer(t *testing.T) {
	folder, n, seconds := *peerFolder, peerN, 20.0
	if folder == "" {
		folder, n, seconds = t.TempDir(), 30, 0.02
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	var names []string
	for j := range peerD {
		names = append(names, fmt.Sprint("v", j+1))
	}
	fmt.Fprintln(t.Output(), "| data | sampler | seconds to the truth | 1 s | 3 s | 10 s | 20 s | 60 s | 120 s |")
	fmt.Fprintln(t.Output(), "|---|---|--:|--:|--:|--:|--:|--:|--:|")
	for set := range peerSets {
		p, number := simulatePeer(t, set, n), fmt.Sprint(set)
		peerCSV(t, filepath.Join(folder, "x-"+number+".csv"), names, p.x)
		peerCSV(t, filepath.Join(folder, "truth-"+number+".csv"), names, p.truth)
		logJoint, rmse := p.score(t, p.z, peerScales, peerMass)
		fmt.Fprintf(t.Output(), "| %d: %d features, %d ones | truth (%.0f) | | 0, %.3f | | | | | |\n", set, p.z.K(), p.z.Ones(), logJoint, rmse)
		for _, anneal := range []int{50, 500} {
			name := filepath.Join(folder, fmt.Sprintf("aibd-%d-%s.csv", anneal, number))
			if readCurve(t, name) != nil {
				continue
			}
			var rows [][]float64
			for _, c := range p.sample(t, set, anneal, seconds) {
				rows = append(rows, []float64{c.seconds, c.features, c.logJoint, c.rmse})
			}
			peerCSV(t, name, []string{"seconds", "features", "log joint", "rmse"}, rows)
		}
		for _, sampler := range []string{"aibd-50", "aibd-500", "gibbs", "gibbs-annealed", "pg", "dpf"} {
			curve := readCurve(t, filepath.Join(folder, sampler+"-"+number+".csv"))
			if curve == nil {
				continue
			}
			row := fmt.Sprintf("| | %s | %s |", sampler, reached(curve, logJoint))
			for _, s := range []float64{1, 3, 10, 20, 60, 120} {
				row += " " + cmp.Or(scoreText(curve, s, logJoint), "-") + " |"
			}
			fmt.Fprintln(t.Output(), row)
		}
	}
}

// reached returns the seconds to a log joint.
func reached(curve []peerPoint, logJoint float64) string {
	for _, c := range curve {
		if c.logJoint >= logJoint {
			return fmt.Sprintf("%.1f", c.seconds)
		}
	}
	return fmt.Sprintf("> %.0f", curve[len(curve)-1].seconds)
}

// scoreText returns the log joint less that of the truth, and the error, at the last point within some
// seconds, "" if the curve does not go that far.
func scoreText(curve []peerPoint, seconds, logJoint float64) string {
	i, _ := slices.BinarySearchFunc(curve, seconds, func(c peerPoint, s float64) int { return cmp.Compare(c.seconds, s) })
	if i == 0 || i == len(curve) && curve[i-1].seconds < 0.8*seconds {
		return ""
	}
	return fmt.Sprintf("%.0f, %.3f", curve[i-1].logJoint-logJoint, curve[i-1].rmse)
}
