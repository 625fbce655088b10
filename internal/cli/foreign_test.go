package cli

// Runs from somebody else: something in the place of a file that the program reads or writes.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"aibd/internal/checksum"
	"aibd/internal/oracle/fixture"
)

// foreignVerbs are the verbs that read or write a run, which is RUN; NEW is a name for what
// they make. They are tried with the files named, or with all.
var foreignVerbs = []struct{ args, files string }{
	{"resume RUN", "all"},
	{"resume RUN --chain 1", "lock chain-1/lock"},
	{"resume RUN --more 2", "all"},
	{"gather RUN --out NEW", "all"},
	{"summary RUN", "all"},
	{"slurm RUN", ""},
	{"fit RUN/run.json --prepare --out NEW", ""},
	{"compare RUN run", ""},
	{"report RUN", "report.html report.html.tmp"},
	{"plot RUN trace --out NEW.svg", "chain-1/checkpoint.json"},
	{"plot RUN all --out NEW", ""},
	{"sharing RUN", ""},
	{"estimate RUN", ""},
	{"check RUN", ""},
	{"predict RUN", ""},
	{"export RUN NEW.npz", ""},
}

// foreignFiles are all names in a run that the program reads or writes.
var foreignFiles = strings.Fields(`run.json run.json.tmp lock report.html report.html.tmp kinds.json power-0.5 power-0.5/run.json
	chain-1 chain-1/lock chain-1/chain.json chain-1/chain.json.tmp chain-1/checkpoint.json chain-1/checkpoint.json.tmp
	chain-1/draws-00001.parquet chain-1/draws-00001.parquet.tmp chain-1/draws-00001.next chain-1/draws-00001.next.tmp chain-1/draws-00002.parquet`)

// foreignThings put something in the place of a file; outside is a directory with a file that
// is called like the one of the run.
var foreignThings = map[string]func(path, outside string) error{
	"link":            func(path, outside string) error { return os.Symlink(filepath.Join(outside, filepath.Base(path)), path) },
	"link to nothing": func(path, outside string) error { return os.Symlink(filepath.Join(outside, "nothing"), path) },
	"endless device":  func(path, _ string) error { return os.Symlink("/dev/zero", path) },
	"pipe":            func(path, _ string) error { return syscall.Mkfifo(path, 0o666) },
	"directory":       func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "kept"), 0o777) },
}

// No verb writes outside a run, hangs or needs much memory, whatever has the name of a file of
// the run. It ends with an error that names the file, or does what it does to the run without
// that file.
func TestForeignRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, "x.csv", "id,a,b\np,1,0.5\nq,2,NA\nr,-1,0.2\ns,0,0.1\n")
	if _, log, status := ran(t, "fit x.csv --prior ibp --holdout 0.2 --chains 2 --warmup 3 --draws 4 --set sampler.until=draws --out run --quiet"); status != 0 {
		t.Fatal(log)
	}
	want := snapshot(t, "run")
	tried := 0
	for _, name := range foreignFiles {
		for what, place := range foreignThings {
			for _, verb := range foreignVerbs {
				files := strings.Fields(verb.files + " run.json chain-1")
				few := what == "link to nothing" || what == "endless device" || verb.files != "all" && !slices.Contains(files, name) ||
					what != "link" && verb.args != "resume RUN"
				if few && !*fixture.Long {
					continue
				}
				label := fmt.Sprintf("%s with a %s at %s", verb.args, what, name)
				for _, old := range []string{"foreign", "outside", "new", "new.svg", "new.npz"} {
					if err := os.RemoveAll(old); err != nil {
						t.Fatal(err)
					}
				}
				path := filepath.Join("foreign", name)
				outside := filepath.Join(dir, "outside")
				err := errors.Join(os.CopyFS("foreign", os.DirFS("run")), os.MkdirAll(filepath.Dir(path), 0o777), os.RemoveAll(path), os.Mkdir(outside, 0o777))
				if name == "chain-1" || name == "power-0.5" {
					err = errors.Join(err, os.CopyFS(filepath.Join(outside, name), os.DirFS("run/chain-1")))
				} else {
					err = errors.Join(err, os.WriteFile(filepath.Join(outside, filepath.Base(name)), []byte("of somebody else"), 0o600))
				}
				before := snapshot(t, outside)
				if err := errors.Join(err, place(path, outside)); err != nil {
					t.Fatal(err)
				}
				tried++
				_, log, status := ran(t, strings.NewReplacer("RUN", "foreign", "NEW", "new").Replace(verb.args))
				if !maps.Equal(snapshot(t, outside), before) {
					t.Errorf("%s: found %v outside, expected %v", label, snapshot(t, outside), before)
				}
				switch {
				case status > 1:
					t.Errorf("%s: exit status %d: %s", label, status, log)
				case status == 1 && !strings.Contains(log, path) && !strings.Contains(log, "found only complete chains"):
					t.Errorf("%s: the error does not name the file: %s", label, log)
				case status == 0 && verb.args == "resume RUN":
					got := snapshot(t, "foreign")
					for file, content := range want {
						if timed := strings.HasSuffix(file, "chain.json") || strings.HasSuffix(file, "checkpoint.json"); file != name && !timed && got[file] != content {
							t.Errorf("%s: %s differs", label, file)
						}
					}
				}
			}
		}
	}
	t.Logf("%d cases", tried)
}

// What a run.json says reaches the terminal without control characters, and clipped.
func TestForeignText(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "x.csv", "id,a,b\np,1,0.5\nq,2,0.3\nr,-1,0.2\ns,0,0.1\n")
	if _, log, status := ran(t, "fit x.csv --prior ibp --chains 2 --warmup 3 --draws 4 --set sampler.until=draws --out run --quiet"); status != 0 {
		t.Fatal(log)
	}
	written, err := os.ReadFile("run/run.json")
	if err != nil {
		t.Fatal(err)
	}
	long := `\u001b]0;title\u0007\n` + strings.Repeat("x", 1<<16)
	for _, old := range []string{`"go": "`, `"aibd": "`, `"revision": "`, `"p"`, `"a"`} {
		text := []byte(strings.Replace(string(written), old, old[:len(old)-1]+long+`"`, 1))
		if strings.HasSuffix(old, `: "`) {
			text = []byte(strings.Replace(string(written), old, old+long, 1))
		}
		if !checksum.Seal(text, `"crc32c": "`) {
			t.Fatal("run.json has no checksum")
		}
		if err := os.WriteFile("run/run.json", text, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"resume run", "resume run --other-build", "fit run/run.json --prepare --out new", "summary run", "sharing run", "estimate run", "check run", "plot run trace --out new.svg"} {
			out, log, _ := ran(t, verb)
			for line := range strings.Lines(out + log) {
				if strings.ContainsAny(line, "\x1b\a") || len(line) > 10_000 {
					t.Errorf("%s with %.20s: found a line of %d bytes: %.100q", verb, old, len(line), line)
				}
			}
			if err := os.RemoveAll("new"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A command that is proposed for a directory whose name begins with a dash is one that works.
func TestDashedRun(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "x.csv", "id,a\np,1\nq,2\nr,-1\n")
	_, log, status := ran(t, "fit x.csv --prior ibp --chains 1 --warmup 2 --draws 2 --prepare --out -x")
	if status != 0 || !strings.Contains(log, "Sample a chain with aibd resume ./-x --chain K") {
		t.Fatalf("exit status %d: %s", status, log)
	}
	if _, log, status = ran(t, "resume ./-x --chain 1"); status != 0 {
		t.Fatal(log)
	}
	if _, log, status = ran(t, "resume ./-x"); status != 0 || !strings.Contains(log, "aibd resume ./-x --more 2 lengthens it") {
		t.Errorf("exit status %d: %s", status, log)
	}
}

// ran runs the program in this process, for at most three minutes: the machine may be busy.
func ran(t *testing.T, args string) (stdout, stderr string, status int) {
	t.Helper()
	var out, log bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- Status(Run(strings.Fields(args), strings.NewReader(""), &out, &log)) }()
	select {
	case status = <-ended:
	case <-time.After(3 * time.Minute):
		t.Fatalf("aibd %s hangs", args)
	}
	return out.String(), log.String(), status
}

// snapshot returns what is below a directory by path: contents of files, and kinds of others.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, content := strings.TrimPrefix(strings.TrimPrefix(path, dir), "/"), []byte(nil)
		if d.Type().IsRegular() {
			content, err = os.ReadFile(path)
		}
		got[name] = d.Type().String() + string(content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return got
}
