package cli

// The command line as people and scripts meet it: testdata/script holds a script
// for each verb, and errors.txtar what bad input says.

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"fails": fails, "samedraws": sameDraws},
	})
}

// fails STATUS MESSAGE COMMAND... runs a command that must exit with the status,
// print the message on stderr behind "aibd: " as its only line and nothing on
// stdout, and leave every file and directory as it was.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fails STATUS MESSAGE COMMAND...")
	}
	before := tree(ts)
	err := ts.Exec(args[2], args[3:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("found %v, expected exit status %s; stderr: %s", err, args[0], ts.ReadFile("stderr"))
	}
	if found, expected := ts.ReadFile("stderr"), "aibd: "+args[1]+"\n"; found != expected {
		ts.Fatalf("stderr\nfound:    %sexpected: %s", found, expected)
	}
	if found := ts.ReadFile("stdout"); found != "" {
		ts.Fatalf("found on stdout %q, expected nothing", found)
	}
	if after := tree(ts); !slices.Equal(before, after) {
		ts.Fatalf("found the files %v, expected as before %v", after, before)
	}
}

// tree lists the files below the working directory with their contents.
func tree(ts *testscript.TestScript) []string {
	var found []string
	root := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		entry := path
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			entry += ": " + string(b)
		}
		found = append(found, entry)
		return nil
	}))
	return found
}

// samedraws RUN RUN demands that run.json and all segments of two runs are equal
// to the byte; ! samedraws that at least one segment is not.
func sameDraws(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samedraws RUN RUN")
	}
	content := func(run string) map[string]string {
		found := map[string]string{}
		segments, err := filepath.Glob(ts.MkAbs(run) + "/chain-*/*.parquet")
		ts.Check(err)
		if len(segments) == 0 {
			ts.Fatalf("%s has no draws", run)
		}
		for _, path := range segments {
			name, err := filepath.Rel(ts.MkAbs(run), path)
			ts.Check(err)
			found[name] = ts.ReadFile(path)
		}
		return found
	}
	a, b := content(args[0]), content(args[1])
	same := len(a) == len(b)
	for name := range a {
		same = same && a[name] == b[name]
	}
	if same == neg {
		ts.Fatalf("draws of %s and %s: same %v, expected %v", args[0], args[1], same, !neg)
	}
	if !neg && ts.ReadFile(args[0]+"/run.json") != ts.ReadFile(args[1]+"/run.json") {
		ts.Fatalf("%s and %s differ in run.json", args[0], args[1])
	}
}
