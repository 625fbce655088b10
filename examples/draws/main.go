// Command draws reads the draws of a run of aibd fit and prints, for the first item
// and each other one, the fraction of draws in which they share a feature.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"aibd/draws"
	"aibd/draws/segment"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: draws RUN")
	}
	segments, err := filepath.Glob(filepath.Join(os.Args[1], "chain-*", "draws-*.parquet"))
	if err != nil {
		log.Fatal(err)
	}
	if len(segments) == 0 {
		log.Fatalf("%s: no draws, expected the directory of a run", os.Args[1])
	}
	var together []int
	total := 0
	for _, path := range segments {
		err := read(path, func(d *draws.Draw) {
			if together == nil {
				together = make([]int, d.Z.N())
			}
			total++
			for i := range together {
				if d.Z.Shared(0, i) > 0 {
					together[i]++
				}
			}
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%d draws of %d items\n", total, len(together))
	for i := 1; i < len(together); i++ {
		fmt.Printf("items 1 and %d share a feature in %.2f of the draws\n", i+1, float64(together[i])/float64(total))
	}
}

// read calls do with each draw of a segment.
func read(path string, do func(*draws.Draw)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r, err := segment.NewReader(file, info.Size(), path)
	if err != nil {
		return err
	}
	for d, err := range r.Draws() {
		if err != nil {
			return err
		}
		do(d)
	}
	return nil
}
