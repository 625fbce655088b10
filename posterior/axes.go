package posterior

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"aibd/feature"
)

// Axes replaces features of the estimate that the same items have by their principal axes. The
// likelihood and a standard normal prior of the weights do not separate such features from their rotations:
// the axes are the rotation in which the mean loadings of the features are orthogonal, the longest
// first. Weights are rotated too, so that their product stays; the sum of those of each axis is at least
// 0. Standard deviations of loadings assume independent features, and Lower and Upper a
// normal distribution. Axes returns the groups of features that it rotated. It does nothing for an estimate
// without weights. a and e must have the same features.
func (a *AlignedLoadings) Axes(e *Estimate) (groups [][]int) {
	if e.Weights == nil {
		return nil
	}
	seen := make([]bool, e.Z.K())
	for k := range seen {
		var group []int
		for l := k; l < e.Z.K(); l++ {
			if !seen[l] && e.Z.Size(l) == e.Z.Size(k) && feature.Common(e.Z.Column(k), e.Z.Column(l)) == e.Z.Size(k) && a.Features[l].Matched > 0 {
				group, seen[l] = append(group, l), true
			}
		}
		if len(group) > 1 {
			a.rotate(e, group)
			groups = append(groups, group)
		}
	}
	return groups
}

// rotate rotates the features of a group to their principal axes.
func (a *AlignedLoadings) rotate(e *Estimate, group []int) {
	m, d := len(group), len(a.Features[group[0]].Mean)
	loadings, squares := mat.NewDense(m, d, nil), mat.NewDense(m, d, nil)
	weights, means := mat.NewDense(m, e.Z.N(), nil), mat.NewDense(m, e.Z.N(), nil)
	for r, k := range group {
		f := a.Features[k]
		loadings.SetRow(r, f.Mean)
		for v, sd := range f.SD {
			squares.Set(r, v, sd*sd)
		}
		weights.SetRow(r, e.Weights[k])
		means.SetRow(r, f.Weights)
	}
	product := mat.NewSymDense(m, nil)
	product.SymOuterK(1, loadings)
	var eigen mat.EigenSym
	if !eigen.Factorize(product, true) {
		return // loadings that are not finite stay as they are
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors) // in ascending order
	rotation, squared := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	for r := range m {
		row := mat.Col(nil, m-1-r, &vectors)
		var root mat.VecDense
		root.MulVec(weights.T(), mat.NewVecDense(m, row))
		turned := mat.Sum(&root) < 0
		for c, x := range row {
			rotation.Set(r, c, signed(x, turned))
			squared.Set(r, c, x*x)
		}
	}
	for _, x := range []*mat.Dense{loadings, weights, means} {
		x.Mul(rotation, mat.DenseCopyOf(x))
	}
	squares.Mul(squared, mat.DenseCopyOf(squares))
	for r, k := range group {
		f := &a.Features[k]
		for v := range f.Mean {
			f.Mean[v], f.SD[v] = loadings.At(r, v), math.Sqrt(squares.At(r, v))
			if f.Lower != nil {
				f.Lower[v], f.Upper[v] = f.Mean[v]-1.96*f.SD[v], f.Mean[v]+1.96*f.SD[v]
			}
		}
		e.Weights[k], f.Weights = mat.Row(nil, r, weights), mat.Row(nil, r, means)
	}
}
