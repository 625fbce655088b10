package exhibits

// The log evidence of the laws of the application, and what the distance stands for there.

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/compare"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// hypothesis is a prior of the application: a law and what its distances are.
type hypothesis struct {
	distance string
	law      spec.Prior // law and proximity
	of       func(i, j int) float64
}

// hypotheses are the priors whose evidence is estimated. Ages are in standard deviations.
func (a *patients) hypotheses() []hypothesis {
	sd := stat.StdDev(a.age, nil)
	age := func(i, j int) float64 { return math.Abs(a.age[i]-a.age[j])/sd + 0.00001 }
	var strangers []float64 // distances by age between people
	for i := range a.age {
		for j := range i {
			if a.group[i] != a.group[j] {
				strangers = append(strangers, age(i, j))
			}
		}
	}
	slices.Sort(strangers)
	// other returns the distance of two scans of different people, and the given one for those of one person.
	other := func(same float64, apart func(i, j int) float64) func(i, j int) float64 {
		return func(i, j int) float64 {
			if a.group[i] == a.group[j] {
				return same
			}
			return apart(i, j)
		}
	}
	person := other(0, func(int, int) float64 { return 1 })
	aibd := spec.Prior{Law: "aibd", Proximity: "sequential"}
	return []hypothesis{
		{"none", spec.Prior{Law: "ibp", Proximity: "sequential"}, nil},
		{byAge, aibd, age},
		{byAge, spec.Prior{Law: "ddibp", Proximity: "sequential"}, age},
		{byAge, spec.Prior{Law: "ddibp", Proximity: "symmetric"}, age},
		{byPerson, aibd, person},
		{byAgeOfOthers, aibd, other(stat.Quantile(0.5, stat.Empirical, strangers, nil), age)},
		{byBoth, aibd, func(i, j int) float64 { return age(i, j) + person(i, j) }},
	}
}

// What distances are.
const (
	byAge         = "age"
	byPerson      = "0 for scans of one person, 1 for others"
	byAgeOfOthers = "age, but its median for scans of one person"
	byBoth        = "age, plus 1 for scans of different people"
)

// build returns the problem of a hypothesis.
func (j *job) build(h hypothesis) (*model.Problem, error) {
	s, err := j.spec(variant{set: func(s *spec.Spec) {
		s.Prior.Law, s.Prior.Proximity = h.law.Law, h.law.Proximity
		if s.Prior.Law == "ibp" {
			s.Distance = spec.Distance{}
		}
		s.Sampler.Clusters, s.Sampler.OtherUpdates = new(5), new(3) // as aibd evidence has them
	}})
	if err != nil {
		return nil, err
	}
	p, err := input.Build(s)
	if err != nil {
		return nil, err
	}
	law, ok := p.Posterior.Law.(prior.Attraction)
	if !ok {
		return p, nil
	}
	n := len(p.IDs)
	rows := make([][]float64, n)
	for i := range rows {
		for k := range n {
			if rows[i] = append(rows[i], 0); k != i {
				rows[i][k] = h.of(i, k)
			}
		}
	}
	m, err := similarity.NewMatrix(rows)
	if err != nil {
		return nil, err
	}
	p.Posterior.Law, err = model.LawOf(h.law, prior.NewAffinity(m, similarity.Exponential{}), law.Mass(), law.Temperature(), law.Permutation())
	return p, err
}

func makeEvidence(j *job) error {
	a, people, err := j.people()
	if err != nil {
		return err
	}
	size := compare.Size{Populations: j.size(4, 2), PopulationConfig: mcmc.PopulationConfig{Members: j.size(8, 2), Scans: j.size(60, 2)}}
	all := a.hypotheses()
	tick, stop := j.count("populations", len(all)*size.Populations)
	defer stop()
	found := make([]*compare.Evidence, len(all))
	var rows [][]Cell
	for i, h := range all {
		p, err := j.build(h)
		if err != nil {
			return err
		}
		found[i], err = compare.Estimate(j.ctx, p, size, func(_ int, pilot bool, at *mcmc.Population) {
			if !pilot && at.Done() {
				tick(1)
			}
		})
		if err != nil {
			return err
		}
		e := found[i]
		fmt.Fprintf(j.Log, "%s: %s, distance %s: log evidence %.1f (error %.1f, spread %.1f), %.1f features\n", j.result.Name, e.Spec().LawName(), h.distance, e.Log, e.StdErr(), e.Spread, e.Features)
		row := []Cell{word(h.distance), word(e.Spec().LawName()), fixed(e.Log, 1), fixed(e.StdErr(), 1), fixed(e.Spread, 1)}
		if less := compare.Compare(e, found[0]); i > 0 {
			row = append(row, fixed(less.Difference, 1), fixed(less.StdErr, 1))
		} else {
			row = append(row, word("–"), word("–"))
		}
		rows = append(rows, append(row, fixed(e.Features, 1)))
	}
	j.result.About = fmt.Sprintf("The log evidence, log p(X), of priors of the application: %d populations of %d members and %d scans for each (waste-free sequential Monte Carlo). It averages over the mass, the temperature, SigmaX, SigmaA and the order, with the paper’s priors; ages are in standard deviations. Near ages are often those of one person: the 62 rows look like repeated scans of about %d people, which we infer and no source states. So three other distances are compared: one that says only whether two scans are of one person; the age, but with scans of one person at the median distance of different people; and the age plus 1 for scans of different people. The error is the standard error over populations, the spread their standard deviation.",
		size.Populations, size.Members, size.Scans, people)
	j.table("evidence", "Log evidence, in nats", []string{"distance", "law", "log evidence", "error", "spread", "less IBP", "error", "features"}, rows)
	at := func(distance, law, proximity string) int {
		return slices.IndexFunc(all, func(h hypothesis) bool {
			return h.distance == distance && h.law.Law == law && h.law.Proximity == proximity
		})
	}
	for _, c := range []struct {
		question     string
		first, other int
	}{
		{"Does distance matter? AIBD by age against the IBP", at(byAge, "aibd", "sequential"), 0},
		{"Does the paper’s preference of the AIBD over the dd-IBP hold? AIBD by age against the sequential dd-IBP by age", at(byAge, "aibd", "sequential"), at(byAge, "ddibp", "sequential")},
		{"AIBD by age against the symmetric dd-IBP by age", at(byAge, "aibd", "sequential"), at(byAge, "ddibp", "symmetric")},
		{"Is age more than a sign of the person? AIBD by age against the AIBD that knows only the person", at(byAge, "aibd", "sequential"), at(byPerson, "aibd", "sequential")},
		{"Does age matter between people? AIBD by age with scans of one person at the median distance, against the IBP", at(byAgeOfOthers, "aibd", "sequential"), 0},
		{"Does age add to the person? AIBD by age and person against the AIBD that knows only the person", at(byBoth, "aibd", "sequential"), at(byPerson, "aibd", "sequential")},
	} {
		j.findPreference(c.question, compare.Compare(found[c.first], found[c.other]))
	}
	return nil
}

// findPreference adds a finding: a question with its answer.
func (j *job) findPreference(question string, p compare.Preference) {
	verdict := "the first is preferred"
	switch {
	case p.Finding == compare.Unreliable:
		verdict = "the populations disagree too much to tell"
	case p.Finding == compare.Equal:
		verdict = "the data do not tell them apart"
	case p.Difference < 0:
		verdict = "the second is preferred"
	}
	j.find("%s: %.1f nats (error %.1f): %s.", question, p.Difference, p.StdErr, verdict)
}
