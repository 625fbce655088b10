//go:build unix

package dataset

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"aibd/internal/oracle/fixture"
)

// Time grows linearly with the numbers of columns and of items: with 200,000 of them, linear work
// takes up to 4 s of processor time on a very slow machine, and quadratic work some 36 s on a fast
// one. Wall time would include waiting for memory. One of three tries has to be fast.
func TestLinearTime(t *testing.T) {
	const limit = 20 * time.Second
	names := make([]string, 200_000)
	for i := range names {
		names[i] = "name" + strconv.Itoa(1_000_000+i) // of one length, so that comparisons take long
	}
	for what, work := range map[string]func(t *testing.T, names []string){
		"columns": func(t *testing.T, names []string) {
			table := read(t, "id,"+strings.Join(names, ",")+"\n"+"x"+strings.Repeat(",1", len(names))+"\n", "")
			got, err := table.Select(names...)
			if err == nil {
				_, err = table.Floats(got)
			}
			if err != nil {
				t.Fatal(err)
			}
			table.columns(names...)
			x := [][]float64{make([]float64, len(names))}
			for j := range x[0] {
				x[0][j] = 1
			}
			if err := (Transform{Log: names}).Apply(names, x); err != nil {
				t.Fatal(err)
			}
		},
		"items": func(t *testing.T, names []string) {
			table := read(t, "id,x\n"+strings.Join(names, ",1\n")+",1\n", "")
			if _, err := table.Rows(names...); err != nil {
				t.Fatal(err)
			}
			if _, _, err := table.Align(table); err != nil {
				t.Fatal(err)
			}
		},
	} {
		took := time.Duration(math.MaxInt64)
		for tries := 0; tries < 3 && took > limit; tries++ {
			start := fixture.ProcessorTime()
			work(t, names)
			took = min(took, fixture.ProcessorTime()-start)
		}
		if took > limit {
			t.Errorf("%d %s take %v of processor time, expected at most %v", len(names), what, took, limit)
		}
	}
}
