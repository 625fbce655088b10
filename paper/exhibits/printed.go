package exhibits

// What the paper prints of the application, beside what is found here.

import "math"

// printedModel holds the paper's values for one model of the application; 0: not printed.
type printedModel struct {
	auc                   float64 // the middle of the interval where only that is printed
	deviance              float64 // printed as DIC
	features, items       float64 // means; items of a feature
	mass, temperature     float64
	massSD, temperatureSD float64
	sigmaX, sigmaA        float64
	sigmaXSD, sigmaASD    float64
}

// printedModels holds the paper's values by the name of the run.
var printedModels = map[string]printedModel{
	"aibd-0.4-per-sd":        {auc: 0.7475, deviance: 32531.58, features: 68, items: 4.3, mass: 12.1, massSD: 1.6, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.38, sigmaASD: 0.01},
	"aibd-0.8-per-sd":        {auc: 0.7475, deviance: 32523.37, features: 68, items: 4.5, mass: 12.0, massSD: 1.6, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.37, sigmaASD: 0.01},
	"aibd-1.2-per-sd":        {auc: 0.751, deviance: 32557.66, features: 66, items: 4.7, mass: 11.8, massSD: 1.6, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.37, sigmaASD: 0.01},
	"aibd-1.6-per-sd":        {auc: 0.7545, deviance: 32513.63, features: 66, items: 4.8, mass: 11.7, massSD: 1.6, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.37, sigmaASD: 0.01},
	"aibd-2.0-per-sd":        {auc: 0.7535, deviance: 32489.31, features: 65, items: 4.9, mass: 11.6, massSD: 1.6, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.37, sigmaASD: 0.01},
	"ddibp-0.4-per-sd":       {auc: 0.678, deviance: 35322.27, features: 87, items: 4.2, mass: 6.8, massSD: 1.7, sigmaX: 0.60, sigmaXSD: 0.03, sigmaA: 0.32, sigmaASD: 0.03},
	"ddibp-0.8-per-sd":       {auc: 0.7155, deviance: 35005.67, features: 104, items: 3.6, mass: 5.8, massSD: 1.0, sigmaX: 0.58, sigmaXSD: 0.02, sigmaA: 0.32, sigmaASD: 0.02},
	"ddibp-1.2-per-sd":       {auc: 0.709, deviance: 35286.97, features: 95, items: 3.2, mass: 4.3, massSD: 0.9, sigmaX: 0.60, sigmaXSD: 0.02, sigmaA: 0.35, sigmaASD: 0.03},
	"ddibp-1.6-per-sd":       {auc: 0.720, deviance: 35316.80, features: 105, items: 2.9, mass: 5.0, massSD: 4.8, sigmaX: 0.59, sigmaXSD: 0.03, sigmaA: 0.35, sigmaASD: 0.02},
	"ddibp-2.0-per-sd":       {auc: 0.7205, deviance: 35144.78, features: 105, items: 2.7, mass: 4.4, massSD: 2.6, sigmaX: 0.59, sigmaXSD: 0.03, sigmaA: 0.36, sigmaASD: 0.03},
	"aibd-random":            {auc: 0.759, deviance: 32477.35, features: 74, items: 4.6, mass: 13.2, massSD: 1.7, temperature: 2.77, temperatureSD: 0.29, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.35, sigmaASD: 0.01},
	"aibd-random-reciprocal": {auc: 0.7515, deviance: 32539.38, features: 71.75, items: 4.5, mass: 12.7, massSD: 1.8, temperature: 0.22, temperatureSD: 0.02, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.37, sigmaASD: 0.01},
	"ibp":                    {auc: 0.747, deviance: 32539.26, features: 70, items: 4.1, mass: 12.4, massSD: 1.6, sigmaX: 0.52, sigmaXSD: 0.01, sigmaA: 0.38, sigmaASD: 0.01},
}

// printedAdvantage is the middle of the paper's interval of the AUC of the AIBD with random
// temperature and order less that of the IBP.
const printedAdvantage = 0.012

// agreed is the mean of a quantity of the AIBD with random temperature and order, over eight
// chains of 22,000 draws that agree (docs/lab/mixing.md), with its standard error.
var agreed = map[string][2]float64{
	"features": {76.33, 0.04}, "items per feature": {5.04, 0.01}, "mass": {13.545, 0.006},
	"SigmaX": {0.5216, 0.0001}, "SigmaA": {0.3419, 0.0003}, "mean deviance": {32391, 1.4},
}

const findAgreed = "The chains that agree are eight chains of 22,000 draws each, of 240,000 scans, which docs/lab/mixing.md describes. They stand elsewhere than chains of the paper’s length: with more features, of more items, and a lower deviance. Where the two differ, the paper’s values describe its chains, not the posterior."

// label names a model in a comparison.
func (m variant) label() string {
	if m.shown == "–" {
		return m.law
	}
	return m.law + " " + m.shown
}

// compareAUC compares the AUC of a model with the paper's.
func (j *job) compareAUC(f fitted, auc effect) {
	p := printedModels[f.name]
	if p.auc == 0 {
		return
	}
	j.compare(f.label()+": AUC", p.auc, 4, auc.mean, (auc.high-auc.low)/(2*1.96))
}

// comparePosterior compares the posterior of a model with the paper's.
func (j *job) comparePosterior(f fitted) {
	p, printed := printedModels[f.name]
	if !printed {
		return
	}
	for _, q := range []struct {
		quantity             string
		value, sd            float64
		decimals, sdDecimals int // of the value and of the sd
	}{
		{"features", p.features, 0, 0, 0},
		{"items per feature", p.items, 0, 1, 0},
		{"mass", p.mass, p.massSD, 1, 1},
		{"temperature", p.temperature, p.temperatureSD, 2, 2},
		{"SigmaX", p.sigmaX, p.sigmaXSD, 2, 2},
		{"SigmaA", p.sigmaA, p.sigmaASD, 2, 2},
	} {
		if q.value == 0 {
			continue
		}
		if q.value != math.Round(q.value) && q.decimals == 0 {
			q.decimals = 2 // the middle of an interval
		}
		summary := f.summaries[q.quantity]
		j.compare(f.label()+": "+q.quantity, q.value, q.decimals, summary.Mean, summary.MCSE)
		j.agree(f, q.quantity)
		if q.sd != 0 && !math.IsNaN(summary.SD) {
			j.compare(f.label()+": sd of "+q.quantity, q.sd, q.sdDecimals, summary.SD, 0)
		}
	}
	j.compare(f.label()+": mean deviance (printed as DIC)", p.deviance, 0, f.deviance.MeanDeviance, 2*f.summaries["log likelihood"].MCSE)
	j.agree(f, "mean deviance")
}

// agree adds the value of the chains that agree to the last comparison.
func (j *job) agree(f fitted, quantity string) {
	if a, ok := agreed[quantity]; ok && f.name == "aibd-random" {
		c := &j.result.Compared[len(j.result.Compared)-1]
		c.Agreed, c.AgreedErr = a[0], a[1]
	}
}
