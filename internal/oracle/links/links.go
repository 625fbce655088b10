// Package links is an independent implementation of the distance dependent
// Indian buffet process (dd-IBP) by its definition: dishes with an owner and
// links between the items.
//
// It is an oracle: only _test.go files import it, and it imports none of the
// project's packages. It is simple rather than fast, and knows no closed form.
//
// The dd-IBP. P is the N x N matrix of proximities, P_ii = 1 and P_ij >= 0;
// h_i is the sum of its row i and A_ij = P_ij/h_i. Item i owns
// Poisson(mass/h_i) dishes. For each dish every item j draws a link
// c_j ~ A_j., independently. Item j holds the dish if it is the owner or if the
// chain j, c_j, c_(c_j), ... meets the owner. Dishes are the features, and the
// holders of a dish are the column of the allocation Z.
//
// Conventions. Z has N >= 1 rows of K entries 0 or 1, the order of its columns
// without meaning. Items are numbered from zero. A set of items is the binary
// number whose i-th digit says whether item i belongs to it. All logarithms are
// natural. Arguments that break these rules are misuse and may panic.
//
// Source: Gershman, Frazier and Blei, Distance Dependent Infinite Latent
// Feature Models, IEEE Transactions on Pattern Analysis and Machine
// Intelligence 37 (2015).
package links

// Dish is a feature with what the dd-IBP says about its origin.
type Dish struct {
	Owner int
	// Links has the link of each of the N items. That of the owner decides
	// nothing about the holders.
	Links []int
}

// Holders reports for each item whether it holds the dish.
func (d Dish) Holders() []bool {
	holds := make([]bool, len(d.Links))
	for j := range holds {
		holds[j] = d.firstMet(j, d.Owner) == d.Owner
	}
	return holds
}

// firstMet returns the first item of the chain from j that is the owner or
// stop, or -1 if the chain meets neither.
func (d Dish) firstMet(j, stop int) int {
	for range d.Links {
		if j == d.Owner || j == stop {
			return j
		}
		j = d.Links[j]
	}
	return -1
}

// Allocation returns the allocation of n items whose k-th column is the holders
// of the k-th dish. A dish has at least one holder, its owner.
func Allocation(n int, dishes []Dish) [][]int {
	z := make([][]int, n)
	for i := range z {
		z[i] = make([]int, len(dishes))
	}
	for k, dish := range dishes {
		setColumn(z, k, dish.Holders())
	}
	return z
}

// setColumn makes the items that hold the members of column k.
func setColumn(z [][]int, k int, holds []bool) {
	for i, h := range holds {
		z[i][k] = 0
		if h {
			z[i][k] = 1
		}
	}
}
