package collapsed

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"aibd/internal/permutation"
	"aibd/internal/vector"

	"gonum.org/v1/gonum/floats"
)

// Tree is a hierarchy of the items: nodes, each of which joins two items or earlier nodes. It is
// immutable and safe for concurrent use.
type Tree struct {
	n     int
	parts [][2]int // what a node joins, the smaller first: an item, or N plus the number of a node
	nodes []packed
}

// packed is a bitset over the items: its words that are not 0, and their places.
type packed struct {
	places []int32
	words  []uint64
}

// Nodes returns the number of nodes.
func (t *Tree) Nodes() int { return len(t.parts) }

// Node returns the items of a node as a bitset over the items (see feature.Allocation.Column).
func (t *Tree) Node(v int) []uint64 {
	items := make([]uint64, (t.n+63)/64)
	t.Flip(items, v)
	return items
}

// Flip flips the items of a node in a bitset over the items.
func (t *Tree) Flip(items []uint64, v int) {
	node := t.nodes[v]
	for e, w := range node.places {
		items[w] ^= node.words[e]
	}
}

// part returns the items of a part of a node.
func (t *Tree) part(a int) packed {
	if a < t.n {
		return packed{[]int32{int32(a >> 6)}, []uint64{1 << (uint(a) & 63)}}
	}
	return t.nodes[a-t.n]
}

// join appends the node of two parts, the smaller first.
func (t *Tree) join(a, b int) {
	x, y, node := t.part(a), t.part(b), packed{}
	for i, j := 0, 0; i < len(x.places) || j < len(y.places); {
		switch {
		case j == len(y.places) || i < len(x.places) && x.places[i] < y.places[j]:
			node.places, node.words = append(node.places, x.places[i]), append(node.words, x.words[i])
			i++
		case i == len(x.places) || y.places[j] < x.places[i]:
			node.places, node.words = append(node.places, y.places[j]), append(node.words, y.words[j])
			j++
		default:
			node.places, node.words = append(node.places, x.places[i]), append(node.words, x.words[i]|y.words[j])
			i, j = i+1, j+1
		}
	}
	t.parts, t.nodes = append(t.parts, [2]int{a, b}), append(t.nodes, node)
}

// each calls f for each item of a node.
func (t *Tree) each(v int, f func(i int)) {
	node := t.nodes[v]
	for e, w := range node.places {
		for word := node.words[e]; word != 0; word &= word - 1 {
			f(int(w)<<6 + bits.TrailingZeros64(word))
		}
	}
}

// MaxLinked is the max number of items that Linkage joins to one tree.
const MaxLinked = 2000

// maxPart is the max number of items of each tree if there are more.
const maxPart = 250

// Linkage returns the tree of the rows of X by average linkage of squared distances. If there are
// more than MaxLinked items, it has trees of parts of them instead. The first call computes it;
// data to another power have the same one.
func (m *Data) Linkage() *Tree { return m.tree() }

// linkage computes the tree.
func (m *Data) linkage() *Tree {
	t, size := &Tree{n: m.n}, MaxLinked
	if m.n > size {
		size = maxPart
	}
	m.split(t, permutation.Identity(m.n), make([]float64, m.n), size)
	return t
}

// split halves the items by their first principal component until the parts are small enough, and
// links each part. scores is working memory of length N.
func (m *Data) split(t *Tree, items []int, scores []float64, size int) {
	if len(items) <= size {
		m.link(t, items)
		return
	}
	along := m.component(items)
	for _, i := range items {
		scores[i] = vector.Dot(m.rows[i], along)
	}
	slices.SortFunc(items, func(i, j int) int { return cmp.Or(cmp.Compare(scores[i], scores[j]), i-j) })
	half := len(items) / 2
	m.split(t, items[:half], scores, size)
	m.split(t, items[half:], scores, size)
}

// component returns the approximate first principal component of rows of X, by the power method.
func (m *Data) component(items []int) []float64 {
	mean, row, along, next := make([]float64, m.rank), make([]float64, m.rank), make([]float64, m.rank), make([]float64, m.rank)
	for _, i := range items {
		vector.Axpy(mean, 1/float64(len(items)), m.rows[i])
	}
	centered := func(i int) []float64 {
		copy(row, m.rows[i])
		vector.Axpy(row, -1, mean)
		return row
	}
	largest := math.SmallestNonzeroFloat64 // so that equal rows have component 0
	for _, i := range items {
		if x := centered(i); vector.Dot(x, x) > largest {
			largest = vector.Dot(x, x)
			copy(along, x)
		}
	}
	for range 10 {
		clear(next)
		for _, i := range items {
			x := centered(i)
			vector.Axpy(next, vector.Dot(x, along)/largest, x)
		}
		largest = max(vector.Dot(next, next), math.SmallestNonzeroFloat64)
		along, next = next, along
	}
	return along
}

// link appends the tree of some items, by chains of nearest neighbors in O(n²) and n²/2 numbers
// of 4 bytes for n items.
func (m *Data) link(t *Tree, items []int) {
	slices.Sort(items)
	c := m.distances(items)
	parts, sizes, nodes := slices.Clone(items), make([]float32, len(items)), make([]int, len(items))
	for a := range items {
		sizes[a], nodes[a] = 1, a
	}
	var chain []int
	chained := make([]bool, len(items))
	for len(nodes) > 1 {
		if len(chain) == 0 {
			chain, chained[nodes[0]] = append(chain, nodes[0]), true
		}
		a, before := chain[len(chain)-1], -1
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}
		// The previous item of the chain wins ties. Other items of the chain are excluded,
		// so that the chain ends whatever rounding does.
		b := before
		for _, j := range nodes {
			if !chained[j] && (b < 0 || *c.entry(a, j) < *c.entry(a, b)) {
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
		kept := nodes[:0]
		for _, j := range nodes {
			if j == b {
				continue
			}
			kept = append(kept, j)
			if j != a {
				d := c.entry(a, j)
				*d = (sizes[a]**d + sizes[b]**c.entry(b, j)) / (sizes[a] + sizes[b])
			}
		}
		nodes, sizes[a] = kept, sizes[a]+sizes[b]
	}
}

// triangle holds a number for each pair.
type triangle []float32

func (t triangle) entry(a, b int) *float32 {
	if a < b {
		a, b = b, a
	}
	return &t[a*(a-1)/2+b]
}

// distances returns the squared distances of rows of X, up to a factor that all share.
func (m *Data) distances(items []int) triangle {
	n := len(items)
	t := make(triangle, 0, n*(n-1)/2)
	difference := make([]float64, m.rank)
	for a := range n {
		for b := range a {
			floats.SubTo(difference, m.rows[items[a]], m.rows[items[b]])
			t = append(t, float32(vector.Dot(difference, difference)))
		}
	}
	return t
}
