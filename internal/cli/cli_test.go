package cli

// The command line as people and scripts meet it: testdata/script and testdata/long hold scripts
// for each verb, and errors.txtar what bad input says.

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"aibd/internal/oracle/fixture"
)

// A process of its own takes 20 ms to start. Scripts therefore run the program in the process
// of the test, except where it would not be alone with its environment, standard input and
// output, or the kernels that it chooses.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script/*.txtar") }

// Scripts of many commands or long chains, and those of kinds of columns and priors.
func TestLongScripts(t *testing.T) {
	if !*fixture.Long {
		t.Skip("without -long")
	}
	runScripts(t, "testdata/long/*.txtar")
}

// runScripts runs the scripts of a pattern with environment variables KEY=VALUE.
func runScripts(t *testing.T, pattern string, vars ...string) {
	scripts, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	dir, toHere := t.TempDir(), strings.NewReplacer("exec aibd ", "here aibd ", "' aibd ", "' here aibd ")
	for i, name := range scripts {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, alone := "", false // from here on
		for line := range strings.Lines(string(content)) {
			alone = alone || strings.HasPrefix(line, "env ") || strings.HasPrefix(line, "stdin ")
			if !alone && !strings.Contains(line, "/dev/stdout") {
				line = toHere.Replace(line)
			}
			text += line
		}
		scripts[i] = filepath.Join(dir, filepath.Base(name))
		put(t, scripts[i], text)
	}
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(append(e.Vars, "DOCS="+docs), vars...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"here": runHere, "fails": fails, "samedraws": sameDraws},
	})
}

// working is held while a script has the working directory.
var working sync.Mutex

// inProcess runs the program in the process of the test.
func inProcess(ts *testscript.TestScript, args []string) (status int, stdout, stderr string) {
	working.Lock()
	defer working.Unlock()
	back, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(back)
	var out, errs bytes.Buffer
	status = Status(Run(args, strings.NewReader(""), &out, &errs))
	if out.Len() > 0 && slices.Contains(args, "--json") {
		ts.Check(validJSON(verbOf(args), out.Bytes()))
	}
	io.Copy(ts.Stdout(), strings.NewReader(out.String()))
	io.Copy(ts.Stderr(), strings.NewReader(errs.String()))
	return status, out.String(), errs.String()
}

// runHere aibd ARGUMENTS... is exec aibd ARGUMENTS... in the process of the test.
func runHere(ts *testscript.TestScript, neg bool, args []string) {
	if status, _, _ := inProcess(ts, args[1:]); (status != 0) != neg {
		ts.Fatalf("found exit status %d, expected failure: %v", status, neg)
	}
}

// fails STATUS MESSAGE COMMAND... runs a command that must exit with the status, print one line on stderr and
// nothing on stdout, and leave every file and directory as it was. The line begins with "aibd: " and the message;
// three dots in the message stand for any text. Messages hold the place, the noun and what was found, so that a
// sentence may be put otherwise.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fails STATUS MESSAGE COMMAND...")
	}
	before := tree(ts)
	var status int
	var stdout, stderr string
	if args[2] == "here" {
		status, stdout, stderr = inProcess(ts, args[4:])
	} else {
		var exit *exec.ExitError
		if errors.As(ts.Exec(args[2], args[3:]...), &exit) {
			status = exit.ExitCode()
		}
		stdout, stderr = ts.ReadFile("stdout"), ts.ReadFile("stderr")
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("found exit status %d, expected %s; stderr: %s", status, args[0], stderr)
	}
	parts := strings.Split("aibd: "+args[1], "...")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	if !regexp.MustCompile("^" + strings.Join(parts, ".*") + ".*\n$").MatchString(stderr) {
		ts.Fatalf("stderr\nfound:    %sexpected: aibd: %s", stderr, args[1])
	}
	if stdout != "" {
		ts.Fatalf("found on stdout %q, expected nothing", stdout)
	}
	if after := tree(ts); !slices.Equal(before, after) {
		ts.Fatalf("found the files %v, expected as before %v", after, before)
	}
}

// tree lists the files below the working directory with their contents.
func tree(ts *testscript.TestScript) []string {
	var got []string
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
		got = append(got, entry)
		return nil
	}))
	return got
}

// samedraws RUN RUN demands that run.json and all segments of two runs are equal
// to the byte; ! samedraws that at least one segment is not.
func sameDraws(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samedraws RUN RUN")
	}
	content := func(run string) map[string]string {
		got := map[string]string{}
		segments, err := filepath.Glob(ts.MkAbs(run) + "/chain-*/*.parquet")
		ts.Check(err)
		if len(segments) == 0 {
			ts.Fatalf("%s has no draws", run)
		}
		for _, path := range segments {
			name, err := filepath.Rel(ts.MkAbs(run), path)
			ts.Check(err)
			got[name] = ts.ReadFile(path)
		}
		return got
	}
	a, b := content(args[0]), content(args[1])
	equal := len(a) == len(b)
	for name := range a {
		equal = equal && a[name] == b[name]
	}
	if equal == neg {
		ts.Fatalf("draws of %s and %s: same %v, expected %v", args[0], args[1], equal, !neg)
	}
	if !neg && ts.ReadFile(args[0]+"/run.json") != ts.ReadFile(args[1]+"/run.json") {
		ts.Fatalf("%s and %s differ in run.json", args[0], args[1])
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
