package draws

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"testing"
)

func readers(t *testing.T, files ...[]byte) iter.Seq2[*Reader, error] {
	return func(yield func(*Reader, error) bool) {
		for _, file := range files {
			if !yield(NewReader(bytes.NewReader(file), int64(len(file)), "test.parquet")) {
				return
			}
		}
	}
}

func TestWriteCSV(t *testing.T) {
	const expected = `.chain,.iteration,.draw,mass,temperature,sigma_x,sigma_a,n_features,n_ones,log_lik,log_prior,permutation,features
2,5,105,1.25,0.5,0.1,2,2,4,-1234.5678,-0.001,10 1 9 2 8 3 7 4 6 5,1 2 10|9
2,6,106,1e-300,,1,1,0,0,-Inf,0,,
1,1,1,1.25,0.5,0.1,2,2,4,-1234.5678,-0.001,10 1 9 2 8 3 7 4 6 5,1 2 10|9
`
	draws := goldenDraws()
	first := encode(t, Header{N: 10, Chain: 1, DrawsPerChain: 100}, draws)
	draws[0].Iteration = 0
	second := encode(t, Header{N: 10, DrawsPerChain: 1}, draws[:1])
	var b strings.Builder
	if err := WriteCSV(&b, readers(t, first, second)); err != nil {
		t.Fatal(err)
	}
	if b.String() != expected {
		t.Errorf("found\n%s\nexpected\n%s", b.String(), expected)
	}
}

func TestWriteCSVErrors(t *testing.T) {
	good := encode(t, Header{N: 10, DrawsPerChain: 100}, goldenDraws())
	if err := WriteCSV(new(strings.Builder), readers(t, good, good[:50])); err == nil || !strings.HasPrefix(err.Error(), "test.parquet: ") {
		t.Errorf("segment cut short: found %v", err)
	}
	s := NewSegment(Header{N: 10, DrawsPerChain: 100})
	s.Record(goldenDraws()[0])
	set(s, colNOnes, 0, 7)
	if err := WriteCSV(new(strings.Builder), readers(t, written(t, s))); err == nil || !strings.Contains(err.Error(), "row 1, column n_ones: found 7, expected 4") {
		t.Errorf("wrong draw: found %v", err)
	}
	if err := WriteCSV(failing{}, readers(t, good)); !errors.Is(err, errDiskFull) {
		t.Errorf("failing writer: found %v", err)
	}
}
