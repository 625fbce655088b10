package model

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Numbers that may stand for missing cells are named with the flag that makes them missing, and are
// no longer named then. Numbers among the others are not.
func TestSentinels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := func(code string, low, high float64) string {
		text := "id,a,b,c\n"
		for i := range 40 {
			cell := strconv.FormatFloat(low+(high-low)*rng.Float64(), 'f', 3, 64)
			if i%13 == 5 {
				cell = code
			}
			text += fmt.Sprintf("i%d,%s,%.3f,%d\n", i, cell, rng.NormFloat64(), i%7)
		}
		return text
	}
	for _, c := range []struct {
		code      string
		low, high float64
		want      bool
	}{
		{"-9", 0, 5, true}, {"-9", 0, 90, true}, {"-99", 0, 5, true}, {"-999", -20, 40, true}, {"-9999", 1e3, 2e3, true},
		{"-7777", 0, 1, true}, {"9999", 0, 30, true}, {"999", 150, 200, true}, {"-999.0", 0, 1, true}, {"88", 1, 7, true},
		{"-9", -10, 10, false}, {"99", 0, 100, false}, {"-99", -100, 50, false}, {"9", 1, 5, false}, {"-5", 0, 3, false}, {"500", 0, 3, false},
	} {
		put(t, "x.csv", table(c.code, c.low, c.high))
		named := func(text string) bool {
			return strings.Contains(strings.Join(build(t, text).Notes, "\n"), "stand for missing cells: "+strings.TrimSuffix(c.code, ".0")+" in a (--missing "+strings.TrimSuffix(c.code, ".0")+")")
		}
		if got := named("[data]\nfile = 'x.csv'\n"); got != c.want {
			t.Errorf("%s beside %v to %v: named %t, want %t", c.code, c.low, c.high, got, c.want)
		}
		if named("[data]\nfile = 'x.csv'\nmissing = ['" + c.code + "']\n") {
			t.Errorf("%s is named beside --missing %s", c.code, c.code)
		}
	}
	put(t, "x.csv", "id,a,b,c\np,-9,1,-99\nq,1,9999,2\nr,2,3,3\ns,4,2,1\nt,3,2.5,-9\n")
	notes := strings.Join(build(t, "[data]\nfile = 'x.csv'\n").Notes, "\n")
	if !strings.Contains(notes, "-9 in a, c, -99 in c, 9999 in b (--missing -9,-99,9999)") {
		t.Error(notes)
	}
}
