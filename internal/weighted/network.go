package weighted

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/vector"
	"aibd/similarity"
)

// A network is the prior of the weights of many items. Items come in a fixed order. The weight of each item given those
// of all earlier ones depends on a few of them, its neighbors, and on the common part of the feature (Vecchia, 1988).
// The neighbors of an item are the nearest of an earlier item, its parent, and the neighbors of the parent. Thus
//
//   - all neighbors of an item are neighbors of each other, and C is exact among them: all variances are 1;
//   - the precision matrix of the weights, of any items, has a Cholesky factor without fill-in from the last item to
//     the first.
//
// Node 0 is the common part, node a > 0 the item at place a-1 of the order. Node 0 is a neighbor of all.
type network struct {
	n         int     // items
	item      []int32 // of each node but 0
	node      []int32 // of each item
	start     []int32 // of each node: where its neighbors begin in neighbors, ascending
	neighbors []int32
	pairs     []int32     // of each node: where its pairs of neighbors begin in pair
	pair      []uint8     // of neighbors a > b of a node: which neighbor of a node b is
	distance  [][]float64 // by component: distances, or correlations, by entry of neighbors; 0 of node 0

	all   []int32 // nodes
	links []int32 // of each node: where its neighbors, and the nodes whose neighbor it is, begin in near and entry
	near  []int32
	entry []int32 // of neighbors
}

// MaxNeighbors is the max number of neighbors of an item.
const MaxNeighbors = 30

// candidates is the number of near earlier items that are tried as the parent of an item.
const candidates = 15

// newNetwork returns the network of n items.
func newNetwork(p *Prior, n int) *network {
	g := &network{item: []int32{0}, start: []int32{0, 0}, pairs: []int32{0, 0}, distance: make([][]float64, len(p.Near))}
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		g.item = append(g.item, int32(i))
	}
	g.extend(p)
	return g
}

// with returns the network with one more item, the last one.
func (g *network) with(p *Prior) *network {
	extended := &network{n: g.n, start: slices.Clone(g.start), neighbors: slices.Clone(g.neighbors), pairs: slices.Clone(g.pairs), pair: slices.Clone(g.pair)}
	extended.item = append(slices.Clone(g.item), int32(g.n))
	for _, d := range g.distance {
		extended.distance = append(extended.distance, slices.Clone(d))
	}
	extended.extend(p)
	return extended
}

// extend chooses the neighbors of the nodes that have none yet.
func (g *network) extend(p *Prior) {
	first := g.n + 1
	g.n = len(g.item) - 1
	g.node = make([]int32, g.n)
	for a, i := range g.item[1:] {
		g.node[i] = int32(a + 1)
	}
	c := newConditioner(g, p)
	for a := first; a <= g.n; a++ {
		c.add(a)
	}
	g.link()
}

// A conditioner adds nodes to a network.
type conditioner struct {
	*network
	prior   *Prior
	shares  Shares
	least   func(i, j int) float64 // bound of the distance, if correlation falls with one
	near    []float64              // correlations of neighbors, by entry of neighbors
	seen    []int32                // the last node of which seenAt is the correlation, by node
	seenAt  []float64
	closest []neighbor
	clique  []neighbor
	best    []neighbor
	a, b    []float64
}

// newConditioner returns a conditioner of a network that has its items.
func newConditioner(g *network, p *Prior) *conditioner {
	shares := p.Start()
	shares.Shares[0] = 0
	c := &conditioner{network: g, prior: p, shares: shares, seen: make([]int32, g.n+1), seenAt: make([]float64, g.n+1)}
	if len(p.Near) == 1 && p.Near[0].MaxRate > 0 {
		c.least = similarity.LowerBound(p.Near[0].Distances)
	}
	c.near = make([]float64, len(g.neighbors))
	for m, near := range p.Near {
		for e, x := range g.distance[m] {
			c.near[e] += shares.Shares[1+m] * near.correlation(x, shares.Rates[m])
		}
	}
	return c
}

// A neighbor is a node and its correlation with another.
type neighbor struct {
	node        int32
	place       int32 // among the neighbors of the parent, -1 of the parent
	correlation float64
}

// correlation returns the correlation of two nodes that follows distances, at the shares by which neighbors are chosen.
func (c *conditioner) correlation(a, b int32) (sum float64) {
	i, j := int(c.item[a]), int(c.item[b])
	for m, near := range c.prior.Near {
		sum += c.shares.Shares[1+m] * near.correlation(near.Distances.At(max(i, j), min(i, j)), c.shares.Rates[m])
	}
	return sum
}

// correlation returns the correlation at a distance.
func (c Component) correlation(x, rate float64) float64 {
	if c.MaxRate > 0 {
		return math.Exp(-rate * x)
	}
	return x
}

// add chooses the neighbors of the next node: those by which its weight varies least.
func (c *conditioner) add(a int) {
	g := c.network
	c.findClosest(int32(a))
	c.best = c.best[:0]
	least := math.Inf(1)
	for _, parent := range c.closest {
		c.clique = append(c.clique[:0], parent)
		for place, b := range g.neighbors[g.start[parent.node]:g.start[parent.node+1]] {
			if b == 0 { // the common part
				continue
			}
			if c.seen[b] != int32(a) {
				c.seen[b], c.seenAt[b] = int32(a), c.correlation(int32(a), b)
			}
			c.clique = keep(c.clique, neighbor{b, int32(place), c.seenAt[b]}, c.prior.Neighbors)
		}
		if v := c.conditionalVariance(parent.node); v < least {
			least = v
			c.best = append(c.best[:0], c.clique...)
		}
	}
	slices.SortFunc(c.best, func(x, y neighbor) int { return int(x.node - y.node) })
	g.neighbors, c.near = append(g.neighbors, 0), append(c.near, 0)
	for _, b := range c.best {
		g.neighbors, c.near = append(g.neighbors, b.node), append(c.near, b.correlation)
	}
	for m, near := range c.prior.Near {
		g.distance[m] = append(g.distance[m], 0)
		for _, b := range c.best {
			i, j := int(g.item[a]), int(g.item[b.node])
			g.distance[m] = append(g.distance[m], near.Distances.At(max(i, j), min(i, j)))
		}
	}
	g.start = append(g.start, int32(len(g.neighbors)))
	neighbors := g.neighbors[g.start[a]:]
	for x, b := range neighbors {
		for y := range x {
			g.pair = append(g.pair, uint8(slices.Index(g.neighbors[g.start[b]:g.start[b+1]], neighbors[y])))
		}
	}
	g.pairs = append(g.pairs, int32(len(g.pair)))
}

// findClosest finds the earlier nodes of the highest correlation with a node.
func (c *conditioner) findClosest(a int32) {
	c.closest = c.closest[:0]
	i, limit := int(c.item[a]), math.Inf(1)
	for b := int32(1); b < a; b++ {
		j := int(c.item[b])
		if c.least != nil && c.least(max(i, j), min(i, j)) >= limit {
			continue
		}
		c.closest = keep(c.closest, neighbor{b, -1, c.correlation(a, b)}, candidates)
		if last := len(c.closest) - 1; last == candidates-1 && c.least != nil {
			k := int(c.item[c.closest[last].node])
			limit = c.prior.Near[0].Distances.At(max(i, k), min(i, k))
		}
	}
}

// keep adds a neighbor to the closest ones, in descending order of correlation. It keeps at most limit.
func keep(closest []neighbor, x neighbor, limit int) []neighbor {
	if len(closest) == limit {
		if !(x.correlation > closest[limit-1].correlation) {
			return closest
		}
		closest = closest[:limit-1]
	}
	place := len(closest)
	for place > 0 && x.correlation > closest[place-1].correlation {
		place--
	}
	return slices.Insert(closest, place, x)
}

// conditionalVariance returns the variance of a weight, less the common part, given those of the nodes in clique, which
// are a parent and neighbors of it.
func (c *conditioner) conditionalVariance(parent int32) float64 {
	n, g := len(c.clique), c.network
	first := g.start[parent]
	pair := g.pair[g.pairs[parent]:g.pairs[parent+1]]
	c.a, c.b = vector.Extend(c.a, n*n), vector.Extend(c.b, n)
	for x, member := range c.clique {
		for y := range x {
			switch u, v := max(member.place, c.clique[y].place), min(member.place, c.clique[y].place); {
			case v < 0:
				c.a[x*n+y] = c.near[first+u]
			default:
				c.a[x*n+y] = c.near[g.start[g.neighbors[first+u]]+int32(pair[u*(u-1)/2+v])]
			}
		}
		c.a[x*n+x] = 1
		c.b[x] = member.correlation
	}
	vector.Cholesky(c.a, n, n)
	forward(c.b, c.a, n)
	return 1 - dot(c.b, c.b)
}

// link lists the nodes, the neighbors of each, and the nodes whose neighbor it is.
func (g *network) link() {
	g.all = g.all[:0]
	for a := range g.n + 1 {
		g.all = append(g.all, int32(a))
	}
	g.links = make([]int32, g.n+2)
	for a := range g.start[:g.n+1] {
		for _, b := range g.neighbors[g.start[a]:g.start[a+1]] {
			g.links[a+1]++
			g.links[b+1]++
		}
	}
	for a := range g.n + 1 {
		g.links[a+1] += g.links[a]
	}
	g.near, g.entry = make([]int32, 2*len(g.neighbors)), make([]int32, 2*len(g.neighbors))
	next := slices.Clone(g.links)
	for a := range g.start[:g.n+1] {
		for e := g.start[a]; e < g.start[a+1]; e++ {
			b := g.neighbors[e]
			g.near[next[a]], g.entry[next[a]] = b, e
			g.near[next[b]], g.entry[next[b]] = int32(a), e
			next[a]++
			next[b]++
		}
	}
}

// A conditional is the prior at some shares: each weight given its neighbors. Q is the precision matrix of all nodes.
type conditional struct {
	variance []float64 // of each node given its neighbors
	gain     []float64 // by which these count, by entry
	log      float64   // log |Q|
	q        sparse    // Q, only once quadratic was called
	complete bool
}

// A sparse is a positive definite matrix with the pattern of Q, or its factor L D L' in the order from the last node to
// the first. It may have values for some of the nodes only.
type sparse struct {
	diagonal []float64 // by node
	off      []float64 // by entry
}

// leastCommon is the least variance of the common part. Without one the precision of node 0 would be infinite.
const leastCommon = 1e-12

// condition computes each weight given its neighbors.
func (g *network) condition(c *conditional, p *Prior, s Shares) {
	c.variance, c.gain, c.complete = vector.Extend(c.variance, g.n+1), vector.Extend(c.gain, len(g.neighbors)), false
	r := vector.Extend(c.q.off, len(g.neighbors)) // correlations, scratch space
	clear(r)
	for m, near := range p.Near {
		share, rate := s.Shares[1+m], s.Rates[m]
		for e, x := range g.distance[m] {
			r[e] += float64(share * near.correlation(x, rate))
		}
	}
	c.q.off = r
	common, other := max(s.Shares[0], leastCommon), 1-s.Shares[0]
	c.variance[0], c.log = common, -math.Log(common)
	var l [MaxNeighbors * MaxNeighbors]float64 // factors, with 1 over their diagonals
	var gain [MaxNeighbors]float64
	product := 1.0
	for a := 1; a <= g.n; a++ {
		first := g.start[a] + 1 // after the common part
		neighbors, correlations, pair := g.neighbors[first:g.start[a+1]], r[first:g.start[a+1]], g.pair[g.pairs[a]:g.pairs[a+1]]
		n, residual := len(neighbors), other
		for x, b := range neighbors {
			correlationsOfB, pair := r[g.start[b]:], pair[(x+1)*x/2+1:]
			row, square, right := l[x*MaxNeighbors:x*MaxNeighbors+x+1], other, correlations[x]
			for y, place := range pair[:x] {
				v := (correlationsOfB[place] - dot(row[:y], l[y*MaxNeighbors:])) * l[y*MaxNeighbors+y]
				row[y] = v
				square -= v * v
				right -= v * gain[y]
			}
			row[x] = 1 / math.Sqrt(square)
			gain[x] = right * row[x]
			residual -= gain[x] * gain[x]
		}
		commonGain := 1.0
		for x := n - 1; x >= 0; x-- {
			v := gain[x] * l[x*MaxNeighbors+x]
			axpy(gain[:x], -v, l[x*MaxNeighbors:])
			c.gain[int(first)+x] = v
			commonGain -= v
		}
		c.gain[first-1] = commonGain
		c.variance[a] = max(residual, 1e-12)
		if product *= c.variance[a]; product < 1e-200 {
			c.log -= math.Log(product)
			product = 1
		}
	}
	c.log -= math.Log(product)
}

// square returns the sum of the squared weights of some nodes, each less what its neighbors predict and over its variance:
// w'Qw if these are all nodes.
func (g *network) square(c *conditional, nodes []int32, w []float64) (sum float64) {
	for _, a := range nodes {
		x := w[a]
		for e := g.start[a]; e < g.start[a+1]; e++ {
			x -= c.gain[e] * w[g.neighbors[e]]
		}
		sum += x * x / c.variance[a]
	}
	return sum
}

// logVariance returns minus the log of the determinant of the precision matrix of some nodes, with all their neighbors.
func (g *network) logVariance(c *conditional, nodes []int32) (log float64) {
	if len(nodes) == g.n+1 {
		return -c.log
	}
	product := 1.0
	for _, a := range nodes {
		if product *= c.variance[a]; product < 1e-200 {
			log += math.Log(product)
			product = 1
		}
	}
	return log + math.Log(product)
}

// whiten replaces the weights of some nodes, with all their neighbors, by independent standard normal numbers, and color
// does the inverse.
func (g *network) whiten(c *conditional, nodes []int32, w []float64) {
	for i := len(nodes) - 1; i >= 0; i-- {
		a := nodes[i]
		for e := g.start[a]; e < g.start[a+1]; e++ {
			w[a] -= c.gain[e] * w[g.neighbors[e]]
		}
		w[a] /= math.Sqrt(c.variance[a])
	}
}

func (g *network) color(c *conditional, nodes []int32, w []float64) {
	for _, a := range nodes {
		g.colorNode(c, int(a), w)
	}
}

// colorNode replaces a standard normal number of a node by its weight, given those of its neighbors.
func (g *network) colorNode(c *conditional, a int, w []float64) {
	w[a] *= math.Sqrt(c.variance[a])
	for e := g.start[a]; e < g.start[a+1]; e++ {
		w[a] += c.gain[e] * w[g.neighbors[e]]
	}
}

// quadratic computes Q.
func (g *network) quadratic(c *conditional) {
	if !c.complete {
		c.q.diagonal = vector.Extend(c.q.diagonal, g.n+1)
		g.accumulate(&c.q, c, g.all)
		c.complete = true
	}
}

// accumulate puts the precision matrix of some nodes, in ascending order and with all their neighbors, into s.
func (g *network) accumulate(s *sparse, c *conditional, nodes []int32) {
	for _, a := range nodes {
		s.diagonal[a] = 0
		clear(s.off[g.start[a]:g.start[a+1]])
	}
	for _, a := range nodes {
		first, last := g.start[a], g.start[a+1]
		q := 1 / c.variance[a]
		s.diagonal[a] += q
		pair := g.pair[g.pairs[a]:]
		gain := c.gain[first:last]
		for x, b := range g.neighbors[first:last] {
			h := q * gain[x]
			s.off[int(first)+x] -= h
			s.diagonal[b] += h * gain[x]
			row, pair := s.off[g.start[b]:], pair[x*(x-1)/2:]
			for y, gy := range gain[:x] {
				row[pair[y]] += float64(h * gy)
			}
		}
	}
}

// ancestors marks the nodes on which the marked ones depend, directly or through others, and returns all marked ones in
// ascending order, in out. If they are most of the nodes, it returns all.
func (g *network) ancestors(marked []bool, out []int32) []int32 {
	marked[0] = true
	out = out[:0]
	for a := g.n; a >= 0; a-- {
		if !marked[a] {
			continue
		}
		out = append(out, int32(a))
		for _, b := range g.neighbors[g.start[a]:g.start[a+1]] {
			marked[b] = true
		}
	}
	if 4*len(out) > 3*g.n {
		vector.Fill(marked, true)
		return append(out[:0], g.all...)
	}
	slices.Reverse(out)
	return out
}

// fill puts the precision matrix of some nodes, in ascending order and with all their neighbors, into s. Rows and columns
// of nodes that are not free are 0, with 1 on the diagonal.
func (g *network) fill(s *sparse, c *conditional, nodes []int32, free []bool) {
	s.diagonal, s.off = vector.Extend(s.diagonal, g.n+1), vector.Extend(s.off, len(g.neighbors))
	if len(nodes) == g.n+1 {
		g.quadratic(c)
		copy(s.diagonal, c.q.diagonal)
		copy(s.off, c.q.off)
	} else {
		g.accumulate(s, c, nodes)
	}
	if free == nil {
		return
	}
	for _, a := range nodes {
		entries := s.off[g.start[a]:g.start[a+1]]
		if !free[a] {
			s.diagonal[a] = 1
			clear(entries)
			continue
		}
		for x, b := range g.neighbors[g.start[a]:g.start[a+1]] {
			if !free[b] {
				entries[x] = 0
			}
		}
	}
}

// factor replaces a matrix of some nodes by its factor and returns the log of the determinant.
func (g *network) factor(s *sparse, nodes []int32) (log float64) {
	product := 1.0
	for e := len(nodes) - 1; e >= 0; e-- {
		a := nodes[e]
		d := s.diagonal[a]
		if product *= d; !(product < 1e200 && product > 1e-200) {
			log += math.Log(product)
			product = 1
		}
		first := g.start[a]
		entries := s.off[first:g.start[a+1]]
		pair := g.pair[g.pairs[a]:]
		for x, b := range g.neighbors[first:g.start[a+1]] {
			if entries[x] == 0 {
				continue
			}
			l := entries[x] / d
			s.diagonal[b] -= l * entries[x]
			row, pair := s.off[g.start[b]:], pair[x*(x-1)/2:]
			for y, o := range entries[:x] {
				row[pair[y]] -= float64(l * o)
			}
		}
		for x := range entries {
			entries[x] /= d
		}
	}
	return log + math.Log(product)
}

// solve replaces v by the product of the inverse of a factored matrix of some nodes with v. With normal numbers z it returns a
// draw from the normal distribution with this mean and the inverse as covariance.
func (g *network) solve(s *sparse, nodes []int32, v, z []float64) {
	for i := len(nodes) - 1; i >= 0; i-- {
		a := nodes[i]
		x := v[a]
		for e := g.start[a]; e < g.start[a+1]; e++ {
			v[g.neighbors[e]] -= s.off[e] * x
		}
		v[a] /= s.diagonal[a]
		if z != nil {
			v[a] += z[a] / math.Sqrt(s.diagonal[a])
		}
	}
	for _, a := range nodes {
		for e := g.start[a]; e < g.start[a+1]; e++ {
			v[a] -= s.off[e] * v[g.neighbors[e]]
		}
	}
}

// product returns the product of row a of Q, without the diagonal, with the weights of all nodes.
func (g *network) product(c *conditional, w []float64, a int32) (sum float64) {
	for x := g.links[a]; x < g.links[a+1]; x++ {
		sum += c.q.off[g.entry[x]] * w[g.near[x]]
	}
	return sum
}

// pull puts minus the products of the precision matrix of some nodes with the weights of the fixed ones into v, for the
// free ones; 0 for the others.
func (g *network) pull(v []float64, c *conditional, nodes []int32, free []bool, w []float64) {
	for _, a := range nodes {
		v[a] = 0
	}
	for _, a := range nodes {
		neighbors, gain := g.neighbors[g.start[a]:g.start[a+1]], c.gain[g.start[a]:g.start[a+1]]
		x := 0.0
		if !free[a] {
			x = w[a]
		}
		for e, b := range neighbors {
			if !free[b] {
				x -= gain[e] * w[b]
			}
		}
		if x == 0 {
			continue
		}
		x /= c.variance[a]
		v[a] -= x
		for e, b := range neighbors {
			v[b] += float64(gain[e] * x)
		}
	}
	for _, a := range nodes {
		if !free[a] {
			v[a] = 0
		}
	}
}
