// Command fit fits the AIBD to a CSV file that has a column age: it runs four chains
// and prints posterior means, R-hat and effective sample sizes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"aibd/dataset"
	"aibd/draws"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
	"aibd/similarity"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: fit FILE.csv")
	}
	post, err := model(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}

	const chains = 4
	var kept [chains]trace
	var recorders []draws.Recorder
	for c := range kept {
		recorders = append(recorders, &kept[c])
	}
	length := mcmc.DefaultConfig()
	if err := mcmc.Sample(context.Background(), post, mcmc.OptionsFor(post, length.Warmup), length, 1, recorders...); err != nil {
		log.Fatal(err)
	}

	quantities := []string{"mass", "temperature", "SigmaX", "SigmaA", "features"}
	fmt.Printf("%-12s %8s %8s %7s %9s\n", "", "mean", "sd", "R-hat", "bulk ESS")
	for q, name := range quantities {
		var values [][]float64
		for c := range chains {
			values = append(values, kept[c][q])
		}
		s := posterior.Summarize(values)
		fmt.Printf("%-12s %8.3f %8.3f %7.3f %9.0f\n", name, s.Mean, s.SD, s.RHat, s.ESSBulk)
	}
}

// model reads the file and returns the posterior: X is every numeric column but age,
// distances are differences in age.
func model(path string) (*mcmc.Posterior, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table, err := dataset.ReadTable(file, path, "name")
	if err != nil {
		return nil, err
	}
	ages, err := table.Float("age")
	if err != nil {
		return nil, err
	}
	columns := slices.DeleteFunc(table.NumericColumns(), func(name string) bool { return name == "age" })
	x, err := table.Floats(columns)
	if err != nil {
		return nil, err
	}
	if err := (dataset.Transform{Center: true, Scale: true}).Apply(columns, x); err != nil {
		return nil, err
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(ages), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.1, prior.Identity(len(x)))
	if err != nil {
		return nil, err
	}
	return mcmc.NewPosterior(x, law)
}

// trace keeps the values of five quantities at each draw.
type trace [5][]float64

// Record implements draws.Recorder.
func (t *trace) Record(d *draws.Draw) error {
	for q, x := range [5]float64{d.Mass, d.Temperature, d.SigmaX, d.SigmaA, float64(d.Z.K())} {
		t[q] = append(t[q], x)
	}
	return nil
}
