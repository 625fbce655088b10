package exhibits

// The application with whole inferred people held out.

import (
	"fmt"
	"os"
	"slices"

	"aibd/dataset"
	"aibd/internal/files"
)

// people returns the patients with the people that a file infers, and how many people these are.
func (j *job) people() (a *patients, count int, err error) {
	if a, err = j.patients(); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(j.People)
	if err != nil {
		return nil, 0, files.Named(j.People, err)
	}
	defer f.Close()
	t, err := dataset.ReadTable(f, j.People, "id")
	if err != nil {
		return nil, 0, err
	}
	if t, err = t.Rows(a.ids...); err != nil {
		return nil, 0, err
	}
	a.group, err = t.Strings("inferred_person")
	return a, len(slices.Compact(slices.Sorted(slices.Values(a.group)))), err
}

func makePeople(j *job) error {
	a, inferred, err := j.people()
	if err != nil {
		return err
	}
	j.result.About = fmt.Sprintf("The 62 rows look like repeated scans of about %d people. We infer this from equal covariates and close ages; no source states it. If it is right, a random split puts scans of one person on both sides, and features that identify people seem to identify the disease. Here each training set has half of the inferred people with all their rows. The random splits of the paper are next to it, with the same draws and penalty.", inferred)
	models := modelsOf(j.result.Name)
	random, err := j.fitAll(a, models, a.stratified(j.Seed))
	if err != nil {
		return err
	}
	whole, err := j.fitAll(a, models, a.grouped(j.Seed))
	if err != nil {
		return err
	}
	header := []string{"predictors", "temperature", "AUC, random splits", "from", "to", "AUC, people held out", "from", "to", "people held out: less IBP", "from", "to"}
	var rows [][]Cell
	last := len(models) - 1
	survives, fell := 0, 0.0
	for i, m := range models {
		row := []Cell{word(m.law), word(m.shown)}
		row = append(row, newEffect(random[i].auc).cells()...)
		row = append(row, newEffect(whole[i].auc).cells()...)
		fell += (meanOf(random[i].auc) - meanOf(whole[i].auc)) / float64(len(models))
		if i == last {
			row = append(row, dashes(3)...)
		} else {
			d := newEffect(minus(whole[i].auc, whole[last].auc))
			row = append(row, d.cells()...)
			if d.low > 0 {
				survives++
			}
		}
		rows = append(rows, row)
	}
	n := j.size(20_000, 20)
	var ageAlone [2]float64
	for _, b := range a.baselines() {
		row := []Cell{word(b.name), word("–")}
		for k, split := range []splitter{a.stratified(j.Seed), a.grouped(j.Seed)} {
			mean, stdErr, err := j.baselineAUC(b, a.y, n, split)
			if err != nil {
				return err
			}
			ageAlone[k] = mean // of the last, which is age alone
			row = append(row, effectOf(mean, stdErr).cells()...)
		}
		rows = append(rows, append(row, dashes(3)...))
	}
	j.table("people", fmt.Sprintf("AUC with random splits and with whole inferred people held out; %d splits for predictors without draws", n), header, rows)
	best := slices.MaxFunc(whole, cmpMean)
	j.find("With whole people held out, the AUC of the %d models is lower by %.3f on average. If the inference is right, random splits owe this part to identifying people, which helps if a person is on both sides. A training set of half the people also contains fewer people than one of half the rows.", len(models), fell)
	j.find("Age alone has an AUC of %.3f with random splits and %.3f with people held out; the best model (%s, temperature %s) has %.3f with people held out.", ageAlone[0], ageAlone[1], best.law, best.shown, meanOf(best.auc))
	j.find("Of the %d models other than the IBP, %d still predict better than the IBP by more than the Monte Carlo interval.", last, survives)
	return nil
}
