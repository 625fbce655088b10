package input

import (
	"fmt"
	"slices"
	"testing"
)

// A sample has the same items for each seed and others for another size. Logarithms that a row outside the
// sample lacks are not taken.
func TestSample(t *testing.T) {
	text := "a,b\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%g\n", (i*7)%40, []float64{1.5, 1.7, 2.1, 2.2, 900.5, 33.3, 4.5, 6000.25}[i%8]*float64(1+i))
	}
	build := func(text string, seed, size int) ([]string, []string) {
		put(t, "x.csv", text)
		p, err := Build(parse(t, fmt.Sprintf("[data]\nfile = 'x.csv'\nid = '-'\nlog = ['auto']\nsample = %d\n[prior]\nlaw = 'ibp'\n[sampler]\nseed = %d", size, seed)))
		if err != nil {
			t.Fatal(err)
		}
		return p.IDs, p.Spec.Data.Log
	}
	ids, logs := build(text, 1, 20)
	if len(ids) != 20 || !slices.Equal(logs, []string{"b"}) {
		t.Fatalf("found the items %v and logarithms of %v, expected 20 items and logarithms of b", ids, logs)
	}
	if again, _ := build(text, 2, 20); !slices.Equal(ids, again) {
		t.Errorf("found the items %v for another seed, expected %v", again, ids)
	}
	if fewer, _ := build(text, 1, 19); len(fewer) != 19 {
		t.Errorf("found %d items, expected 19", len(fewer))
	}
	out := slices.IndexFunc(ids, func(id string) bool { return id == "41" })
	if _, logs := build(text+"3,0\n", 1, 20); out >= 0 || len(logs) > 0 && slices.Contains(logs, "b") {
		t.Errorf("found logarithms of %v, expected none of b, which has a 0", logs)
	}
}
