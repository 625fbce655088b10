package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// named returns a table with the given ids.
func named(t *testing.T, ids ...string) *Table {
	t.Helper()
	text := "name,a\n"
	for i, id := range ids {
		text += fmt.Sprintf("%s,%d\n", id, i)
	}
	table, err := ReadTable(strings.NewReader(text), "t.csv", "name")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestReadTree(t *testing.T) {
	table := named(t, "x", "y z", "it's")
	for text, want := range map[string][3]float64{ // x to y z, x to it's, y z to it's
		"((x:1,y_z:2):0.5,'it''s':3);": {3, 4.5, 5.5},
		"(x:1,'y z':2,'it''s':3);":     {3, 4, 5},
		"\ufeff[a tree]( 'it''s' :3 , (y_z[&b=1]:2e0,\n'x':1)ab:0.5 )root:7 ;\n": {3, 4.5, 5.5},
		"(((x:1,other:9):0.5,(y_z:2)one:0):0.25,'it''s':3);":                     {3.5, 4.75, 5.25},
		"(x:0,y_z:0,'it''s':0);":                {},
		"((x:1,y_z:-1e-12):0.5,'it''s':3);":     {1 - 1e-12, 4.5, 3.5 - 1e-12},
		"((x:1e-12,y_z:-1e-11):0.5,'it''s':3);": {0, 3.5 + 1e-12, 3.5 - 1e-11},
		"((x:1,y_z:-0.5):0.5,'it''s':3);":       {0.5, 4.5, 3},
	} {
		m, note, err := table.ReadTree(strings.NewReader(text), "t.nwk")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := [3]float64{m.At(0, 1), m.At(0, 2), m.At(1, 2)}; got != want || !m.Symmetric() {
			t.Errorf("%q: distances %v, want %v", text, got, want)
		}
		want := ""
		if strings.Contains(text, "other") {
			want = `t.nwk: 1 tip of no item left out: "other"`
		}
		if strings.Contains(text, ":-0.5") {
			want = "t.nwk: a branch has the length -0.5 in line 1, column 11: distances are sums along branches"
		}
		if note != want {
			t.Errorf("%q: note %q, want %q", text, note, want)
		}
	}
	unnamed, err := ReadTable(strings.NewReader("a,b\n1,2\n2,3\n"), "t.csv", None)
	if err != nil {
		t.Fatal(err)
	}
	if m, _, err := unnamed.ReadTree(strings.NewReader("(2:1,1:2);"), "t.nwk"); err != nil || m.At(0, 1) != 3 {
		t.Errorf("%v, %v", m, err)
	}
	for text, want := range map[string]string{
		"":                                 `line 1, column 1: found the end of the file, expected the name of a tip or (`,
		"#NEXUS\nbegin trees;":             `line 1, column 1: found a NEXUS file, expected Newick text such as ((a:1,b:1):0.5,c:2);`,
		"(x:1,y_z:2":                       `line 1, column 11: found the end of the file, expected , or the ) of the ( in line 1, column 1`,
		"(x:1,\n (y_z:2;":                  `line 2, column 8: found ";", expected , or the ) of the ( in line 2, column 2`,
		"(x:1,y_z:2)":                      `line 1, column 12: found the end of the file, expected ; at the end of the tree`,
		"(x:1,y_z:2));":                    `line 1, column 12: found ")", expected ; at the end of the tree`,
		"(x:1,y_z:2); (a:1,b:2);":          `line 1, column 14: found "(", expected the end of the file behind the tree`,
		"(x:1,,y_z:2);":                    `line 1, column 6: found ",", expected the name of a tip or (`,
		"(é:1,y z:2);":                     `line 1, column 8: found "z", expected the length of the branch, such as :0.5`,
		"(x,y_z);":                         `line 1, column 3: found ",", expected the length of the branch, such as :0.5`,
		"((x:1,y_z:2),w:1);":               `line 1, column 13: found ",", expected the length of the branch, such as :0.5`,
		"(x:1,\ny_z:-2,'it''s':3);":        `found the distance -1 between the tips "x" and "y z", expected at least 0; a branch has the length -2 in line 2, column 5`,
		"(x:NaN,y_z:2);":                   `line 1, column 4: found "NaN", expected the length of the branch, a finite number`,
		"(x:Inf,y_z:2);":                   `line 1, column 4: found "Inf", expected the length of the branch, a finite number`,
		"(x:,y_z:2);":                      `line 1, column 4: found ",", expected the length of the branch, a finite number`,
		"(x:1,'y z:2);":                    `line 1, column 6: found no end of the quote, expected a second '`,
		"(x:1,[y_z:2);":                    `line 1, column 6: found no end of the comment, expected ]`,
		"(x:1,y_z:2,x:3);":                 `line 1, column 12: found the tip "x" as in line 1, column 2, expected distinct names`,
		"(x:1,y_z:2);":                     `found no tip for "it's", expected one for each item of t.csv`,
		"(x:1e308,y_z:1.7e308,'it''s':0);": `found an infinite distance between the tips "x" and "y z", expected a finite one`,
	} {
		if _, _, err := table.ReadTree(strings.NewReader(text), "t.nwk"); err == nil || err.Error() != "t.nwk: "+want {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// Distances along random trees equal the lengths of the paths between the tips, whatever the order of the tips.
func TestTreeDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		const n = 12
		type node struct {
			parent int
			length float64
		}
		nodes, texts, roots := make([]node, n), make([]string, n), make([]int, n)
		for i := range n {
			nodes[i], texts[i], roots[i] = node{-1, float64(rng.IntN(9))}, fmt.Sprintf("t%d", i), i
		}
		for len(roots) > 1 {
			k := min(len(roots), 2+rng.IntN(2))
			rng.Shuffle(len(roots), func(i, j int) { roots[i], roots[j] = roots[j], roots[i] })
			var parts []string
			for _, r := range roots[:k] {
				nodes[r].parent = len(nodes)
				parts = append(parts, fmt.Sprintf("%s:%v", texts[r], nodes[r].length))
			}
			roots = append(roots[k:], len(nodes))
			nodes, texts = append(nodes, node{-1, float64(rng.IntN(9))}), append(texts, "("+strings.Join(parts, ",")+")")
		}
		up := func(i int) (all []int) {
			for ; i >= 0; i = nodes[i].parent {
				all = append(all, i)
			}
			return all
		}
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprintf("t%d", i)
		}
		m, _, err := named(t, ids...).ReadTree(strings.NewReader(texts[len(texts)-1]+";"), "t.nwk")
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range i {
				want := 0.0
				for _, side := range [][2]int{{i, j}, {j, i}} {
					for _, a := range up(side[0]) {
						if !slices.Contains(up(side[1]), a) {
							want += nodes[a].length
						}
					}
				}
				if m.At(i, j) != want {
					t.Fatalf("%s: distance of %d and %d is %v, want %v", texts[len(texts)-1], i, j, m.At(i, j), want)
				}
			}
		}
	}
}

// A deep tree takes no deep stack and a wide one no long time.
func TestExtremeTrees(t *testing.T) {
	const depth = 200_000
	text := strings.Repeat("(", depth) + "x:1" + strings.Repeat("):1", depth-1) + ",y:2);"
	m, _, err := named(t, "x", "y").ReadTree(strings.NewReader(text), "t.nwk")
	if err != nil || math.Abs(m.At(0, 1)-(depth+2)) > 0 {
		t.Errorf("%v", err)
	}
}

// FuzzReadTree checks that any text gives distances or one line with the name of the file.
func FuzzReadTree(f *testing.F) {
	for _, text := range []string{"(x:1,y:2);", "((x:1,'y':2)a:1,z:1)[c];", "(x:1,y:2", "'", "[", "x;", "(,);", "(x:1,y:2));"} {
		f.Add(text)
	}
	table, err := ReadTable(strings.NewReader("name,a\nx,1\ny,2\n"), "t.csv", "name")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, _, err := table.ReadTree(strings.NewReader(text), "t.nwk")
		switch {
		case err != nil && (!strings.HasPrefix(err.Error(), "t.nwk: ") || strings.Contains(err.Error(), "\n")):
			t.Errorf("error %q", err)
		case err == nil && !(m.At(0, 1) >= 0 && !math.IsInf(m.At(0, 1), 1)):
			t.Errorf("distance %v", m.At(0, 1))
		}
	})
}

// Points, underscores and blanks are the same in names of tips if that is unique. Otherwise the error proposes a tip.
func TestTipsWithPoints(t *testing.T) {
	table := named(t, "Puma_concolor", "Lynx rufus", "Lynx.rufus")
	_, _, err := table.ReadTree(strings.NewReader("(Puma.concolor:1,Lynx_rufus:2,Lynx.rufus:3);"), "t.nwk")
	if err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"(Puma.concolor:1,'Puma concolor':1,Lynx_rufus:2,Lynx.rufus:3);": "",
		"(Puma.concolor:1,Puma-concolor:1,Lynx_rufus:2,Lynx.rufus:3);":   "",
		"(Puma_concolr:1,Lynx_rufus:2,Lynx.rufus:3);":                    `t.nwk: found no tip for "Puma_concolor", expected one for each item of t.csv; did you mean "Puma_concolr"?`,
	} {
		if _, _, err := table.ReadTree(strings.NewReader(text), "t.nwk"); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: found %v, expected %s", text, err, want)
		}
	}
	_, _, err = named(t, "x.y", "x-z").ReadTree(strings.NewReader("('x y':1,x_y:1,x-z:1);"), "t.nwk")
	fails(t, "two tips", err, `t.nwk: found no tip for "x.y", expected one for each item of t.csv; did you mean "x y"?`)
}
