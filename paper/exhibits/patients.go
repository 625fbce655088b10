package exhibits

// The subjects of the application, and how well their diagnosis is predicted.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	"aibd/dataset"
	"aibd/draws"
	"aibd/internal/files"
	"aibd/internal/lists"
	"aibd/mcmc"
	"aibd/paper/classify"
)

// Training sets have about half of the patients and of the controls.
const (
	trainPatients = 14
	trainControls = 18
)

// penalty is the penalty of the paper, lambda2 of the R package penalized.
const penalty = 1e-6

// patients are the subjects of the application.
type patients struct {
	ids   []string
	x     [][]float64 // measurements, as they are modelled
	age   []float64   // years
	y     []bool      // has Alzheimer's disease
	group []string    // inferred person; nil except from people
}

func (j *job) patients() (*patients, error) {
	f, err := os.Open(j.Alzheimers)
	if err != nil {
		return nil, files.Named(j.Alzheimers, err)
	}
	defer f.Close()
	set, err := dataset.ParseAlzheimers(f, j.Alzheimers)
	if err != nil {
		return nil, err
	}
	a := &patients{ids: set.X.IDs}
	if a.x, err = set.X.Floats(set.X.Columns); err != nil {
		return nil, err
	}
	if err := set.Transform.Apply(set.X.Columns, a.x); err != nil {
		return nil, err
	}
	if a.age, err = set.Side.Float("age"); err != nil {
		return nil, err
	}
	groups, err := set.Side.Strings("group")
	if err != nil {
		return nil, err
	}
	a.y = lists.Map(groups, func(g string) bool { return g == "AD" })
	return a, nil
}

// splitter returns the training set of a draw.
type splitter func(draw int) ([]int, error)

// splits makes a splitter whose sets depend on the seed and the number of the draw
// alone.
func splits(seed uint64, split func(rng *rand.Rand) ([]int, error)) splitter {
	return func(draw int) ([]int, error) {
		return split(mcmc.NewStream(seed, fmt.Sprintf("split-%d", draw+1)).Rand)
	}
}

// stratified draws patients and controls separately.
func (a *patients) stratified(seed uint64) splitter {
	return splits(seed, func(rng *rand.Rand) ([]int, error) {
		return classify.Stratified(rng, a.y, trainControls, trainPatients)
	})
}

// grouped draws half of the inferred people, with all their scans.
func (a *patients) grouped(seed uint64) splitter {
	return splits(seed, func(rng *rand.Rand) ([]int, error) {
		return classify.Grouped(rng, a.y, a.group, 0.5)
	})
}

// posteriorAUC returns the AUC of each draw of Z, by chain.
func (j *job) posteriorAUC(name string, y []bool, chains [][]*draws.Draw, split splitter) ([][]float64, error) {
	n := len(chains[0])
	auc, err := j.heldOut("draws of "+name, len(chains)*n, y, split, func(i int) [][]float64 {
		return classify.Predictors(chains[i/n][i%n].Z)
	})
	return slices.Collect(slices.Chunk(auc, n)), err
}

// baselineAUC returns the mean AUC of a fixed set of predictors over n splits, and its
// standard error.
func (j *job) baselineAUC(b baseline, y []bool, n int, split splitter) (mean, stdErr float64, err error) {
	auc, err := j.heldOut("splits of "+b.name, n, y, split, func(int) [][]float64 { return b.x })
	mean, stdErr = meanErr(auc)
	return mean, stdErr, err
}

// heldOut returns the AUC of n predictions of y from predictors x.
func (j *job) heldOut(what string, n int, y []bool, split splitter, x func(i int) [][]float64) ([]float64, error) {
	auc := make([]float64, n)
	// Regressions keep their working memory from one fit to the next.
	pool := sync.Pool{New: func() any { return &classify.Logistic{Lambda: penalty} }}
	return auc, j.each(what, n, func(i int) error {
		train, err := split(i)
		if err != nil {
			return err
		}
		f := pool.Get().(*classify.Logistic)
		defer pool.Put(f)
		auc[i], err = f.HoldOut(x(i), y, train)
		return err
	})
}
