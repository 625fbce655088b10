package model

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// X read again has the hash of the run, under a law without other numbers from files.
func TestObservationsAgain(t *testing.T) {
	put(t, "x.csv", ages, "side.csv", "id,height\nr,6\nq,5\np,2\n")
	for _, text := range []string{
		"[data]\nfile = 'x.csv'\nside = 'side.csv'\ncolumns = ['a', 'weight']\nlog = ['w*']\n",
		"[data]\nfile = 'x.csv'\nscale = false\n",
		"",
	} {
		p := build(t, text+"[prior]\nlaw = 'ibp'\n")
		o, err := observed(p)
		if err != nil {
			t.Fatal(err)
		}
		h := hasher{sum: sha256.New()}
		for _, row := range o.X {
			h.floats(row)
		}
		if got := hex.EncodeToString(h.sum.Sum(nil)); got != p.DataHash {
			t.Errorf("%s: found X with hash %s, expected %s", text, got, p.DataHash)
		}
	}
}

// A file that is gone, another one or none to be read twice is named with its hash.
func TestObservationsChanged(t *testing.T) {
	put(t, "x.csv", ages)
	p := build(t, "[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'\n")
	sum := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return hex.EncodeToString(h[:])
	}
	other := strings.Replace(ages, "9", "8", 1)
	expected := sum(ages)
	for _, c := range []struct {
		change func() error
		want   string
	}{
		{func() error { return os.WriteFile("x.csv", []byte(other), 0o666) },
			"x.csv: found a file with SHA-256 " + sum(other) + ", expected the one of the run, with " + expected},
		{func() error { return os.Remove("x.csv") },
			"x.csv: no such file or directory: the run read one with SHA-256 " + expected},
		{func() error { return os.Symlink(os.DevNull, "x.csv") },
			"x.csv: found a device, expected a regular file: the run read one with SHA-256 " + expected},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		_, err := observed(p)
		wantError(t, err, c.want)
	}
	p.Sources = nil
	_, err := Rerun(p).Places()
	wantError(t, err, "data.sources: found no x.csv, expected the file of the data")
	p.Spec.Data.File, p.Spec.Data.Builtin = "", "usstates"
	_, err = Rerun(p).Places()
	wantError(t, err, "usstates.csv: found other items than those of the run")
}
