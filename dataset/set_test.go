package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"aibd/similarity"
)

func TestSetsAreComplete(t *testing.T) {
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != name || slices.Contains([]string{s.Title, s.Description, s.Source, s.Citation, s.Terms}, "") {
			t.Errorf("%s lacks provenance: %+v", name, s)
		}
		if !slices.Equal(s.X.IDs, s.Side.IDs) {
			t.Errorf("%s: the items of X and Side differ", name)
		}
		x, err := s.X.Floats(s.X.Columns)
		if err != nil {
			t.Error(err)
		}
		if err := s.Transform.Apply(s.X.Columns, x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Load("usstate")
	fails(t, "Load", err, `unknown data set "usstate", did you mean "usstates"?`)
}

func TestUSStates(t *testing.T) {
	// The means as summary() of R prints them for USArrests and state.x77, times
	// 50, to the digits of the data.
	type total struct {
		column string
		sum    float64
	}
	sets := map[string]*Set{}
	for name, sums := range map[string][]total{
		"usarrests": {{"Murder", 389.4}, {"Assault", 8538}, {"UrbanPop", 3277}, {"Rape", 1061.6}},
		"usstates": {{"Population", 212321}, {"Income", 221790}, {"Illiteracy", 58.5}, {"Life.Exp", 3543.93},
			{"Murder", 368.9}, {"HS.Grad", 2655.4}, {"Frost", 5223}, {"Area", 3536794}},
	} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		sets[name] = s
		if s.X.N() != 50 || s.Side.N() != 50 || len(s.X.Columns) != len(sums) || s.X.IDs[0] != "Alabama" || s.X.IDs[49] != "Wyoming" {
			t.Errorf("%s: %d x %d items, columns %q", name, s.X.N(), s.Side.N(), s.X.Columns)
		}
		for j, test := range sums {
			values, err := s.X.Float(test.column)
			if err != nil {
				t.Fatal(err)
			}
			if sum := floats.Sum(values); math.Abs(sum-test.sum) > 1e-6 || s.X.Columns[j] != test.column {
				t.Errorf("%s: column %d, %s: sum %v, want %v for %s", name, j, s.X.Columns[j], sum, test.sum, test.column)
			}
		}
	}
	s, arrests := sets["usstates"], sets["usarrests"]
	for _, test := range []struct {
		table      *Table
		id, column string
		want       string
	}{
		{arrests.X, "Alabama", "Murder", "13.2"},
		{s.X, "Alabama", "Murder", "15.1"},
		{arrests.X, "North Carolina", "Assault", "337"},
		{s.X, "Wyoming", "Area", "97203"},
		{s.Side, "Wyoming", "lon", "-107.256"},
		{s.Side, "Hawaii", "lat", "31.75"},
		{s.Side, "Ohio", "region", "North Central"},
	} {
		row, err := test.table.Rows(test.id)
		if err != nil {
			t.Fatal(err)
		}
		if cells, err := row.Strings(test.column); err != nil || cells[0] != test.want {
			t.Errorf("%s, %s: %v, %v, want %s", test.id, test.column, cells, err, test.want)
		}
	}

	regions, err := s.Side.Strings("region")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range regions {
		count[r]++
	}
	if len(count) != 4 || count["Northeast"] != 9 || count["South"] != 16 || count["North Central"] != 12 || count["West"] != 13 {
		t.Errorf("regions %v", count)
	}
	centre, err := s.Side.Floats([]string{"lon", "lat"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range centre {
		if c[0] < -128 || c[0] > -68 || c[1] < 27 || c[1] > 50 {
			t.Errorf("%s lies at %v", s.Side.IDs[i], c)
		}
	}
}

// The five states of the paper: USArrests, centered and scaled over these five states alone.
func ExampleTable_Rows() {
	set, err := Load("usarrests")
	if err != nil {
		panic(err)
	}
	five, err := set.X.Rows("New Hampshire", "Iowa", "Wisconsin", "California", "Nevada")
	if err != nil {
		panic(err)
	}
	x, err := five.Floats(five.Columns)
	if err != nil {
		panic(err)
	}
	if err := (Transform{Center: true, Scale: true}).Apply(five.Columns, x); err != nil {
		panic(err)
	}
	distance := similarity.Euclidean(x)
	var pairs []string
	for i := range 5 {
		for j := i + 1; j < 5; j++ {
			pairs = append(pairs, fmt.Sprintf("%.2f", distance.At(i, j)))
		}
	}
	fmt.Println(strings.Join(pairs, " "))
	// Output: 0.12 0.66 3.74 3.78 0.59 3.65 3.69 3.32 3.46 1.01
}
