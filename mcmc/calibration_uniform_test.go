package mcmc

import "math"

// The test of uniformity. Of n independent uniform ranks in B cells, the number
// S_j below cell j+1 is binomial(n, (j+1)/B). The statistic is the smallest of the
// two-sided tail probabilities of S_0 to S_{B-2}, and its distribution is computed
// exactly, by following S_0, S_1, ... through the band in which all tails are
// larger (Saeilynoja, Buerkner and Vehtari, "Graphical test for discrete
// uniformity", 2022). The same band is the envelope of the pictures.

// logFactorials returns log k! for k = 0 to n.
func logFactorials(n int) []float64 {
	l := make([]float64, n+1)
	for k := 2; k <= n; k++ {
		l[k] = l[k-1] + math.Log(float64(k))
	}
	return l
}

// binomial returns the probabilities of 0 to n under binomial(n, p), 0 < p < 1.
func binomial(n int, p float64, fact []float64) []float64 {
	w := make([]float64, n+1)
	lp, lq := math.Log(p), math.Log1p(-p)
	for k := range w {
		w[k] = math.Exp(fact[n] - fact[k] - fact[n-k] + float64(k)*lp + float64(n-k)*lq)
	}
	return w
}

// tails returns min(1, 2 min(P(S <= s), P(S >= s))) for s = 0 to n.
func tails(w []float64) []float64 {
	t := make([]float64, len(w))
	sum := 0.0
	for s, x := range w {
		sum += x
		t[s] = math.Min(1, 2*sum)
	}
	sum = 0
	for s := len(w) - 1; s >= 0; s-- {
		sum += w[s]
		t[s] = math.Min(t[s], 2*sum)
	}
	return t
}

// tables returns tails of S_0 to S_{cells-2}.
func tables(n, cells int) [][]float64 {
	fact := logFactorials(n)
	all := make([][]float64, cells-1)
	for j := range all {
		all[j] = tails(binomial(n, float64(j+1)/float64(cells), fact))
	}
	return all
}

// leastTail returns the statistic of the counts of ranks.
func leastTail(counts []int, tables [][]float64) float64 {
	least, s := 1.0, 0
	for j, t := range tables {
		s += counts[j]
		least = math.Min(least, t[s])
	}
	return least
}

// tailProb returns the probability that the statistic of n ranks, with the given
// tables, is at most least. Where it is too small for 1 minus a sum, it is bounded by the
// sum over the cells.
func tailProb(n int, tables [][]float64, least float64) float64 {
	if bound := float64(len(tables)) * least; bound < 1e-8 || n == 0 {
		return math.Min(1, bound)
	}
	// A hair wider than least, so that rounding does not put the very value that
	// was observed inside.
	low, high := band(tables, least*(1+1e-9))
	return math.Max(0, 1-inside(n, low, high))
}

// band returns, for each j, the smallest and largest S_j whose tail probability is
// above least; the band is empty where low > high.
func band(tables [][]float64, least float64) (low, high []int) {
	for _, t := range tables {
		l, h := 0, len(t)-1
		for l < len(t) && t[l] <= least {
			l++
		}
		for h >= l && t[h] <= least {
			h--
		}
		low, high = append(low, l), append(high, h)
	}
	return low, high
}

// inside returns the probability that all S_j are inside the band. Given S_{j-1},
// the next cell holds binomial(n - S_{j-1}, 1/(B-j)) ranks.
func inside(n int, low, high []int) float64 {
	fact := logFactorials(n)
	// at[s-from] is the probability of S_j = s and of all before inside.
	points, begin := []float64{1}, 0
	for j := range low {
		if low[j] > high[j] {
			return 0
		}
		p := 1 / float64(len(low)+1-j)
		lp, lq := math.Log(p), math.Log1p(-p)
		next := make([]float64, high[j]-low[j]+1)
		for a, x := range points {
			if x == 0 {
				continue
			}
			before := begin + a
			remaining := n - before
			for s := max(low[j], before); s <= high[j]; s++ {
				c := s - before
				next[s-low[j]] += x * math.Exp(fact[remaining]-fact[c]-fact[remaining-c]+float64(c)*lp+float64(remaining-c)*lq)
			}
		}
		points, begin = next, low[j]
	}
	sum := 0.0
	for _, x := range points {
		sum += x
	}
	return sum
}

// Envelope returns, for j = 0 to cells-2, the smallest and the largest number of
// ranks up to j, of n in so many cells, such that uniform ranks leave the band
// anywhere with probability at most alpha: the narrowest band of equal tails.
func Envelope(n, cells int, alpha float64) (low, high []int) {
	t := tables(n, cells)
	least, highest := math.Log(alpha/float64(cells)), math.Log(alpha)
	for range 40 {
		middle := (least + highest) / 2
		low, high = band(t, math.Exp(middle))
		if 1-inside(n, low, high) <= alpha {
			least = middle
		} else {
			highest = middle
		}
	}
	return band(t, math.Exp(least))
}
