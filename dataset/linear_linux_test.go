package dataset

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"aibd/internal/oracle/fixture"
)

// Time grows linearly with the numbers of columns and of items: with 100,000 of them, linear work
// takes up to 0.7 s of processor time on a slow machine, and quadratic work some 9 s on a fast one.
// Wall time would include waiting for memory.
func TestLinearTime(t *testing.T) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = "name" + strconv.Itoa(1_000_000+i) // of one length, so that comparisons take long
	}
	for what, work := range map[string]func(t *testing.T, names []string){
		"columns": func(t *testing.T, names []string) {
			table := read(t, "id,"+strings.Join(names, ",")+"\n"+"x"+strings.Repeat(",1", len(names))+"\n", "")
			found, err := table.Select(names...)
			if err == nil {
				_, err = table.Floats(found)
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
			if _, err := table.Align(table); err != nil {
				t.Fatal(err)
			}
		},
	} {
		start := fixture.ProcessorTime()
		work(t, names)
		if took := fixture.ProcessorTime() - start; took > 4*time.Second {
			t.Errorf("%d %s take %v of processor time, expected at most 4 s", len(names), what, took)
		}
	}
}
