package posterior

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/mixture"
	"aibd/internal/parallel"
	"aibd/lglfm"
)

// FeatureLoadings describes the loadings of one feature of an estimate of Z, over the draws
// in which Match finds a feature for it. If Overlap is small, it averages over different
// features. If several binary features of a draw have the items of the matched one, its loading is the
// sum of theirs.
type FeatureLoadings struct {
	Matched float64 // share of draws with a matched feature
	// Overlap is the mean Jaccard index of the two features over these draws: the share
	// of items in both, of those in either. It is NaN without such draws.
	Overlap float64
	// Mean and SD, by variable, belong to the mixture over these draws of the normal
	// distributions of the loading given the draw (see lglfm.Loadings). The variance is the mean of
	// their variances plus the variance, with divisor S, of their means. They are NaN
	// without such draws.
	Mean, SD []float64
	// Lower and Upper are the 2.5% and 97.5% quantiles of the mixture, to within 1e-5 SD,
	// or nil without LoadingsOptions.Quantiles.
	Lower, Upper []float64
	// Weights are the means of the weights of the items over these draws, 0 in draws in which an item
	// lacks the feature; nil if features are binary. The likelihood does not determine the sign of a weighted
	// feature: that of a draw is turned such that its weights go with those of the estimate, or of the
	// draw with the largest log joint density if it has none, and its loadings with it.
	Weights []float64
}

// Clear returns the variables whose loading is more than two standard deviations from 0, those with the
// most first. A standard deviation that is NaN counts as 0.
func (f *FeatureLoadings) Clear() []int {
	var features []int
	ratio := make([]float64, len(f.Mean))
	for v, mean := range f.Mean {
		sd := f.SD[v]
		if math.IsNaN(sd) {
			sd = 0
		}
		if ratio[v] = math.Abs(mean) / sd; ratio[v] > 2 {
			features = append(features, v)
		}
	}
	slices.SortStableFunc(features, func(a, b int) int { return cmp.Compare(ratio[b], ratio[a]) })
	return features
}

// LoadingsOptions are the options of AlignLoadings.
type LoadingsOptions struct {
	Quantiles bool // compute Lower and Upper, the slowest part
	// Weights, if not nil, are the weights of an estimate of EstimateG. Draws are matched to them, with signs.
	Weights [][]float64
}

// AlignedLoadings are the loadings of the features of an estimate of Z.
type AlignedLoadings struct {
	Features  []FeatureLoadings
	Intercept *FeatureLoadings // Matched and Overlap are 1; nil for data without an intercept
	Fit       *Fit             // of the draws
	Matching  *Matching        // of the draws
}

// AlignLoadings returns the loadings of the features of an estimate of Z, and the fit of the
// draws. It returns an error if ds is empty or data.Check fails for a draw. It panics if a draw or est has another
// number of items than the data.
func AlignLoadings(data *lglfm.Data, est *feature.Allocation, ds []*draws.Draw, o LoadingsOptions) (*AlignedLoadings, error) {
	a, err := newAlignment(data, est, ds, o)
	if err != nil {
		return nil, err
	}
	// Blocks of variables bound the memory for the means.
	a.run(max(1, maxMeans/(len(ds)*max(1, a.k))))
	aligned := &AlignedLoadings{Features: a.loadings[:est.K()], Fit: a.residuals.fit(ds), Matching: a.matching}
	if data.Intercept() {
		aligned.Intercept = &a.loadings[est.K()]
	}
	return aligned, nil
}

// maxMeans bounds the number of means in memory, and of standard deviations, about.
const maxMeans = 1 << 22

// alignment is the work of AlignLoadings.
type alignment struct {
	LoadingsOptions
	data      *lglfm.Data
	draws     []*draws.Draw
	features  int // of the estimate
	k         int // these and the intercept
	matching  *Matching
	matches   [][]int  // by draw, those of matching, and an intercept 0
	copies    [][]int  // by draw, how many features have the items of the matched one
	turned    [][]bool // by draw, whether the sign of the matched feature is turned
	loadings  []FeatureLoadings
	residuals *residuals
}

// newAlignment matches the draws.
func newAlignment(data *lglfm.Data, est *feature.Allocation, ds []*draws.Draw, o LoadingsOptions) (*alignment, error) {
	if len(ds) == 0 {
		return nil, errors.New("found no draws, expected at least one")
	}
	for t, d := range ds {
		if d.Z.N() != data.N() || est.N() != data.N() {
			panic("posterior: AlignLoadings of allocations of other numbers of items than the data")
		}
		if err := data.Check(lglfm.ScalesOf(d)); err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
	}
	k := est.K()
	if data.Intercept() {
		k++
	}
	a := &alignment{
		LoadingsOptions: o, data: data, draws: ds, features: est.K(), k: k,
		matches: make([][]int, len(ds)), turned: make([][]bool, len(ds)),
		loadings: make([]FeatureLoadings, k), residuals: newResiduals(data, len(ds)),
	}
	a.match(est)
	a.turn()
	return a, nil
}

// run does all variables in blocks of the given width.
func (a *alignment) run(width int) {
	x := a.data.X()
	for first := 0; first < a.data.D(); first += width {
		a.block(x, first, min(first+width, a.data.D()))
	}
}

// match matches the draws.
func (a *alignment) match(est *feature.Allocation) {
	m := NewMatching(est, a.Weights, a.draws)
	a.matching, a.copies = m, m.Copies
	for t := range a.draws {
		a.matches[t], a.turned[t] = slices.Clone(m.Matches[t]), slices.Clone(m.Turned[t])
		if a.k > a.features {
			a.matches[t], a.turned[t] = append(a.matches[t], 0), append(a.turned[t], false)
		}
	}
	for k := range a.loadings {
		if k == a.features {
			a.loadings[k].Matched, a.loadings[k].Overlap = 1, 1
			continue
		}
		count, sum := 0, 0.0
		for t, d := range a.draws {
			if l := a.matches[t][k]; l >= 0 {
				count++
				sum += jaccard(est.Column(k), d.Z.Column(l))
			}
		}
		a.loadings[k].Matched = float64(count) / float64(len(a.draws))
		a.loadings[k].Overlap = sum / float64(count)
	}
}

// turn finds the signs and the mean weights of matched features.
func (a *alignment) turn() {
	if !slices.ContainsFunc(a.draws, func(d *draws.Draw) bool { return d.Weights != nil }) {
		return
	}
	parallel.Do(a.features, func(k int) {
		var best *draws.Draw
		reference, row := make([]float64, a.data.N()), make([]float64, a.data.N())
		for t, d := range a.draws {
			if l := a.matches[t][k]; l >= 0 && (best == nil || d.LogPrior+d.LogLik > best.LogPrior+best.LogLik) {
				best = d
				weightsOf(reference, d, l)
			}
		}
		f := &a.loadings[k]
		f.Weights = make([]float64, a.data.N())
		count := f.Matched * float64(len(a.draws))
		for t, d := range a.draws {
			if l := a.matches[t][k]; l >= 0 {
				weightsOf(row, d, l)
				if a.Weights == nil {
					a.turned[t][k] = floats.Dot(row, reference) < 0
				}
				floats.AddScaled(f.Weights, signed(1/count, a.turned[t][k]), row)
			}
		}
	})
}

// weightsOf puts the weights of feature l of a draw into out, by item.
func weightsOf(out []float64, d *draws.Draw, l int) {
	clear(out)
	next := 0
	for k := range l {
		next += d.Z.Size(k)
	}
	for i := range feature.Items(d.Z.Column(l)) {
		out[i] = 1
		if d.Weights != nil {
			out[i] = d.Weights[next]
			next++
		}
	}
}

// block does the variables first to last-1.
func (a *alignment) block(x [][]float64, first, last int) {
	width := last - first
	columns := lists.Map(x, func(row []float64) []float64 { return row[first:last] })
	means := make([]float64, len(a.draws)*a.k*width) // by draw, feature and variable
	sds := make([]float64, len(means))
	squares := make([]float64, len(a.draws)*width) // of residuals, by draw and variable
	parallel.DoWith(len(a.draws), func() func(t int) {
		l := lglfm.NewLoadingsFrom(a.data, columns, first)
		return func(t int) {
			if err := l.ResetDraw(a.draws[t]); err != nil {
				panic("posterior: " + err.Error()) // newAlignment checked this
			}
			for k, match := range a.matches[t] {
				if match < 0 {
					continue
				}
				index := t*a.k + k
				mean, sd := means[index*width:(index+1)*width], sds[index*width:(index+1)*width]
				if k == a.features {
					copy(mean, l.Intercept())
					for v := range sd {
						sd[v] = math.Sqrt(l.InterceptVariance(v))
					}
					continue
				}
				copy(mean, l.Mean(match))
				if a.turned[t][k] {
					floats.Scale(-1, mean)
				}
				// Copies have the same mean, and their differences are as under the prior.
				copies := float64(a.copies[t][k])
				floats.Scale(copies, mean)
				for v := range sd {
					sigma := a.draws[t].SigmaA * lglfm.NoiseScale(a.draws[t], first+v)
					sd[v] = copies * math.Sqrt(max(0, l.Variance(match, v)-(1-1/copies)*sigma*sigma))
				}
			}
			a.residuals.add(t, l, first, squares[t*width:(t+1)*width])
		}
	})
	a.residuals.variables(squares, first, width)
	parallel.Do(a.k, func(k int) { a.summarize(k, means, sds, width) })
}

// summarize adds the variables of a block to the result of feature k.
func (a *alignment) summarize(k int, means, sds []float64, width int) {
	f := &a.loadings[k]
	var m mixture.Normals
	var matched []int
	for t := range a.draws {
		if a.matches[t][k] >= 0 {
			matched = append(matched, t)
		}
	}
	m.Mean, m.SD = make([]float64, len(matched)), make([]float64, len(matched))
	for v := range width {
		for n, t := range matched {
			index := (t*a.k+k)*width + v
			m.Mean[n], m.SD[n] = means[index], sds[index]
		}
		mean, sd := m.Moments()
		f.Mean, f.SD = append(f.Mean, mean), append(f.SD, sd)
		if a.Quantiles {
			f.Lower = append(f.Lower, m.Quantile(0.025, mean, sd))
			f.Upper = append(f.Upper, m.Quantile(0.975, mean, sd))
		}
	}
}
