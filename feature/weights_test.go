package feature

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadWeighted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"10\n01\n", "10 01 []"}, // weights of 1
		{"0.5,0\n-2,1e-1\n", "10 11 [0.5 -2 0.1]"},
		{"0.5 0 3\n-2 0 0\n", "11 10 [0.5 -2 3]"}, // a feature without items
		{"item,1,2\n\"a, b\",0.5,0\nc,0,\"2\"\n# end\n", "10 01 [0.5 2]"},
		{"\ufeff1.5\r\n0\r\n\r\n2;0\r\n0;3\r\n", "1 0 [1.5], 10 01 [2 3]"},
	} {
		all, err := ReadAllWeighted(strings.NewReader(c.text), "g.csv")
		var got []string
		for _, w := range all {
			got = append(got, strings.Join(strings.Fields(w.Z.String()), " ")+" "+fmt.Sprint(w.Weights))
		}
		if got := strings.Join(got, ", "); err != nil || got != c.want {
			t.Errorf("%q: found %s, %v, expected %s", c.text, got, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                  "g.csv: found no rows, expected a line of weights for each item",
		"0.5,0\n1\n":        "g.csv: line 2 has 1 entries, expected 2 as in line 1",
		"0.5,0\n1,x\n":      `g.csv: line 2, column 2: found "x", expected a finite number, the weight of a feature`,
		"item,1\na,Inf\n":   `g.csv: line 2, column 1: found "Inf", expected a finite number, the weight of a feature`,
		"item,1\na,\nb,2\n": `g.csv: line 3 has 1 entries, expected 0 as in line 2`,
	} {
		if _, err := ReadAllWeighted(strings.NewReader(text), "g.csv"); err == nil || err.Error() != want {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
}
