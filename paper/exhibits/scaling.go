package exhibits

// How the time of a scan grows with the number of items.

import (
	"fmt"
	"math"
	"slices"
	"time"

	"aibd/dataset"
	"aibd/draws"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// scalingVariables is D of the application.
const scalingVariables = 224

// printedScaling holds the paper's seconds of an update and mean number of features, under the
// AIBD and the IBP, for 31, 62 and 124 items.
var printedScaling = [][4]float64{{3.7, 25.7, 3.7, 25.7}, {20.4, 36.7, 20.9, 36.7}, {195.5, 78.8, 188.7, 78.6}}

func makeScaling(j *job) error {
	blocks, scans := j.size(15, 3), j.size(40, 2)
	j.result.About = fmt.Sprintf("Time of a scan of Z with ten updates of everything else (mass, temperature, permutation, SigmaX, SigmaA) under the AIBD, on one core. The data are synthetic, like those of the application, with %d variables; chains start at the true allocation. Minimum and median of %d blocks of %d scans: other work on the machine raises the median.", scalingVariables, blocks, scans)
	var rows [][]Cell
	var logN, logTime []float64
	var factors []float64
	for m, n := range []int{31, 62, 124} {
		tick, stop := j.count(fmt.Sprintf("blocks of %d items", n), blocks)
		watch := &stopwatch{scans: scans, tick: tick}
		err := j.timeScans(n, blocks*scans, watch)
		stop()
		if err != nil {
			return err
		}
		slices.Sort(watch.seconds)
		row := []Cell{count(n), count(watch.features), fixed(watch.seconds[0]*1000, 2), fixed(watch.seconds[blocks/2]*1000, 2)}
		rows, factors = append(rows, append(row, allFixed(printedScaling[m][:], 1)...)), append(factors, printedScaling[m][0]/watch.seconds[0])
		logN, logTime = append(logN, math.Log(float64(n))), append(logTime, math.Log(watch.seconds[0]))
	}
	power := (logTime[2] - logTime[0]) / (logN[2] - logN[0])
	j.find("From 31 to 124 items, time grows as N to the power %.2f. The paper’s updates take %.0f, %.0f and %.0f times as long as the fastest block, on another machine, with other data and fewer features (in its application: AIBD 70 s, IBP 63 s, dd-IBP 13 s on some 25 cores).", power, factors[0], factors[1], factors[2])
	j.table("scaling", "Milliseconds of a scan; the paper’s seconds of an update and mean number of features", []string{"items", "features at the end", "minimum, ms", "median, ms", "paper: AIBD, s", "features", "paper: IBP, s", "features"}, rows)
	return nil
}

// warmScans are not timed: they touch the data and tables.
const warmScans = 5

// timeScans runs a chain.
func (j *job) timeScans(n, scans int, watch *stopwatch) error {
	s := dataset.Twin(j.stream(fmt.Sprint("data of ", n)).Rand, n, scalingVariables)
	data, err := lglfm.NewData(s.X)
	if err != nil {
		return err
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(s.Ages).Shift(0.00001), similarity.Exponential{}), 10, 0.4, prior.Identity(n))
	if err != nil {
		return err
	}
	post := &mcmc.Posterior{
		Data: data, Law: law, Permutation: true,
		Mass: &mcmc.Gamma{Shape: 1, Rate: 1}, Temperature: &mcmc.Gamma{Shape: 1, Rate: 1},
		SigmaX: mcmc.ScalePrior{Max: 1}, SigmaA: mcmc.ScalePrior{Max: 1},
	}
	start := mcmc.Start{Z: s.Z, Scales: lglfm.Scales{SigmaX: s.SigmaX, SigmaA: s.SigmaA}}
	chain, err := mcmc.NewChain(post, start, mcmc.DefaultOptions(), mcmc.Config{Draws: warmScans + scans, Thin: 1}, j.stream(fmt.Sprint("chain of ", n)))
	if err != nil {
		return err
	}
	return chain.Run(j.ctx, watch)
}

// stopwatch is a recorder that times blocks of scans.
type stopwatch struct {
	scans    int // of a block
	tick     func(n int)
	done     int // scans, those of the warmup included
	began    time.Time
	seconds  []float64 // of a scan, by block
	features int       // of the last draw
}

func (s *stopwatch) Record(d *draws.Draw) error {
	s.features = d.Z.K()
	s.done++
	switch timed := s.done - warmScans; {
	case timed == 0:
		s.began = time.Now()
	case timed > 0 && timed%s.scans == 0:
		s.seconds = append(s.seconds, time.Since(s.began).Seconds()/float64(s.scans))
		s.tick(1)
		s.began = time.Now()
	}
	return nil
}
