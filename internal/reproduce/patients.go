package reproduce

// The subjects of the application, and how well their diagnosis is predicted.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"aibd/classify"
	"aibd/dataset"
	"aibd/feature"
	"aibd/internal/files"
	"aibd/mcmc"
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
	group []string    // inferred person, of the exhibit that asks for it
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
	for _, g := range groups {
		a.y = append(a.y, g == "AD")
	}
	return a, nil
}

func (a *patients) positives() int {
	n := 0
	for _, y := range a.y {
		if y {
			n++
		}
	}
	return n
}

// splitter returns the training set of a draw.
type splitter func(draw int) ([]int, error)

// splits makes a splitter whose sets depend on the seed and the number of the draw
// alone, as those of aibd classify do.
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
func (j *job) posteriorAUC(name string, y []bool, chains [][]*feature.Allocation, split splitter) ([][]float64, error) {
	draws := len(chains[0])
	auc := make([][]float64, len(chains))
	for c := range auc {
		auc[c] = make([]float64, draws)
	}
	models := pool()
	return auc, j.each("draws of "+name, len(chains)*draws, func(i int) error {
		z := chains[i/draws][i%draws]
		var err error
		auc[i/draws][i%draws], err = heldOut(models, classify.Predictors(z, nil), y, split, i)
		return err
	})
}

// baselineAUC returns the AUC of a fixed set of predictors for some splits.
func (j *job) baselineAUC(b baseline, y []bool, n int, split splitter) ([]float64, error) {
	auc, models := make([]float64, n), pool()
	return auc, j.each("splits of "+b.name, n, func(i int) (err error) {
		auc[i], err = heldOut(models, b.x, y, split, i)
		return err
	})
}

func heldOut(models *sync.Pool, x [][]float64, y []bool, split splitter, draw int) (float64, error) {
	train, err := split(draw)
	if err != nil {
		return 0, err
	}
	f := models.Get().(*classify.Logistic)
	defer models.Put(f)
	return f.HoldOut(x, y, train)
}

// pool holds regressions, which keep their working memory from one fit to the next.
func pool() *sync.Pool {
	return &sync.Pool{New: func() any { return &classify.Logistic{Lambda: penalty} }}
}
