// Command fit fits the AIBD to a CSV file that has a column age, until the chains agree. It prints the verdict and a
// summary of each scalar.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"aibd/dataset"
	"aibd/fit"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: fit FILE.csv")
	}
	// X is every numeric column but age; distances are differences in age.
	table := must(dataset.ReadTable(must(os.Open(os.Args[1])), os.Args[1], "name"))
	columns := slices.DeleteFunc(table.NumericColumns(), func(name string) bool { return name == "age" })
	x := must(table.Floats(columns))
	must(0, dataset.Transform{Center: true, Scale: true}.Apply(columns, x))
	affinity := prior.NewAffinity(similarity.AbsDifference(must(table.Float("age"))), similarity.Exponential{})
	law := must(prior.NewAIBD(affinity, 1, 0.1, prior.Identity(len(x))))
	post := must(mcmc.NewPosterior(x, law))

	result := must(fit.Fit(context.Background(), post, fit.Options{
		Budget: fit.Budget{Time: time.Minute}, Clock: time.Now, Seed: 1,
		Names: fit.Names{Items: table.IDs, Columns: columns},
	}))
	fmt.Println(result.Verdict)
	for _, s := range result.Summary() {
		fmt.Printf("%-28s %8.3f (%.3f to %.3f), R-hat %.3f\n", s.Name, s.Q50, s.Q5, s.Q95, s.RHat)
	}
}

// must returns a value, or ends the program with an error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
