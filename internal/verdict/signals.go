package verdict

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
)

// NewFitted returns the family of the fitted values ZB, by item and variable, where B is the
// mean of the loadings given the draw. They are divided by the mean noise scale of their variable. In a column of signs it is
// the probability of a positive sign, over the largest standard deviation of a sign: cells far from 0 hardly determine their
// latent values. NewFitted returns the error of a draw whose scales the data do not allow.
func NewFitted(items, variables []string, data *lglfm.Data, chains [][]*draws.Draw) (Family, error) {
	s, err := newSignals(items, variables, data, chains)
	if err != nil {
		return Family{}, err
	}
	return s.fitted(s.family()), nil
}

// NewSignals returns the family of the centered covariances of the signals of the pairs of items, or of a
// sample of very many (lglfm.Loadings.SignalCovariances), and that of NewFitted. Neither depends on
// which features encode the signals, so that both are judged where features have weights, which are
// determined up to signs and rotations.
func NewSignals(items, variables []string, data *lglfm.Data, chains [][]*draws.Draw) (covariances, fitted Family, err error) {
	s, err := newSignals(items, variables, data, chains)
	if err != nil {
		return Family{}, Family{}, err
	}
	pairs, name := pairsOf(len(items))
	s.pairs = pairs
	both := s.family()
	covariances = both.part(len(items)*len(variables), len(items)*len(variables)+len(pairs))
	covariances.Key, covariances.Name = "covariance", "covariances of "+name
	covariances.Negligible = negligible * s.sigmaX * math.Hypot(s.sigmaX, s.size())
	covariances.Label = labelOf(items, pairs)
	return covariances, s.fitted(both.part(0, len(items)*len(variables))), nil
}

// signals is the work of NewSignals.
type signals struct {
	items, variables []string
	data             *lglfm.Data
	chains           [][]*draws.Draw
	pairs            [][2]int
	sigmaX           float64   // mean over draws
	unit             []float64 // one over the mean noise scale, by variable
	signs            []bool    // of a column: its cells are given by their signs only
}

func newSignals(items, variables []string, data *lglfm.Data, chains [][]*draws.Draw) (*signals, error) {
	s := &signals{items: items, variables: variables, data: data, chains: chains, signs: columnsOfSigns(data)}
	sum, count, scales := 0.0, 0, make([]float64, len(variables))
	for _, chain := range chains {
		for _, d := range chain {
			if err := data.Check(lglfm.ScalesOf(d)); err != nil {
				return nil, err
			}
			sum, count = sum+d.SigmaX, count+1
			for v := range scales {
				scales[v] += d.SigmaX * lglfm.NoiseScale(d, v)
			}
		}
	}
	s.sigmaX = sum / float64(count)
	s.unit = lists.Map(scales, func(scale float64) float64 { return sum / scale })
	return s, nil
}

// columnsOfSigns returns which columns have only cells that are given by their signs or missing.
func columnsOfSigns(data *lglfm.Data) []bool {
	count := make([]int, data.D())
	for cell, ends := range data.Bounds() {
		if ends == [2]float64{0, math.Inf(1)} || ends == [2]float64{math.Inf(-1), 0} {
			count[cell[1]]++
		}
	}
	signs := lists.Map(count, func(n int) bool { return n > 0 })
	for _, cell := range data.MissingCells() {
		count[cell[1]]++
	}
	for v, n := range count {
		signs[v] = signs[v] && n == data.N()
	}
	return signs
}

// reset moves to a draw.
func reset(l *lglfm.Loadings, d *draws.Draw) {
	if err := l.ResetDraw(d); err != nil {
		panic("verdict: " + err.Error()) // newSignals checked this
	}
}

// family returns the family of the fitted values, item by item, and then of the covariances of the pairs.
func (s *signals) family() Family {
	n, vars, k := len(s.items), len(s.variables), s.chains[0][len(s.chains[0])-1].Z.K()
	cost := k*k*k + k*k*n + 2*k*n*vars + len(s.pairs)*(k+vars)
	x := s.data.X()
	return newFamily(s.chains, n*vars+len(s.pairs), cost, func() func(*draws.Draw, []float64) {
		l := lglfm.NewLoadingsFrom(s.data, x, 0)
		return func(d *draws.Draw, into []float64) {
			reset(l, d)
			for i := range n {
				fitted := into[i*vars : (i+1)*vars]
				l.Fitted(i, fitted)
				for v := range fitted {
					if s.signs[v] {
						fitted[v] = s.sigmaX * 2 * distuv.UnitNormal.CDF(fitted[v]/(d.SigmaX*lglfm.NoiseScale(d, v)))
					} else {
						fitted[v] *= s.unit[v]
					}
				}
			}
			if len(s.pairs) > 0 {
				l.SignalCovariances(s.pairs, into[n*vars:])
			}
		}
	})
}

// size returns the root mean square of the centered signals of the items over the noise scales, in the
// last draws of the chains.
func (s *signals) size() float64 {
	n, sum := len(s.items), 0.0
	pairs, variances := make([][2]int, n), make([]float64, n)
	for i := range pairs {
		pairs[i] = [2]int{i, i}
	}
	l := lglfm.NewLoadings(s.data)
	for _, chain := range s.chains {
		reset(l, chain[len(chain)-1])
		l.SignalCovariances(pairs, variances)
		for _, v := range variances {
			sum += v / float64(n*len(s.chains))
		}
	}
	return math.Sqrt(sum)
}

// fitted names a family of fitted values.
func (s *signals) fitted(f Family) Family {
	f.Key, f.Name, f.Negligible, f.variables = "fitted", "fitted values", negligible*s.sigmaX, len(s.variables)
	f.Label = func(e int) string { return s.variables[e%len(s.variables)] + " of " + s.items[e/len(s.variables)] }
	return f
}
