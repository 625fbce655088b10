package reproduce

// How the time of a scan grows with the number of items.

import (
	"context"
	"errors"
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

var scaling = Exhibit{
	Name:  "scaling",
	Title: "Time of a scan for 31, 62 and 124 items",
	make:  makeScaling,
}

// scalingVariables is D of the application.
const scalingVariables = 224

func makeScaling(j *job) error {
	blocks, scans := j.size(15, 3), j.size(40, 2)
	j.result.About = fmt.Sprintf("Time of a scan of Z with ten updates of everything else (mass, temperature, permutation, SigmaX, SigmaA) under the AIBD, on one core. The data are synthetic, like those of the application, with %d variables; chains start at the true allocation. Minimum and median of %d blocks of %d scans: other work on the machine raises the median.", scalingVariables, blocks, scans)
	var rows [][]Cell
	var logN, logTime []float64
	for _, n := range []int{31, 62, 124} {
		var seconds []float64
		tick, stop := j.count(fmt.Sprintf("blocks of %d items", n), blocks)
		var last lastFeatures
		chain, err := j.scalingChain(n, blocks*scans, &last)
		for err == nil && len(seconds) < blocks {
			began := time.Now()
			err = chain.Run(&countdown{j.ctx, scans}, &last)
			if err == errBlock {
				err = nil
			}
			seconds = append(seconds, time.Since(began).Seconds()/float64(scans))
			tick(1)
		}
		stop()
		if err != nil {
			return err
		}
		slices.Sort(seconds)
		rows = append(rows, []Cell{count(n), count(last.k), fixed(seconds[0]*1000, 2), fixed(seconds[len(seconds)/2]*1000, 2)})
		logN, logTime = append(logN, math.Log(float64(n))), append(logTime, math.Log(seconds[0]))
	}
	power := (logTime[2] - logTime[0]) / (logN[2] - logN[0])
	j.find("From 31 to 124 items, time grows as N to the power %.2f. The paper’s times are not compared.", power)
	j.table("scaling", "Milliseconds of a scan", []string{"items", "features at the end", "minimum, ms", "median, ms"}, rows)
	return nil
}

// scalingChain returns a warm chain, which has touched its data and tables.
func (j *job) scalingChain(n, scans int, last *lastFeatures) (*mcmc.Chain, error) {
	s := dataset.Twin(j.stream(fmt.Sprint("data of ", n)).Rand, n, scalingVariables)
	data, err := lglfm.NewData(s.X)
	if err != nil {
		return nil, err
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(s.Ages).Shift(0.00001), similarity.Exponential{}), 10, 0.4, prior.Identity(n))
	if err != nil {
		return nil, err
	}
	post := &mcmc.Posterior{
		Data: data, Law: law, Permutation: true,
		Mass: &mcmc.Gamma{Shape: 1, Rate: 1}, Temperature: &mcmc.Gamma{Shape: 1, Rate: 1},
		SigmaX: mcmc.ScalePrior{Max: 1}, SigmaA: mcmc.ScalePrior{Max: 1},
	}
	start := mcmc.Start{Z: s.Z, Scales: lglfm.Scales{SigmaX: s.SigmaX, SigmaA: s.SigmaA}}
	const warm = 5
	chain, err := mcmc.NewChain(post, start, mcmc.DefaultOptions(), mcmc.Config{Draws: warm + scans, Thin: 1}, j.stream(fmt.Sprint("chain of ", n)))
	if err != nil {
		return nil, err
	}
	if err := chain.Run(&countdown{j.ctx, warm}, last); err != errBlock {
		return nil, err
	}
	return chain, nil
}

// countdown is a context that is also done after some scans. A chain checks it once
// before each scan.
type countdown struct {
	context.Context
	scans int
}

var errBlock = errors.New("the block is over")

// Err is for one chain.
func (c *countdown) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	if c.scans == 0 {
		return errBlock
	}
	c.scans--
	return nil
}

// lastFeatures is a recorder that keeps the number of features of the last draw.
type lastFeatures struct{ k int }

func (l *lastFeatures) Record(d *draws.Draw) error {
	l.k = d.Z.K()
	return nil
}
