package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/lglfm"
)

// Matching holds the features of draws that match those of an estimate.
type Matching struct {
	// Matches holds, by draw and feature of the estimate, the number of the matched feature, or -1. Of several binary features
	// with the same items it is the first, and Copies their number.
	Matches [][]int
	Copies  [][]int
	Turned  [][]bool // whether the sign of the matched feature is turned; false for binary features

	ds      []*draws.Draw
	est     *feature.Allocation
	weights [][]float64
}

// NewMatching matches draws to an estimate of EstimateZ, or of EstimateG and its weights.
func NewMatching(est *feature.Allocation, weights [][]float64, ds []*draws.Draw) *Matching {
	m := &Matching{make([][]int, len(ds)), make([][]int, len(ds)), make([][]bool, len(ds)), ds, est, weights}
	parallel.Do(len(ds), func(t int) {
		m.Turned[t], m.Copies[t] = make([]bool, est.K()), lists.Make(est.K(), func(int) int { return 1 })
		switch {
		case weights != nil:
			m.Matches[t], m.Turned[t] = MatchWeights(ds[t], weights)
		case ds[t].Weights != nil:
			m.Matches[t] = Match(ds[t].Z, est)
		default:
			distinct, first, count := Distinct(ds[t].Z)
			m.Matches[t] = Match(distinct, est)
			for k, l := range m.Matches[t] {
				if l >= 0 {
					m.Matches[t][k], m.Copies[t][k] = first[l], count[l]
				}
			}
		}
	})
	return m
}

// Each calls what with the items of the matched feature of each draw that has one.
func (m *Matching) Each(feature int, what func(draw int, items []uint64)) {
	for t, groups := range m.Matches {
		if l := groups[feature]; l >= 0 {
			what(t, m.ds[t].Z.Column(l))
		}
	}
}

// Overlap says how much features of the estimate and the features of a draw that match them are alike: the Jaccard index of
// the items of one feature. Several are alike if their weights span the same space, whatever their rotation: the overlap
// is the mean squared cosine between the two spans, 0 for each that lacks a match.
func (m *Matching) Overlap(draw int, features []int) float64 {
	matched := slices.DeleteFunc(slices.Clone(features), func(k int) bool { return m.Matches[draw][k] < 0 })
	if len(matched) == 0 {
		return 0
	}
	if len(features) == 1 {
		return jaccard(m.est.Column(features[0]), m.ds[draw].Z.Column(m.Matches[draw][features[0]]))
	}
	n := m.est.N()
	var spans [2]mat.Dense
	row := make([]float64, n)
	for s := range spans {
		spanning := [][]int{features, matched}[s]
		columns := mat.NewDense(n, len(spanning), nil)
		for c, k := range spanning {
			switch {
			case s == 1:
				weightsOf(row, m.ds[draw], m.Matches[draw][k])
				columns.SetCol(c, row)
			case m.weights != nil:
				columns.SetCol(c, m.weights[k])
			default:
				for i := range feature.Items(m.est.Column(k)) {
					columns.Set(i, c, 1)
				}
			}
		}
		var svd mat.SVD
		if !svd.Factorize(columns, mat.SVDThin) {
			return 0
		}
		svd.UTo(&spans[s])
	}
	var cosines mat.Dense
	cosines.Mul(spans[0].T(), &spans[1])
	size := mat.Norm(&cosines, 2)
	return size * size / float64(len(features))
}

// Part is what one feature of an estimate adds to the fitted values over the draws, or what several features add that are
// identified only as a group, up to rotation.
type Part struct {
	Features []int
	// Share holds, by draw, the share of the sum of squares of the fitted values F, about their column means with an
	// intercept, that the matched features add: <F_k, F>/|F|^2. The shares of all features of a draw sum to 1; that of a
	// feature which others cancel is negative. It is 0 in draws without a match.
	Share []float64
	// Overlap holds Matching.Overlap by draw.
	Overlap []float64
	// Items holds the root mean square of what the part adds to an item, over draws, and Variables the share that each
	// variable has in its sum of squares. Neither depends on rotations.
	Items, Variables []float64
}

// Parts returns the part of each group of features. The fitted values are those at the mean loadings given a draw. It
// returns the error of a draw whose scales the data do not allow.
func (m *Matching) Parts(data *lglfm.Data, groups [][]int) ([]Part, error) {
	n, d := data.N(), data.D()
	parts := lists.Map(groups, func(group []int) Part {
		return Part{group, make([]float64, len(m.ds)), make([]float64, len(m.ds)), nil, nil}
	})
	number := lists.Positions(m.ds)
	sums, err := overDraws(data, m.ds, len(groups)*(n+d), func() adder {
		return func(sum []float64, draw *draws.Draw, l *lglfm.Loadings) {
			t, features := number[draw], draw.Z.K()
			for g, group := range groups {
				parts[g].Overlap[t] = m.Overlap(t, group)
			}
			if features == 0 {
				return
			}
			weights := mat.NewDense(n, features, draw.Z.Weighted(nil, draw.Weights))
			loadings := mat.NewDense(features, d, nil)
			for k := range features {
				loadings.SetRow(k, l.Mean(k))
			}
			centered := weights
			if data.Intercept() {
				centered = mat.DenseCopyOf(weights)
				for k := range features {
					column := mat.Col(nil, k, centered)
					floats.AddConst(-floats.Sum(column)/float64(n), column)
					centered.SetCol(k, column)
				}
			}
			gram := mat.NewSymDense(features, nil)
			gram.SymOuterK(1, centered.T())
			var product mat.Dense // of the Gram matrix and the loadings: <F_k, F> is the product of its row k and the loadings of k
			product.Mul(gram, loadings)
			total := 0.0
			for k := range features {
				total += floats.Dot(product.RawRowView(k), loadings.RawRowView(k))
			}
			for g, group := range groups {
				items, variables := sum[g*(n+d):][:n], sum[g*(n+d)+n:][:d]
				var matched []int
				var loadingRows, weightRows [][]float64 // loadings, and weights
				for _, k := range group {
					if match := m.Matches[t][k]; match >= 0 {
						copies := float64(m.Copies[t][k])
						if total > 0 {
							parts[g].Share[t] += copies * floats.Dot(product.RawRowView(match), loadings.RawRowView(match)) / total
						}
						row := mat.Row(nil, match, loadings)
						floats.Scale(copies, row)
						matched, loadingRows, weightRows = append(matched, match), append(loadingRows, row), append(weightRows, mat.Col(nil, match, weights))
					}
				}
				for a := range loadingRows {
					for b := range loadingRows {
						along := floats.Dot(loadingRows[a], loadingRows[b])
						for i := range items {
							items[i] += weightRows[a][i] * weightRows[b][i] * along
						}
						with := gram.At(matched[a], matched[b])
						for v := range variables {
							variables[v] += with * loadingRows[a][v] * loadingRows[b][v]
						}
					}
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for g := range parts {
		p := &parts[g]
		p.Items, p.Variables = make([]float64, n), make([]float64, d)
		for _, sum := range sums {
			floats.Add(p.Items, sum[g*(n+d):][:n])
			floats.Add(p.Variables, sum[g*(n+d)+n:][:d])
		}
		for i, x := range p.Items {
			p.Items[i] = math.Sqrt(max(0, x) / float64(len(m.ds)))
		}
		if all := floats.Sum(p.Variables); all > 0 {
			floats.Scale(1/all, p.Variables)
		}
	}
	return parts, nil
}
