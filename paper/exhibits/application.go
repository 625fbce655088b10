package exhibits

// The application: the models, fitted, and how well they predict the diagnosis.

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// baseline is a way to predict without a model of features.
type baseline struct {
	name    string
	x       [][]float64
	printed float64 // AUC in the paper; 0: not printed
}

// printedAUC are the paper's values for the measurements alone and with age.
const (
	printedAUC        = 0.778
	printedAUCWithAge = 0.785
)

func (a *patients) baselines() []baseline {
	withAge, age := make([][]float64, len(a.x)), make([][]float64, len(a.x))
	for i, row := range a.x {
		withAge[i] = append(slices.Clone(row), a.age[i])
		age[i] = []float64{a.age[i]}
	}
	return []baseline{
		{"the 224 measurements", a.x, printedAUC},
		{"measurements and age", withAge, printedAUCWithAge},
		{"age alone", age, 0},
	}
}

// fitted is the summary of a model.
type fitted struct {
	variant
	auc       [][]float64 // by chain and draw
	deviance  posterior.Deviance
	summaries map[string]posterior.Summary // by quantity
	draws     map[string][]float64         // of all chains, by quantity
	seconds   float64                      // a scan
	rhat      float64                      // of the log likelihood
}

// fitAll fits the models and predicts the diagnosis from the draws of each.
func (j *job) fitAll(a *patients, models []variant, split splitter) ([]fitted, error) {
	var all []fitted
	for _, m := range models {
		run, err := j.fit(m)
		if err != nil {
			return nil, err
		}
		f, err := summarized(m, run)
		if err != nil {
			return nil, err
		}
		_, chains, _, err := run.Kept()
		if err != nil {
			return nil, err
		}
		if f.auc, err = j.posteriorAUC(m.name, a.y, chains, split); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// summarized reads the scalars of a run.
func summarized(m variant, run *runs.Run) (fitted, error) {
	traces, note, err := run.Scalars()
	if err == nil && note != "" {
		err = fmt.Errorf("%s: %s", run.Dir, note)
	}
	if err != nil {
		return fitted{}, err
	}
	f := fitted{variant: m, summaries: map[string]posterior.Summary{}, draws: map[string][]float64{}}
	for _, q := range quantities {
		chains := lists.Map(traces, func(t runs.Trace) []float64 { return t.Values[q.key] })
		f.summaries[q.name], f.draws[q.name] = posterior.Summarize(chains), slices.Concat(chains...)
	}
	f.deviance, f.rhat = posterior.DIC(f.draws["log likelihood"]), f.summaries["log likelihood"].RHat
	f.seconds = run.SecondsPerScan()
	return f, nil
}

// quantities are the scalars of the exhibits, with the paper's names.
var quantities = []struct{ name, key string }{
	{"mass", draws.KeyMass},
	{"temperature", draws.KeyTemperature},
	{"SigmaX", draws.KeySigmaX},
	{"SigmaA", draws.KeySigmaA},
	{"features", draws.KeyFeatures},
	{"items per feature", draws.KeyItemsPerFeature},
	{"log likelihood", draws.KeyLogLik},
}

// makeApplication makes an exhibit of its models, the last of which is the IBP.
// Temperatures of the first ten are per standard deviation of age, or per year.
func (j *job) makeApplication(standardized bool) error {
	a, err := j.patients()
	if err != nil {
		return err
	}
	all, err := j.fitAll(a, modelsOf(j.result.Name), a.stratified(j.Seed))
	if err != nil {
		return err
	}
	s := j.sampler()
	positives := 0
	for _, y := range a.y {
		if y {
			positives++
		}
	}
	unit, other, axis := "standard deviation of age", "year", "temperature (per sd of age)"
	if !standardized {
		unit, other, axis = other, unit, "temperature (per year)"
	}
	j.result.About = fmt.Sprintf("62 subjects, 224 measurements, %d with Alzheimer’s disease. Each model has %d chains of %d scans, and half of the scans are kept. Fixed temperatures are per %s (standard deviation %.2f years), with items in the order of age. Expected posterior AUC: for each of the %d draws, a logistic regression of the diagnosis on Z (L2 penalty 1e-6) is fitted to a random %d patients and %d controls and tested on the others; with 95%% Monte Carlo interval. Draw i has the same training set in all models, so differences from the IBP are precise. Milliseconds are wall time on a machine that also did other work; the exhibit on scaling measures a scan.",
		positives, s.Chains, s.Warmup+s.Draws, unit, stat.StdDev(a.age, nil), s.Chains*s.Draws, trainPatients, trainControls)

	ibp := all[len(all)-1]
	header := []string{"law", "temperature", "AUC", "from", "to", "AUC − IBP", "from", "to", "mean deviance", "DIC", "features", "items per feature", "mass", "SigmaX", "SigmaA", "temperature", "R-hat", "ms a scan"}
	var rows [][]Cell
	better, worse := 0, 0
	for _, f := range all {
		auc := newEffect(f.auc)
		j.compareAUC(f, auc)
		if f.fixed != 0 {
			j.comparePosterior(f)
		}
		row := append([]Cell{word(f.law), word(f.shown)}, auc.cells()...)
		if f.name == ibp.name {
			row = append(row, dashes(3)...)
		} else {
			difference := newEffect(minus(f.auc, ibp.auc))
			row = append(row, difference.cells()...)
			if f.name == "aibd-random" {
				j.compare(lawAIBD+" random less IBP: AUC", printedAdvantage, 4, difference.mean, (difference.high-difference.low)/(2*1.96))
			}
			switch {
			case difference.low > 0:
				better++
			case difference.high < 0:
				worse++
			}
		}
		row = append(row, fixed(f.deviance.MeanDeviance, 0), fixed(f.deviance.DIC, 0))
		for _, q := range []struct {
			name     string
			decimals int
		}{{"features", 1}, {"items per feature", 2}, {"mass", 2}, {"SigmaX", 3}, {"SigmaA", 3}, {"temperature", 2}} {
			row = append(row, fixed(f.summaries[q.name].Mean, q.decimals))
		}
		rows = append(rows, append(row, fixed(f.rhat, 2), fixed(f.seconds*1000, 2)))
	}
	j.table(j.result.Name, "Models; the last is the IBP. The paper prints the mean deviance as DIC; DIC here adds p_D = 2 (max − mean log likelihood)", header, rows)
	best := slices.MaxFunc(all, cmpMean)
	j.find("Compared with the IBP, %d of the %d other models predict better by more than the Monte Carlo interval, and %d worse. %s, temperature %s, has the highest expected AUC: %.4f. The IBP has %.4f.",
		better, len(all)-1, worse, best.law, best.shown, meanOf(best.auc), meanOf(ibp.auc))
	j.findOrder(all, ibp)
	j.find("The paper does not state the unit of age. Its posterior mean of 2.77 for the random temperature suggests standard deviations; per year it would be near 0.4. The same temperatures per %s are a separate exhibit.", other)
	j.find("The paper’s rows for the dd-IBP come from an approximate sampler, with auxiliary links, which draws from another law: ours are not expected to equal them. Ours use the exact pmf, checked by enumeration.")
	if high := slices.MaxFunc(all, func(a, b fitted) int { return cmp.Compare(a.rhat, b.rhat) }); high.rhat > verdict.MaxRHat {
		j.find("Chains of this length do not agree in log likelihood: R-hat is up to %.2f. The intervals include differences between chains, as far as 50 chains show them. Read the deviances with caution.", high.rhat)
	}
	if standardized {
		if err := j.addBaselines(a); err != nil {
			return err
		}
	}
	j.applicationFigure(all, axis)
	return nil
}

// findOrder adds a finding: the order by AUC of the AIBD with random temperature, the
// AIBD with fixed temperatures and the IBP.
func (j *job) findOrder(all []fitted, ibp fitted) {
	var fixed [][][]float64
	var random [][]float64
	for _, f := range all {
		switch {
		case f.law == lawAIBD && f.fixed != 0:
			fixed = append(fixed, f.auc)
		case f.law == lawAIBD:
			random = f.auc
		}
	}
	mean := make([][]float64, len(ibp.auc))
	for c := range mean {
		mean[c] = make([]float64, len(ibp.auc[c]))
		for t := range mean[c] {
			for _, auc := range fixed {
				mean[c][t] += auc[c][t] / float64(len(fixed))
			}
		}
	}
	j.find("The paper reports this order: AIBD with random temperature first, then AIBD with fixed temperatures, which are at least as good as the IBP. Here the mean over the fixed temperatures differs from the IBP %v.", newEffect(minus(mean, ibp.auc)))
	if random != nil {
		j.find("The AIBD with random temperature and order differs from that mean %v and from the IBP %v.", newEffect(minus(random, mean)), newEffect(minus(random, ibp.auc)))
	}
}

// addBaselines adds the table of the AUC without models.
func (j *job) addBaselines(a *patients) error {
	n, split := j.size(20_000, 20), a.stratified(j.Seed)
	var rows [][]Cell
	for _, b := range a.baselines() {
		mean, stdErr, err := j.baselineAUC(b, a.y, n, split)
		if err != nil {
			return err
		}
		rows = append(rows, append([]Cell{word(b.name)}, effectOf(mean, stdErr).cells()...))
		if b.printed != 0 {
			j.compare("AUC of "+b.name, b.printed, 3, mean, stdErr)
		}
	}
	j.table("application-baselines", fmt.Sprintf("AUC without a model of features, %d splits", n), []string{"predictors", "AUC", "from", "to"}, rows)
	return nil
}

// effect is a mean with its 95% Monte Carlo interval.
type effect struct{ mean, low, high float64 }

func effectOf(mean, stdErr float64) effect {
	return effect{mean, mean - 1.96*stdErr, mean + 1.96*stdErr}
}

// newEffect returns the mean over all draws of all chains.
func newEffect(chains [][]float64) effect {
	s := posterior.Summarize(chains)
	return effectOf(s.Mean, s.MCSE)
}

func (e effect) cells() []Cell { return allFixed([]float64{e.mean, e.low, e.high}, 4) }

func (e effect) String() string {
	verdict := "not distinguishable with these draws"
	switch {
	case e.low > 0:
		verdict = "above"
	case e.high < 0:
		verdict = "below"
	}
	return fmt.Sprintf("by %.4f (95%% interval %.4f to %.4f, %s)", e.mean, e.low, e.high, verdict)
}

func minus(a, b [][]float64) [][]float64 {
	return lists.Make(len(a), func(c int) []float64 { return floats.SubTo(make([]float64, len(a[c])), a[c], b[c]) })
}

func meanOf(chains [][]float64) float64 { return stat.Mean(slices.Concat(chains...), nil) }

func cmpMean(a, b fitted) int { return cmp.Compare(meanOf(a.auc), meanOf(b.auc)) }
