package segment_test

import (
	"bytes"
	"fmt"
	"math"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/feature"
)

// twoDraws returns a file with two draws of the first chain, for three items under
// a law without temperature and permutation.
func twoDraws() *bytes.Buffer {
	s := segment.New(segment.Header{N: 3, Chain: 0, DrawsPerChain: 2})
	for t, rows := range [][][]int{
		{{1}, {1}, {0}},
		{{1, 0}, {1, 1}, {0, 1}},
	} {
		z, err := feature.FromRows(rows)
		if err != nil {
			panic(err)
		}
		err = s.Record(&draws.Draw{
			Iteration: t, Mass: 1 + float64(t)/2, Temperature: math.NaN(),
			SigmaX: 0.5, SigmaA: 1, LogLik: -12, LogPrior: -3, Z: z,
		})
		if err != nil {
			panic(err)
		}
	}
	var file bytes.Buffer
	if _, err := s.WriteTo(&file); err != nil {
		panic(err)
	}
	return &file
}

// Reading a segment: draws, or all of them except Z.
func ExampleReader() {
	file := twoDraws()
	r, err := segment.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), "draws-00001.parquet")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Len(), "draws of", r.Header().N, "items")
	for d, err := range r.Draws() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("draw", d.Iteration, "mass", d.Mass, "features", d.Z.K(), "shared by items 0 and 1:", d.Z.Shared(0, 1))
	}
	for row, err := range r.Rows() { // faster: without Z
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("features", row.NFeatures, "ones", row.NOnes)
	}
	// Output:
	// 2 draws of 3 items
	// draw 0 mass 1 features 1 shared by items 0 and 1: 1
	// draw 1 mass 1.5 features 2 shared by items 0 and 1: 1
	// features 1 ones 2
	// features 2 ones 4
}

// A file that was cut short is an error that says so.
func ExampleNewReader_damaged() {
	file := twoDraws()
	file.Truncate(file.Len() / 2)
	_, err := segment.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), "draws-00001.parquet")
	fmt.Println(err)
	// Output:
	// draws-00001.parquet: found no aibd.crc32c in 2321 bytes, expected a whole segment of draws in Parquet format
}
