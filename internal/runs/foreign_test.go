package runs

// Files of a run that belong to another run, were edited, or are not regular files.

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// copyFile copies a file over another, through neither by name.
func copyFile(t *testing.T, oldPath, newPath string) {
	t.Helper()
	content, err := os.ReadFile(oldPath)
	if err == nil {
		err = os.WriteFile(newPath, content, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A segment of another run, of another chain or of another place in its chain is named,
// and its chain sampled again.
func TestForeignSegments(t *testing.T) {
	shortSegments(t, 20)
	put(t, "x.csv", ages)
	const text = tiny + "warmup = 5\ndraws = 44\n"
	sampled(t, "run", build(t, text), 2)
	sampled(t, "seed", build(t, text+"seed = 2"), 2)
	sampled(t, "spec", build(t, text+"shuffle_size = 3"), 2)
	want := timeless(t, "run")
	for _, c := range []struct{ source, note string }{
		{"seed/chain-1/draws-00001.parquet", "found a segment of run "},
		{"spec/chain-1/draws-00001.parquet", "found a segment of run "},
		{"run/chain-2/draws-00001.parquet", "found segment 1 of chain 2, expected segment 1 of chain 1; "},
		{"run/chain-1/draws-00002.parquet", "found segment 2 of chain 1, expected segment 1 of chain 1; "},
	} {
		copyFile(t, c.source, "run/chain-1/draws-00001.parquet")
		notes := resumed(t, "run", 0)
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "run/chain-1/draws-00001.parquet: "+c.note) || !strings.HasSuffix(notes[0], "; chain-1 is sampled again from its start, with the same draws") {
			t.Errorf("%s: notes %q", c.source, notes)
		}
		if !maps.Equal(timeless(t, "run"), want) {
			t.Errorf("%s: the run differs", c.source)
		}
	}
}

// A changed digit of run.json or chain.json is noticed: resume refuses, reading and
// repeating the run say so.
func TestEdited(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	change := func(name, old, new string) {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Replace(string(b), old, new, 1)), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change("run/chain-1/chain.json", `"proposed": `, `"proposed": 1`)
	r, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	if reports, note := r.Reports(); len(reports) != 1 || !strings.HasPrefix(note, "run/chain-1/chain.json: damaged: found CRC-32C ") {
		t.Errorf("%d reports, note %q", len(reports), note)
	}
	before, err := os.ReadFile("run/run.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, note string }{
		{`"hash": "`, `"hash": "0`, "run/run.json: edited since it was written: found CRC-32C "},
		{`"thin": 1`, `"thin":  1`, "run/run.json: edited since it was written: found CRC-32C "},
		{`"crc32c"`, `"crc32c" `, "run/run.json: edited since it was written: found no crc32c"},
	} {
		if err := os.WriteFile("run/run.json", before, 0o666); err != nil {
			t.Fatal(err)
		}
		change("run/run.json", c.old, c.new)
		if _, _, err = Resume("run", ResumeOptions{Version: "v1", OtherBuild: true}); err == nil || !strings.HasPrefix(err.Error(), c.note) || !strings.HasSuffix(err.Error(), ": restore it, or make a new run with aibd fit run/run.json") {
			t.Errorf("resumed: %v", err)
		}
		if _, notes, err := ReadSpec("run/run.json", "v1"); err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], c.note) {
			t.Errorf("notes %q, %v", notes, err)
		}
		if r, err = Open("run"); err != nil {
			t.Fatal(err)
		}
		if _, note, err := r.Scalars(); c.old != `"hash": "` && (err != nil || !strings.HasPrefix(note, c.note)) {
			t.Errorf("note %q, %v", note, err)
		}
	}
}

// A chain.json that is of another chain or run, older than the draws or missing is named.
func TestForeignReports(t *testing.T) {
	put(t, "x.csv", ages)
	const text = tiny + "warmup = 5\ndraws = 20\n"
	sampled(t, "run", build(t, text), 2)
	sampled(t, "seed", build(t, text+"seed = 2"), 2)
	before, err := os.ReadFile("run/chain-1/chain.json")
	if err != nil {
		t.Fatal(err)
	}
	notes := func() string {
		t.Helper()
		r := opened(t, "run")
		traces, note, err := r.Scalars()
		if err != nil {
			t.Fatal(err)
		}
		reports, damage := r.Reports()
		return note + damage + r.Unreported(traces, reports)
	}
	if note := notes(); note != "" {
		t.Errorf("found the note %q, expected none", note)
	}
	for _, source := range []string{"run/chain-2/chain.json", "seed/chain-1/chain.json"} {
		copyFile(t, source, "run/chain-1/chain.json")
		if note := notes(); !strings.HasPrefix(note, "run/chain-1/chain.json: found the report of chain "+strings.TrimSuffix(strings.Split(source, "-")[1], "/chain.json")+" of run ") {
			t.Errorf("%s: found the note %q", source, note)
		}
	}
	if err := os.Remove("run/chain-1/chain.json"); err != nil {
		t.Fatal(err)
	}
	if note, want := notes(), "run/chain-1/chain.json is missing: the proposals of the chain are not counted"; note != want {
		t.Errorf("found the note %q, expected %q", note, want)
	}
	overwrite(t, "run/chain-1/chain.json", string(before))
	resumed(t, "run", 10)
	overwrite(t, "run/chain-1/chain.json", string(before))
	if note, want := notes(), "run/chain-1/chain.json is older than the draws: it counts the proposals before draw 21 of 30"; note != want {
		t.Errorf("found the note %q, expected %q", note, want)
	}
}

// A program repeats a run only if all that may change draws is equal. The number of the
// draws decides where a revision is unknown.
func TestPrograms(t *testing.T) {
	this := thisProgram("v1")
	this.Build.Revision = "0123456789abcdef"
	for _, c := range []struct {
		change func(*Program)
		want   string // "" for none
	}{
		{func(p *Program) {}, ""},
		{func(p *Program) { p.Build.Revision = "" }, ""},
		{func(p *Program) { p.Build.OS = "plan9" }, ""},
		{func(p *Program) { p.Build.Revision = "fedcba9876543210" }, "revision fedcba987654, expected revision 0123456789ab"},
		{func(p *Program) { p.Build.Revision += "+" }, "revision 0123456789ab+, expected revision 0123456789ab"},
		{func(p *Program) { p.Build.Revision, p.Build.Draws = "", DrawsFormat-1 }, fmt.Sprintf("draws %d, expected draws %d", DrawsFormat-1, DrawsFormat)},
		{func(p *Program) { p.Aibd, p.Build.Go = "v0", "go1.1" }, "aibd v0, go1.1, expected aibd v1, " + this.Build.Go},
		{func(p *Program) { p.Build.Arch, p.Build.Float = "mix", "by hand" }, "mix, float by hand, expected " + this.Build.Arch + ", float " + this.Build.Float},
	} {
		made := this
		c.change(&made)
		err := made.differs(this)
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		wantError(t, err, "found a run of another build: "+c.want)
	}
}

// The golden draws belong to DrawsFormat: who changes them raises the number, and adds
// a line to testdata/formats.txt. Who adds chains of a new model, and changes no other, puts the new
// hash into the last line.
func TestDrawsFormat(t *testing.T) {
	golden, err := os.ReadFile("testdata/draws.txt")
	if err != nil {
		t.Fatal(err)
	}
	formats, err := os.ReadFile("testdata/formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d %x", DrawsFormat, sha256.Sum256(golden))
	lines := strings.Split(strings.TrimSpace(string(formats)), "\n")
	if last := lines[len(lines)-1]; last != want {
		t.Errorf("testdata/formats.txt ends with %q, expected %q. If draws of a chain have changed, raise DrawsFormat and add a line; if there are only more chains, replace the hash", last, want)
	}
	for i, line := range lines {
		if number, _, _ := strings.Cut(line, " "); number != fmt.Sprint(DrawsFormat-len(lines)+1+i) {
			t.Errorf("line %d is of format %s, expected the formats in order, each once", i+1, number)
		}
	}
}

// A pipe, a device or a very large file where a file of a run belongs is refused at once,
// or sampled again.
func TestIrregularFiles(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	want, got := timeless(t, "run"), map[string]func(string) error{
		"found a pipe, expected a regular file":            func(name string) error { return syscall.Mkfifo(name, 0o666) },
		"found a symbolic link, expected a regular file":   func(name string) error { return os.Symlink("/dev/zero", name) },
		"found a directory, expected a regular file":       func(name string) error { return os.Mkdir(name, 0o777) },
		"found 214748364800 bytes, expected at most %[1]d": sparse,
	}
	limits := map[string]int64{
		"chain-1/draws-00001.parquet": maxSegment, "chain-1/checkpoint.json": opened(t, "run").maxCheckpoint(), "chain-1/chain.json": maxReport,
		"run.json": maxRecord, "lock": maxLock,
	}
	if limits["chain-1/checkpoint.json"] > 2<<20 {
		t.Errorf("checkpoints of a small run may have %d bytes", limits["chain-1/checkpoint.json"])
	}
	for what, spoil := range got {
		for file, limit := range limits {
			name, what := "run/"+file, strings.Replace(what, "%[1]d", fmt.Sprint(limit), 1)
			if err := os.Rename(name, "kept"); err != nil {
				t.Fatal(err)
			}
			if err := spoil(name); err != nil {
				t.Fatal(err)
			}
			message := name + ": " + what
			r, err := Open("run")
			if file == "run.json" {
				wantError(t, err, message)
				if _, _, err = ReadSpec(name, "v1"); !strings.HasPrefix(fmt.Sprint(err), name+": found ") { // it follows links
					t.Errorf("%s: read with %v", what, err)
				}
				err = errors.New(message)
			} else if err != nil {
				t.Fatal(err)
			} else {
				_, scalars, _ := r.Scalars()
				_, reports := r.Reports()
				if strings.Contains(scalars, message) != (file == "chain-1/draws-00001.parquet") || strings.Contains(reports, message) != (file == "chain-1/chain.json") {
					t.Errorf("%s: notes %q, %q", message, scalars, reports)
				}
				var notes []string
				r, notes, err = Resume("run", ResumeOptions{Version: "v1"})
				lockLost(r)
				if file != "lock" {
					if err != nil || len(notes) != 1 && file != "chain-1/chain.json" {
						t.Errorf("%s: notes %q, %v", message, notes, err)
					}
					err = errors.New(message)
				}
			}
			wantError(t, err, message)
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename("kept", name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !maps.Equal(timeless(t, "run"), want) {
		t.Error("the run differs")
	}
}

// A directory with files in the place of a segment is moved aside, and the chain sampled again.
func TestDirectoryForSegment(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	want := timeless(t, "run")
	for _, file := range []string{"draws-00001.parquet", "draws-00001.parquet.tmp", "checkpoint.json", "chain.json.tmp"} {
		name := "run/chain-1/" + file
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(name+"/kept", 0o777); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".tmp") { // so that the chain is sampled again
			if err := errors.Join(os.Remove("run/chain-1/checkpoint.json"), os.Remove("run/chain-1/draws-00001.parquet")); err != nil {
				t.Fatal(err)
			}
		}
		resumed(t, "run", 0)
		if err := os.Remove("run/chain-1/" + file + ".moved/kept"); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := os.RemoveAll("run/chain-1/" + file + ".moved"); err != nil {
			t.Fatal(err)
		}
		if got := timeless(t, "run"); !maps.Equal(got, want) {
			t.Errorf("%s: the run differs: files %q", file, slices.Sorted(maps.Keys(got)))
		}
	}
}

// sparse makes a file of 200 GiB that takes no room.
func sparse(name string) error {
	f, err := os.Create(name)
	if err == nil {
		err = f.Truncate(200 << 30)
		f.Close()
	}
	return err
}
