//go:build unix

package dataset

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"aibd/internal/oracle/fixture"
)

// Time grows linearly with the numbers of columns and of items: ten times as many take some 10 times
// the processor time, and 100 times if the work is quadratic. The smallest of several tries counts,
// so that other work on the machine hardly matters.
func TestLinearTime(t *testing.T) {
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
		took := func(n int) time.Duration {
			names := make([]string, n)
			for i := range names {
				names[i] = "name" + strconv.Itoa(1_000_000+i) // of one length, so that comparisons take long
			}
			start := fixture.ProcessorTime()
			work(t, names)
			return fixture.ProcessorTime() - start
		}
		few, many := took(10_000), took(100_000)
		for tries := 1; tries < 5 && many > 45*few; tries++ {
			few, many = min(few, took(10_000)), min(many, took(100_000))
		}
		if many > 45*few {
			t.Errorf("10,000 %s take %v of processor time and 100,000 %v, expected at most 45 times as much", what, few, many)
		}
	}
}
