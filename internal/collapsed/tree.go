package collapsed

import "aibd/internal/vector"

// Tree is a hierarchy of the items: N-1 nodes, each of which joins two items or
// earlier nodes, the last one all. It is immutable and safe for concurrent use.
type Tree struct {
	n, words int
	parts    [][2]int // what a node joins, the smaller first: an item, or N plus the number of a node
	sets     []uint64 // its items, words a node
}

// Nodes returns the number of nodes.
func (t *Tree) Nodes() int { return len(t.parts) }

// Node returns the items of a node as a bitset over the items (see
// feature.Allocation.Column). It is a view: callers must not write to it.
func (t *Tree) Node(v int) []uint64 { return t.sets[v*t.words : (v+1)*t.words : (v+1)*t.words] }

// join appends the node of two parts, the smaller first.
func (t *Tree) join(a, b int) {
	t.parts = append(t.parts, [2]int{a, b})
	t.sets = append(t.sets, make([]uint64, t.words)...)
	set := t.Node(len(t.parts) - 1)
	for _, part := range []int{a, b} {
		if part < t.n {
			set[part>>6] |= 1 << (uint(part) & 63)
			continue
		}
		for w, x := range t.Node(part - t.n) {
			set[w] |= x
		}
	}
}

// Linkage returns the tree of the rows of X by average linkage of squared distances. The
// first call computes it; data to another power have the same one.
func (m *Data) Linkage() *Tree { return m.tree() }

// linkage computes the tree by chains of nearest neighbours in O(N²) and N²/2 numbers of
// 4 bytes.
func (m *Data) linkage() *Tree {
	t := &Tree{n: m.n, words: (m.n + 63) / 64}
	c := m.distances()
	parts, sizes, left := make([]int, m.n), make([]float32, m.n), make([]int, m.n)
	for i := range parts {
		parts[i], sizes[i], left[i] = i, 1, i
	}
	var chain []int
	chained := make([]bool, m.n)
	for len(left) > 1 {
		if len(chain) == 0 {
			chain, chained[left[0]] = append(chain, left[0]), true
		}
		a, before := chain[len(chain)-1], -1
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}
		// The previous item of the chain wins ties. Other items of the chain are excluded,
		// so that the chain ends whatever rounding does.
		b := before
		for _, j := range left {
			if !chained[j] && (b < 0 || *c.at(a, j) < *c.at(a, b)) {
				b = j
			}
		}
		if b != before {
			chain, chained[b] = append(chain, b), true
			continue
		}
		chain, chained[a], chained[b] = chain[:len(chain)-2], false, false
		if sizes[a] > sizes[b] {
			a, b = b, a
		}
		t.join(parts[a], parts[b])
		parts[a] = m.n + len(t.parts) - 1
		kept := left[:0]
		for _, j := range left {
			if j == b {
				continue
			}
			kept = append(kept, j)
			if j != a {
				d := c.at(a, j)
				*d = (sizes[a]**d + sizes[b]**c.at(b, j)) / (sizes[a] + sizes[b])
			}
		}
		left, sizes[a] = kept, sizes[a]+sizes[b]
	}
	return t
}

// triangle holds a number for each pair.
type triangle []float32

func (t triangle) at(a, b int) *float32 {
	if a < b {
		a, b = b, a
	}
	return &t[a*(a-1)/2+b]
}

// distances returns the squared distances of the rows of X, up to a factor that all
// share.
func (m *Data) distances() triangle {
	t := make(triangle, 0, m.n*(m.n-1)/2)
	difference := make([]float64, m.rank)
	for a := range m.n {
		for b := range a {
			copy(difference, m.rows[b])
			t = append(t, float32(vector.Forward(difference, 1, m.rows[a])))
		}
	}
	return t
}
