package dataset

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/oracle/fixture"
	"aibd/similarity"
)

func TestAlzheimers(t *testing.T) {
	dir := fixture.Elsewhere(t, "AIBD_DATA", fixture.AlzheimersFolder)
	file, err := os.Open(filepath.Join(dir, "alzheimers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := ParseAlzheimers(file, "alzheimers.csv")
	if err != nil {
		t.Fatal(err)
	}
	if s.X.N() != 62 || len(s.X.Columns) != 224 || s.X.Columns[0] != "1SA" || s.X.Columns[223] != "56FD" || s.Side.N() != 62 {
		t.Errorf("X is %d x %d, Side has %d items", s.X.N(), len(s.X.Columns), s.Side.N())
	}
	groups, err := s.Side.Strings("group")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, g := range groups {
		count[g]++
	}
	if len(count) != 2 || count["AD"] != 27 || count["NC"] != 35 {
		t.Errorf("groups %v, want 27 AD and 35 NC", count)
	}

	ages, err := s.Side.Float("age")
	if err != nil {
		t.Fatal(err)
	}
	distance := similarity.AbsDifference(ages)
	ties := 0
	for i := range 62 {
		for j := range i {
			if distance.At(i, j) == 0 {
				ties++
			}
		}
	}
	if ties != 110 {
		t.Errorf("%d of 1891 age differences are 0, want 110", ties)
	}
	if sd := stat.StdDev(ages, nil); math.Abs(sd-7.24) > 0.005 {
		t.Errorf("ages have standard deviation %v, want 7.24", sd)
	}

	x, err := s.X.Floats(s.X.Columns)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Transform.Apply(s.X.Columns, x); err != nil {
		t.Fatal(err)
	}
	sum := 0.0 // of squares: N-1 for each of the scaled columns
	for _, row := range x {
		for _, v := range row {
			sum += v * v
		}
	}
	if math.Abs(sum-61*224) > 1e-8 {
		t.Errorf("sum of squares %v, want %d", sum, 61*224)
	}
	if areas, err := s.X.Select(s.Transform.Log...); err != nil || len(areas) != 56 {
		t.Errorf("logs of %d columns, want 56: %v", len(areas), err)
	}
}

func TestAlzheimersRefusesOtherFiles(t *testing.T) {
	_, err := ParseAlzheimers(strings.NewReader("subject,group,age,1SA\n"), "a.csv")
	const want = "a.csv: found a file with SHA-256 4c9b27af3fec829d2d4c1bf13a4f554d26ff29d7f75a97628fda3bb5ef49bf46, expected de45d00578b89c8336b474eb89134344eb3c068040a7ffb459099a0efe1d9af2, the extract of 62 subjects by 224 variables from UCLA SOCR data page SOCR_Data_July2009_ID_NI, http://wiki.socr.umich.edu/index.php/SOCR_Data_July2009_ID_NI (Dinov et al., 2009)"
	fails(t, "another file", err, want)
}
