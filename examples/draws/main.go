// Command draws reads the draws of a run of aibd fit and prints, for the first item
// and each other one, the fraction of draws in which they share a feature.
package main

import (
	"fmt"
	"log"
	"os"

	"aibd/draws/segment"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: draws RUN")
	}
	chains, err := segment.ReadRun(os.DirFS(os.Args[1]))
	if err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
	items, total := chains[0][0].Z.N(), 0
	together := make([]int, items)
	for _, chain := range chains {
		for _, d := range chain {
			total++
			for i := range together {
				if d.Z.Shared(0, i) > 0 {
					together[i]++
				}
			}
		}
	}
	fmt.Printf("%d draws of %d items\n", total, items)
	for i := 1; i < items; i++ {
		fmt.Printf("items 1 and %d share a feature in %.2f of the draws\n", i+1, float64(together[i])/float64(total))
	}
}
