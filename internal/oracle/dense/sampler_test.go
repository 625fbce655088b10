package dense

// The sampler against exact distributions: of the allocation, by enumeration, and of all
// unknowns together, by their prior. Every stochastic test has a broken twin,
// a sampler with one mistake, that the same test must reject.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// forgetMultiplicities is a scan whose flips compare the probabilities of
// classes as if these were matrices with labelled columns.
func forgetMultiplicities(s *Sampler, rng *rand.Rand) {
	for i := range s.State.Z {
		z := s.State.Z
		for _, k := range rng.Perm(len(z[i])) {
			if isSingleton(z, i, k) {
				continue
			}
			z[i][k] = 0
			without := s.logJoint(s.State)
			z[i][k] = 1
			if with := s.logJoint(s.State); rng.Float64() >= 1/(1+math.Exp(without-with)) {
				z[i][k] = 0
			}
		}
		s.updateSingletons(i, rng)
	}
}

// allocationPValue runs a chain that only updates Z and tests its visits to the
// classes of at most maxK features against their exact probabilities.
//
// The chain starts from an exact draw of the prior, and six scans lie between
// two counted states, at which the correlation of sharing and of the number of
// features has fallen to about 0.01.
func allocationPValue(s *Sampler, scan func(*Sampler, *rand.Rand), maxK, draws int, rng *rand.Rand) float64 {
	const thin = 6
	prob := make(map[string]float64)
	total := 0.0
	start := s.State
	f := Exponential(start.Temperature, s.Distance)
	for _, z := range allAllocations(len(s.X), maxK) {
		w := math.Exp(LogAIBD(z, start.Mass, f, start.Perm) + LogLik(s.X, z, start.SigmaX, start.SigmaA))
		prob[class(z)] = w
		total += w
	}
	for name := range prob {
		prob[name] /= total
	}
	s.State.Z = randAIBD(start.Mass, f, start.Perm, rng)
	counts := make(map[string]int)
	for range draws {
		for range thin {
			scan(s, rng)
		}
		if len(s.State.Z[0]) <= maxK {
			counts[class(s.State.Z)]++
		}
	}
	return chiSquare(counts, prob)
}

// allocationSampler returns a sampler of Z alone, for up to three items, whose
// truncation of singletons is far beyond what the tests can see.
func allocationSampler(x [][]float64, mass float64) *Sampler {
	n := len(x)
	s := &Sampler{
		X:                 x,
		State:             State{Mass: mass, Temperature: 1.5, SigmaX: 0.6, SigmaA: 1},
		TruncationDivisor: 1e5, MaxSigmaX: 2, MaxSigmaA: 2,
		MassShape: 1, MassRate: 1, TemperatureShape: 1, TemperatureRate: 1,
	}
	for i := range n {
		s.Distance = append(s.Distance, threePlaces[i][:n])
		s.State.Perm = append(s.State.Perm, n-1-i)
	}
	return s
}

// False-alarm rate 1e-6 for each case. The broken twins forget the
// multiplicities of equal columns (which matters most where few columns are
// possible: two items), or truncate the singletons at 1/2.
func TestChainFollowsExactDistribution(t *testing.T) {
	noData := make([][]float64, 3)
	data := [][]float64{{0.5, -0.5}, {-0.6, -1.3}, {-2.1, -0.3}}
	truncated := allocationSampler(noData, 1.2)
	truncated.TruncationDivisor = 2
	scan := (*Sampler).Scan
	for _, c := range []struct {
		name    string
		sampler *Sampler
		scan    func(*Sampler, *rand.Rand)
		maxK    int
		draws   int
		broken  bool
	}{
		{"prior of two items", allocationSampler(noData[:2], 3), scan, 12, 1100, false},
		{"prior of three items", allocationSampler(noData, 1.2), scan, 6, 600, false},
		{"posterior", allocationSampler(data, 1.2), scan, 6, 500, false},
		{"multiplicities forgotten", allocationSampler(noData[:2], 3), forgetMultiplicities, 12, 1100, true},
		{"singletons truncated", truncated, scan, 6, 200, true},
	} {
		p := allocationPValue(c.sampler, c.scan, c.maxK, c.draws, rand.New(rand.NewPCG(3, 1)))
		if rejected := p < alarm; rejected != c.broken {
			t.Errorf("%s: p = %g, rejected %t, expected %t", c.name, p, rejected, c.broken)
		}
	}
}

// False-alarm rate about 1e-6 for each unknown, the correlation of the counted
// states being negligible. Each of permutation, temperature and scales is
// updated alone, the rest fixed, and its visits are tested against its
// conditional distribution, summed or integrated by the midpoint rule. The broken twin
// forgets Z or the data, so that it follows the prior.
func TestUpdatesFollowConditionalDistributions(t *testing.T) {
	const draws, thin = 1000, 20
	z := [][]int{{1, 1, 1, 0}, {1, 1, 1, 1}, {0, 0, 0, 1}}
	s := allocationSampler([][]float64{{0.5, -0.5}, {-0.6, -1.3}, {-0.1, -0.3}}, 1.2)
	s.State.Z = z
	s.State.Temperature = 4
	s.ShuffleSize, s.StepTemperature = 2, 1
	s.StepSigmaX, s.StepSigmaA, s.StepCorrelation = 0.5, 0.7, -0.3
	start := s.State

	type point struct {
		cell       string  // where the chain's visits are counted
		prior, log float64 // log prior, and what Z or the data add to it
	}
	logPMF := func(temperature float64, perm []int) float64 {
		return LogAIBD(z, start.Mass, Exponential(temperature, threePlaces), perm)
	}
	permCell := func(s State) string { return fmt.Sprint(s.Perm) }
	temperatureCell := func(s State) string { return fmt.Sprint(min(int(2*s.Temperature), 10)) }
	scalesCell := func(s State) string { return fmt.Sprint(int(2*s.SigmaX), int(2*s.SigmaA)) }

	var perms, temperatures, scales []point
	for _, perm := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		perms = append(perms, point{permCell(State{Perm: perm}), 0, logPMF(start.Temperature, perm)})
	}
	for i := range 4000 {
		temperature := (float64(i) + 0.5) / 200
		temperatures = append(temperatures, point{
			temperatureCell(State{Temperature: temperature}), -temperature, logPMF(temperature, start.Perm),
		})
	}
	for i := range 60 {
		for j := range 60 {
			sigmaX, sigmaA := (float64(i)+0.5)/30, (float64(j)+0.5)/30
			scales = append(scales, point{
				scalesCell(State{SigmaX: sigmaX, SigmaA: sigmaA}), 0, LogLik(s.X, z, sigmaX, sigmaA),
			})
		}
	}

	for _, c := range []struct {
		name   string
		update func(*rand.Rand)
		cell   func(State) string
		points []point
	}{
		{"permutation", s.updatePermutation, permCell, perms},
		{"temperature", s.updateTemperature, temperatureCell, temperatures},
		{"scales", s.updateScales, scalesCell, scales},
	} {
		rng := rand.New(rand.NewPCG(6, 1))
		s.State = start
		counts := make(map[string]int)
		for range draws {
			for range thin {
				c.update(rng)
			}
			counts[c.cell(s.State)]++
		}
		probabilities := func(logWeight func(point) float64) map[string]float64 {
			prob, total := make(map[string]float64), 0.0
			for _, p := range c.points {
				w := math.Exp(logWeight(p))
				prob[p.cell] += w
				total += w
			}
			for cell := range prob {
				prob[cell] /= total
			}
			return prob
		}
		if p := chiSquare(counts, probabilities(func(p point) float64 { return p.prior + p.log })); p < alarm {
			t.Errorf("%s: p = %g", c.name, p)
		}
		if p := chiSquare(counts, probabilities(func(p point) float64 { return p.prior })); p >= alarm {
			t.Errorf("%s is not distinguished from its prior: p = %g", c.name, p)
		}
	}
}

// jointDistances returns, for each unknown and for the data given these, the
// distance between the empirical distribution of its probability integral transform and
// the uniform distribution.
//
// Each of the independent replicates draws the unknowns from the prior and data
// given them, and then scans once. A correct scan leaves the posterior given
// these data invariant, so over all replicates unknowns and data still follow
// their joint distribution: exactly, not in a limit. configure changes the sampler's
// settings.
// The second result is the least fraction of replicates in which an unknown
// moved.
func jointDistances(replicates int, configure func(*Sampler), rng *rand.Rand) (distance map[string]float64, moved float64) {
	const n, d, maxSigma = 3, 2, 1.5
	gamma := distuv.Gamma{Alpha: 2, Beta: 2, Src: rng}
	transforms := make(map[string][]float64)
	moves := make([]int, 5)
	for range replicates {
		start := State{
			Mass: gamma.Rand(), Temperature: gamma.Rand(), Perm: rng.Perm(n),
			SigmaX: maxSigma * rng.Float64(), SigmaA: maxSigma * rng.Float64(),
		}
		start.Z = randAIBD(start.Mass, Exponential(start.Temperature, threePlaces), start.Perm, rng)
		s := NewSampler(randData(start, d, rng), threePlaces, start)
		s.TruncationDivisor, s.OtherUpdates = 1e5, 4
		s.MassShape, s.MassRate = 2, 2
		s.TemperatureShape, s.TemperatureRate = 2, 2
		s.MaxSigmaX, s.MaxSigmaA = maxSigma, maxSigma
		s.StepSigmaX, s.StepSigmaA, s.StepCorrelation = 0.3, 0.3, 0.5
		configure(s)
		s.Scan(rng)

		end := s.State
		add := func(name string, u float64) { transforms[name] = append(transforms[name], u) }
		add("mass", gamma.CDF(end.Mass))
		add("temperature", gamma.CDF(end.Temperature))
		add("SigmaX", end.SigmaX/maxSigma)
		add("SigmaA", end.SigmaA/maxSigma)
		add("first to arrive", (float64(end.Perm[0])+rng.Float64())/n)
		add("last to arrive", (float64(end.Perm[n-1])+rng.Float64())/n)
		// Given the unknowns the data are normal, so that their squared Mahalanobis
		// length is chi-square: twice what the log likelihood falls short of that
		// of X = 0.
		atZero := LogLik([][]float64{{0, 0}, {0, 0}, {0, 0}}, end.Z, end.SigmaX, end.SigmaA)
		length := 2 * (atZero - LogLik(s.X, end.Z, end.SigmaX, end.SigmaA))
		add("data", distuv.ChiSquared{K: n * d}.CDF(length))
		// Given the other unknowns, these counts are Poisson.
		add("features", randomizedCDF(len(end.Z[0]), end.Mass*harmonic(n), rng))
		shared := 0
		for k, v := range end.Z[0] {
			shared += v * end.Z[1][k]
		}
		add("shared by items 0 and 1", randomizedCDF(shared, expectedSharing(end), rng))
		for i, row := range end.Z {
			features := 0
			for _, v := range row {
				features += v
			}
			add([]string{"item 0", "item 1", "item 2"}[i], randomizedCDF(features, end.Mass, rng))
		}

		for i, m := range []bool{
			class(end.Z) != class(start.Z), end.Mass != start.Mass, end.Temperature != start.Temperature,
			!slices.Equal(end.Perm, start.Perm), end.SigmaX != start.SigmaX && end.SigmaA != start.SigmaA,
		} {
			if m {
				moves[i]++
			}
		}
	}
	distance = make(map[string]float64)
	for name, us := range transforms {
		slices.Sort(us)
		for i, u := range us {
			m := float64(len(us))
			distance[name] = max(distance[name], u-float64(i)/m, float64(i+1)/m-u)
		}
	}
	return distance, float64(slices.Min(moves)) / float64(replicates)
}

// randData draws X = Z A + E with d columns.
func randData(state State, d int, rng *rand.Rand) [][]float64 {
	loadings := make([][]float64, len(state.Z[0]))
	for k := range loadings {
		loadings[k] = make([]float64, d)
		for j := range d {
			loadings[k][j] = state.SigmaA * rng.NormFloat64()
		}
	}
	x := make([][]float64, len(state.Z))
	for i, row := range state.Z {
		x[i] = make([]float64, d)
		for j := range d {
			x[i][j] = state.SigmaX * rng.NormFloat64()
			for k, v := range row {
				x[i][j] += float64(v) * loadings[k][j]
			}
		}
	}
	return x
}

// randomizedCDF returns a uniform variable if count is Poisson(mean): a point
// at random between the distribution function at count-1 and at count.
func randomizedCDF(count int, mean float64, rng *rand.Rand) float64 {
	poisson := distuv.Poisson{Lambda: mean}
	below := 0.0
	for c := range count {
		below += poisson.Prob(float64(c))
	}
	return below + rng.Float64()*poisson.Prob(float64(count))
}

// expectedSharing returns the expected number of features that items 0 and 1
// share under the AIBD of state, for three items. Every customer expects mass
// dishes. The second takes each dish of the first with probability 1/2, the
// third each dish with the sum of a0 if the first has it and a1 if the second.
func expectedSharing(state State) float64 {
	f, perm := Exponential(state.Temperature, threePlaces), state.Perm
	const second = 0.5
	to0 := f[perm[2]][perm[0]]
	to1 := f[perm[2]][perm[1]]
	a0, a1 := 2.0/3*to0/(to0+to1), 2.0/3*to1/(to0+to1)
	sharing := map[int]float64{ // of the other two, by the item left out, for mass 1
		perm[2]: second,
		perm[1]: a0 + a1*second,
		perm[0]: a1 + a0*second,
	}
	return state.Mass * sharing[2]
}

// False-alarm rate below 1.2e-5: the bound 2 exp(-2 n distance^2) <= 1e-6 of
// Dvoretzky, Kiefer, Wolfowitz and Massart for each of the twelve transforms.
// The broken twin has the priors of mass, temperature and SigmaX wrong, and
// must be rejected for each of them.
func TestScanLeavesJointDistributionInvariant(t *testing.T) {
	const replicates = 1500
	bound := math.Sqrt(math.Log(2/alarm) / (2 * replicates))
	rng := rand.New(rand.NewPCG(4, 1))

	distance, moved := jointDistances(replicates, func(*Sampler) {}, rng)
	for name, d := range distance {
		if d > bound {
			t.Errorf("%s: distance %.4f, bound %.4f", name, d, bound)
		}
	}
	if moved < 0.5 {
		t.Errorf("an unknown moved in only %.0f%% of the replicates", 100*moved)
	}

	distance, _ = jointDistances(replicates, func(s *Sampler) {
		s.MassRate, s.TemperatureRate, s.MaxSigmaX = 4, 4, 2
	}, rng)
	for _, name := range []string{"mass", "temperature", "SigmaX"} {
		if distance[name] <= bound {
			t.Errorf("wrong prior of %s: not rejected, distance %.4f, bound %.4f", name, distance[name], bound)
		}
	}
}

// The size of the paper's application, with synthetic data. A scan is 62 rows.
func BenchmarkFlipRow(b *testing.B) {
	const n, d = 62, 224
	rng := rand.New(rand.NewPCG(5, 1))
	distance := make([][]float64, n)
	for i := range distance {
		distance[i] = make([]float64, n)
		for j := range distance[i] {
			distance[i][j] = math.Abs(float64(i - j))
		}
	}
	start := State{Mass: 15, Temperature: 0.4, Perm: rng.Perm(n), SigmaX: 0.5, SigmaA: 0.35}
	start.Z = randAIBD(start.Mass, Exponential(start.Temperature, distance), start.Perm, rng)
	s := NewSampler(randData(start, d, rng), distance, start)
	i := 0
	for b.Loop() {
		s.FlipRow(i%n, rng)
		i++
	}
	b.ReportMetric(float64(len(s.State.Z[0])), "features")
}
