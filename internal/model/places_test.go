package model

import (
	"slices"
	"testing"
)

// The places are the columns that the distance measures.
func TestPlaces(t *testing.T) {
	for text, expected := range map[string]Places{
		"[distance]\nkind = 'great-circle'":                                              {Names: [2]string{"lon", "lat"}, Globe: true},
		"[distance]\nkind = 'euclidean'\ncolumns = ['lat', 'lon']":                       {Names: [2]string{"lat", "lon"}},
		"[distance]\nkind = 'euclidean'\ncolumns = ['lat', 'lon']\n[prior]\nlaw = 'ibp'": {Names: [2]string{"lat", "lon"}},
	} {
		p := build(t, text)
		got, err := Rerun(p).Places()
		if err != nil {
			t.Fatal(err)
		}
		if got.Names != expected.Names || got.Globe != expected.Globe || len(got.X) != 50 || len(got.Y) != 50 {
			t.Errorf("%s: found %+v", text, got)
		}
	}
	p := build(t, "[distance]\nkind = 'euclidean'\ncolumns = ['lat', 'lon', 'Income']")
	_, err := Rerun(p).Places()
	wantError(t, err, "found the distance euclidean, expected great-circle, or euclidean of two columns")
}

// Places on both sides of the antimeridian are adjacent; others keep their longitudes.
func TestJoinLongitudes(t *testing.T) {
	for _, c := range []struct{ given, expected []float64 }{
		{[]float64{-122, -114, -124}, []float64{-122, -114, -124}},
		{[]float64{179, -179, 170}, []float64{179, 181, 170}},
		{[]float64{-10, 0, 30}, []float64{-10, 0, 30}},
		{[]float64{5}, []float64{5}},
		{[]float64{350, 10}, []float64{-10, 10}},
	} {
		got := slices.Clone(c.given)
		if joinLongitudes(got); !slices.Equal(got, c.expected) {
			t.Errorf("%v: found %v, expected %v", c.given, got, c.expected)
		}
	}
}
