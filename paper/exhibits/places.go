package exhibits

// The items of the exhibits, and the laws over them.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"aibd/dataset"
	"aibd/internal/lists"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// places are items with distances.
type places struct {
	names    []string
	distance *similarity.Matrix
}

// somePlaces returns states of the USA with the Euclidean distance of their arrests (USArrests),
// each column centered and scaled over these states alone; all 50 without names.
func somePlaces(names ...string) places {
	set, err := dataset.Load("usarrests")
	must(err)
	t := set.X
	if len(names) > 0 {
		t, err = t.Rows(names...)
		must(err)
	}
	x, err := t.Floats(t.Columns)
	must(err)
	must(dataset.Transform{Center: true, Scale: true}.Apply(t.Columns, x))
	return places{t.IDs, similarity.Euclidean(x)}
}

// fiveStates is the paper's example.
func fiveStates() places {
	return somePlaces("New Hampshire", "Iowa", "Wisconsin", "California", "Nevada")
}

// pairs returns the pairs of items, row by row.
func (p places) pairs() [][2]int {
	var all [][2]int
	for i := range p.names {
		for j := i + 1; j < len(p.names); j++ {
			all = append(all, [2]int{i, j})
		}
	}
	return all
}

func (p places) distanceOf(pair [2]int) float64 { return p.distance.At(pair[0], pair[1]) }

func (p places) pairName(pair [2]int) string {
	return p.names[pair[0]] + " – " + p.names[pair[1]]
}

// must panics on errors that the built-in data and the settings of the exhibits cannot
// cause.
func must(err error) {
	if err != nil {
		panic("exhibits: " + err.Error())
	}
}

// kind is a law with a temperature.
type kind int

const (
	aibd       kind = iota
	sequential      // dd-IBP, links to earlier items
	symmetric       // dd-IBP, links to any item
)

var kinds = []kind{aibd, sequential, symmetric}

func (k kind) String() string {
	return [...]string{"AIBD", "sequential dd-IBP", "symmetric dd-IBP"}[k]
}

// key names it in files.
func (k kind) key() string { return [...]string{"aibd", "ddibp_sequential", "ddibp_symmetric"}[k] }

// law returns the law of the items with mass 1 and the exponential decay, items in their order.
func (k kind) law(p places, temperature float64) prior.Attraction {
	return k.decayed(p, similarity.Exponential{}, 1, temperature)
}

func (k kind) decayed(p places, decay similarity.Decay, mass, temperature float64) prior.Attraction {
	affinity, order := prior.NewAffinity(p.distance, decay), prior.Identity(len(p.names))
	var l prior.Attraction
	var err error
	switch k {
	case aibd:
		l, err = prior.NewAIBD(affinity, mass, temperature, order)
	case sequential:
		l, err = prior.NewSequentialDDIBP(affinity, mass, temperature, order)
	case symmetric:
		l, err = prior.NewDDIBP(affinity, mass, temperature)
	}
	must(err)
	return l
}

// permutations calls do with every permutation of n items. The slice is valid during the call.
func permutations(n int, do func(perm []int)) {
	for g, perm := combin.NewPermutationGenerator(n, n), make([]int, n); g.Next(); {
		do(g.Permutation(perm))
	}
}

// meanOver returns the mean of some numbers over all permutations of n items.
func meanOver(n int, value func(perm []int) []float64) []float64 {
	var mean []float64
	all := 0.0
	permutations(n, func(perm []int) {
		x := value(perm)
		if mean == nil {
			mean = make([]float64, len(x))
		}
		floats.Add(mean, x)
		all++
	})
	for i := range mean {
		mean[i] /= all
	}
	return mean
}

// shared is the expected sharing at one temperature. Standard errors belong to
// Monte Carlo: over permutations, or of draws of the prior; 0 if it is exact.
type shared struct {
	temperature float64
	sharing     [][]float64
	mean        float64 // over pairs
	meanErr     float64
	features    float64 // expected number of features
	featuresErr float64
}

// sharingOf returns the sharing of a pair.
func (s shared) sharingOf(pair [2]int) float64 { return s.sharing[pair[0]][pair[1]] }

// pairValues returns the entries above the diagonal, row by row.
func (s shared) pairValues() []float64 {
	var all []float64
	for i := range s.sharing {
		all = append(all, s.sharing[i][i+1:]...)
	}
	return all
}

// averagedSharing returns the expected sharing of a law at some temperatures and mass
// 1, averaged over the permutation where it has one: exactly for few items, else from
// the given number of draws. The permutations are the same at all temperatures, so
// that curves are smooth.
//
// Exhibits share the result.
func (j *job) averagedSharing(k kind, p places, temperatures []float64, draws int) ([]shared, error) {
	n := len(p.names)
	exact := k == symmetric && n <= prior.MaxEnumeratedItems || k != symmetric && n <= prior.MaxExactItems
	key := fmt.Sprint(k, p.names, temperatures, draws)
	if cached, ok := j.shared[key]; ok {
		return cached, nil
	}
	all := make([]shared, len(temperatures))
	what, size := "draws", draws
	if exact {
		what, size = "temperatures", 1
	}
	tick, stop := j.count(what, len(all)*size)
	err := j.parallel(len(all), func(t int) (err error) {
		law := k.law(p, temperatures[t])
		if exact {
			all[t], err = exactSharing(k, law)
			tick(1)
		} else {
			all[t], err = j.sampledSharing(k, law, draws, tick)
		}
		return err
	})
	stop()
	if err == nil {
		j.shared[key] = all
	}
	return all, err
}

// exactSharing is for few items.
func exactSharing(k kind, law prior.Attraction) (s shared, err error) {
	s.temperature, s.features = law.Temperature(), law.TotalIntensity()
	if k == symmetric {
		s.sharing = law.ExpectedSharing()
	} else if s.sharing, err = prior.ExpectedSharingAveraged(law); err != nil {
		return s, err
	}
	s.mean = prior.MeanOverPairs(s.sharing)
	if k == sequential { // where it depends on the order
		s.features = meanOver(law.N(), func(perm []int) []float64 {
			return []float64{law.With(s.temperature, perm).TotalIntensity()}
		})[0]
	}
	return s, nil
}

// sharingBatches is the number of batches of draws. Their means give the standard error
// of the mean over pairs.
const sharingBatches = 100

// sampledSharing estimates the expected sharing from draws: of the permutation, or of
// allocations if the law has none. It calls tick with the number of new draws.
func (j *job) sampledSharing(k kind, law prior.Attraction, draws int, tick func(n int)) (shared, error) {
	n := law.N()
	s := shared{temperature: law.Temperature(), features: law.TotalIntensity(), sharing: lists.Square(n)}
	rng := mcmc.NewStream(j.Seed, "sharing").Rand
	var means, features []float64
	for remaining := draws; remaining > 0; {
		if j.ctx.Err() != nil {
			return s, j.ctx.Err()
		}
		batch := min(max(draws/sharingBatches, 2), remaining)
		if remaining-batch < 2 {
			batch = remaining
		}
		var mean [][]float64
		if k == symmetric {
			mean, _ = prior.SharingMonteCarlo(law, rng, batch)
		} else {
			mean, _ = prior.ExpectedSharingMonteCarlo(law, rng, batch)
		}
		for a, row := range mean {
			for b, x := range row {
				s.sharing[a][b] += x * float64(batch) / float64(draws)
			}
		}
		means = append(means, prior.MeanOverPairs(mean))
		remaining -= batch
		tick(batch)
	}
	s.mean, s.meanErr = meanErr(means)
	if k == sequential { // where it depends on the order
		for range draws {
			features = append(features, law.With(s.temperature, rng.Perm(n)).TotalIntensity())
		}
		s.features, s.featuresErr = meanErr(features)
	}
	return s, nil
}

// meanErr returns the mean of independent values and its standard error.
func meanErr(x []float64) (mean, stdErr float64) {
	mean, sd := stat.MeanStdDev(x, nil)
	return mean, stat.StdErr(sd, float64(len(x)))
}

// steps returns the numbers from 0 to a limit in steps of one over per.
func steps(end, per int) []float64 {
	return lists.Map(prior.Identity(end*per+1), func(i int) float64 { return math.Round(float64(i)/float64(per)*1e6) / 1e6 })
}
