package fit

import (
	"errors"
	"fmt"
	"strings"

	"aibd/draws"
	"aibd/internal/verdict"
	"aibd/mcmc"
	"aibd/posterior"
)

// Verdict says whether chains agree. They agree if R-hat is at most 1.01, and the bulk and tail effective sample sizes
// are at least 400 (Vehtari et al., 2021), of all scalars except those that depend on which features encode the signals
// (their number, the items of each, the shares and rates of weights, and the log joint); and if at most 5% of the fitted values, and of the covariances
// of pairs of items, have a higher R-hat. Of binary features, the numbers of shared features take the place of
// covariances. Otherwise they agree on what is large if the mean fitted values of the halves of all chains, over the
// noise, differ by at most 30% of each of their largest principal axes, which have 75% of their sum of squares at least.
type Verdict struct {
	Agreed  bool
	OnLarge bool     // they agree on what is large, as they do if Agreed
	MaxRHat float64  // of the scalars that decide; 0 if there is none
	MinESS  float64  // bulk or tail, of the scalars that decide; 0 if there is none
	Needed  float64  // how many times as many draws agreement takes, by R-hat and ESS, at least 2; of no meaning if the chains agree
	Lines   []string // the verdict in words: a line, and if the chains do not agree what that looks like
}

// String returns the lines.
func (v *Verdict) String() string { return strings.Join(v.Lines, "\n") }

// Names are the names in a verdict.
type Names struct {
	Items   []string // nil: item 1 and so on
	Columns []string // of X; nil: column 1 and so on
}

// Judge judges draws of a posterior, which Fit or another program has made: chains[c][t] is draw t of chain c. It
// returns an error without draws, with chains of different lengths, and with draws of another model.
func Judge(post *mcmc.Posterior, chains [][]*draws.Draw, names Names) (*Verdict, error) {
	if len(chains) == 0 || len(chains[0]) == 0 {
		return nil, errors.New("found no draws, expected at least one of each chain")
	}
	n, holding := post.Data.N(), draws.HasOf(chains[0][0])
	for c, chain := range chains {
		if len(chain) != len(chains[0]) {
			return nil, fmt.Errorf("chain %d: found %d draws, expected %d as in chain 1", c+1, len(chain), len(chains[0]))
		}
		for t, d := range chain {
			if contents := draws.HasOf(d); contents != holding || d.Z.N() != n {
				return nil, fmt.Errorf("chain %d, draw %d: found a draw of %d items with the unknowns %+v, expected %d items with %+v", c+1, t+1, d.Z.N(), contents, n, holding)
			}
		}
	}
	subject, err := names.subject(post, holding)
	if err != nil {
		return nil, err
	}
	var in verdict.Input
	var values []map[string][]float64
	for _, chain := range chains {
		values = append(values, subject.Values(chain))
	}
	in.Quantities = subject.Quantities(values)
	if in.Families, err = subject.Families(chains); err != nil {
		return nil, err
	}
	v := verdict.Judge(in)
	return &Verdict{v.Agreed, v.OnLarge, v.MaxRHat, v.MinESS, v.Needed(), v.Lines()}, nil
}

// subject describes the draws of a posterior, given what they have.
func (names Names) subject(post *mcmc.Posterior, holding draws.Has) (verdict.Subject, error) {
	s := verdict.Subject{
		Items: names.Items, Columns: names.Columns, Has: holding, Data: post.Data, Weighted: post.Features != mcmc.Binary && post.Features != "",
		Max: map[string]float64{draws.KeySigmaX: post.SigmaX.Max, draws.KeySigmaA: post.SigmaA.Max},
	}
	for _, list := range []struct {
		names *[]string
		kind  string
		count int
	}{{&s.Items, "item", post.Data.N()}, {&s.Columns, "column", post.Data.D()}} {
		if *list.names == nil {
			for i := range list.count {
				*list.names = append(*list.names, fmt.Sprintf("%s %d", list.kind, i+1))
			}
		}
		if count := len(*list.names); count != list.count {
			return s, fmt.Errorf("found %d names, expected one for each %s of %d", count, list.kind, list.count)
		}
	}
	for key, fixed := range map[string]bool{
		draws.KeyMass: post.Mass == nil, draws.KeyTemperature: post.Temperature == nil,
		draws.KeySigmaX: !post.SigmaX.Random(), draws.KeySigmaA: !post.SigmaA.Random(), draws.UnknownShares: holding.Shares == 0,
		draws.UnknownWeights: !s.Weighted, draws.UnknownPermutation: !post.Permutation, draws.UnknownNoiseScales: !holding.NoiseScales,
	} {
		if fixed {
			s.Fixed = append(s.Fixed, key)
		}
	}
	for m := range holding.FurtherTemperatures {
		if prior := post.Temperature; post.FurtherTemperatures == nil && prior == nil || post.FurtherTemperatures != nil && post.FurtherTemperatures[m] == nil {
			s.Fixed = append(s.Fixed, draws.TemperatureKey(m+1))
		}
	}
	return s, nil
}

// Scalar is a scalar of draws with its summary.
type Scalar struct {
	Key, Name string // of draws.Scalar
	posterior.Summary
}

// Summarize returns the scalars of draws of all chains, of equal length, in the order of aibd summary.
func Summarize(chains [][]*draws.Draw) (all []Scalar) {
	subject := verdict.Subject{Has: draws.HasOf(chains[0][0])}
	var values []map[string][]float64
	for _, chain := range chains {
		values = append(values, subject.Values(chain))
	}
	for _, q := range subject.Quantities(values) {
		all = append(all, Scalar{q.Key, q.Name, posterior.Summarize(q.Chains)})
	}
	return all
}
