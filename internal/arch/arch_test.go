package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages from the lowest up. A package imports packages of lower
// layers only, never one of its own. Some of them need not exist.
var layers = [][]string{
	{"internal/checksum", "internal/hint", "internal/lists", "internal/mixture", "internal/parallel", "internal/parquet", "internal/permutation", "internal/rounding", "internal/sha256", "internal/vector", "internal/visible", "internal/words"},
	{"feature", "similarity"},
	{"draws", "dataset", "internal/factors", "internal/intensity", "internal/collapsed"},
	{"prior", "lglfm", "internal/weighted", "draws/segment"},
	{"internal/state"},
	{"mcmc", "posterior", "classify"},
	{"predict"},
	{"internal/quantity", "internal/verdict"},
	{"internal/spec"},
	{"internal/model"},
	{"internal/describe"},
	// Above: files, clocks, signals, network. Below: pure.
	{"internal/export", "internal/figure", "internal/files", "internal/loopback", "internal/report"},
	{"internal/input"},
	{"internal/runs"},
	{"internal/results"},
	{"internal/compare", "internal/prospect", "internal/rounds"},
	{"internal/picture"},
	{"internal/serve"},
	{"internal/cli"},
	{"cmd/aibd", "cmd/man"},
	// Beside the program, which imports none of them.
	{"paper/exhibits"},
	{"lab", "paper"},
}

// pureLayers is how many layers, from the lowest, are pure.
const pureLayers = 11

// impure lists what the pure half does not import, packages under these included.
var impure = []string{"os", "net", "log", "flag", "time"}

// readsDates is the package of the pure half that may import time: cells hold dates.
const readsDates = "internal/model"

// A program that imports a public package of the pure half links at most maxLinked packages, and
// none of notLinked. Package draws/segment has the codec of Parquet.
const maxLinked = 120

var notLinked = []string{"crypto/tls", "flag", "log", "net", "net/http"}

// isSmall reports whether the package with the given path is held to maxLinked and notLinked.
func isSmall(path string) bool {
	own, ok := layer(path)
	return ok && own < pureLayers && !strings.HasPrefix(path, "internal/") && path != "draws/segment"
}

// isTestOnly reports whether only test files import the package with the given path.
// Such packages import nothing of the project, so that they can judge it.
func isTestOnly(path string) bool {
	return path == "internal/arch" || path == "internal/docs" || strings.HasPrefix(path, "internal/oracle/")
}

// maxLines is the length of the longest file allowed.
const maxLines = 700

// pkg is a package as go list describes it, test files apart.
type pkg struct {
	ImportPath string
	Name       string
	Doc        string // first sentence of the package comment
	Imports    []string
	Deps       []string // what it imports, and what that imports, and so on
	Module     struct{ Path string }
}

// layer returns the number of the layer of the package with the given path inside
// the module, and false if it has none.
func layer(path string) (int, bool) {
	n := slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, path) })
	return n, n >= 0
}

// isImpure reports whether the pure half may not import path.
func isImpure(path string) bool {
	return slices.ContainsFunc(impure, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// violations returns a message for each rule that a package breaks.
func violations(packages []pkg) []string {
	var found []string
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, p := range packages {
		path := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		// Commands are named by their directory.
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + path[strings.LastIndex(path, "/")+1:] + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			report("%s: the package comment begins %q, expected %q", path, beginning(p.Doc), want)
		}
		own, hasLayer := layer(path)
		if !hasLayer && !isTestOnly(path) {
			report("%s: found in no layer, expected a place in the table of internal/arch", path)
		}
		if isSmall(path) {
			if linked := len(p.Deps) + 1; linked > maxLinked {
				report("%s links %d packages, itself included: expected at most %d", path, linked, maxLinked)
			}
			for _, dep := range p.Deps {
				if slices.Contains(notLinked, dep) {
					report("%s links %s: expected none of %s", path, dep, strings.Join(notLinked, ", "))
				}
			}
		}
		for _, imported := range p.Imports {
			inside, ours := strings.CutPrefix(imported, p.Module.Path+"/")
			if !ours {
				if hasLayer && own < pureLayers && isImpure(imported) && !(path == readsDates && imported == "time") {
					report("%s imports %s: expected none of %s and what is under them in the pure half", path, imported, strings.Join(impure, ", "))
				}
				continue
			}
			other, otherHasLayer := layer(inside)
			switch {
			case isTestOnly(inside):
				report("%s imports %s: only test files may", path, inside)
			case isTestOnly(path):
				report("%s imports %s: expected nothing of the project in a package that judges it", path, inside)
			case hasLayer && otherHasLayer && other >= own:
				report("%s (layer %d) imports %s (layer %d): expected lower layers only", path, own, inside, other)
			}
		}
	}
	return found
}

// beginning returns the first few words of a sentence.
func beginning(s string) string {
	if words := strings.Fields(s); len(words) > 4 {
		return strings.Join(words[:4], " ") + " ..."
	}
	return s
}

// tooLong returns the message for a file of more than maxLines lines, or "".
func tooLong(name string, text []byte) string {
	if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
		return fmt.Sprintf("%s has %d lines, expected at most %d", name, lines, maxLines)
	}
	return ""
}

// list returns the packages of the module.
func list(t *testing.T) []pkg {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Doc,Imports,Deps,Module", "./...")
	command.Dir = filepath.Join("..", "..")
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var packages []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func TestPackages(t *testing.T) {
	packages := list(t)
	for _, v := range violations(packages) {
		t.Error(v)
	}
	// go list found the packages.
	for _, edge := range [][2]string{{"prior", "feature"}, {"mcmc", "lglfm"}, {"cmd/aibd", "internal/cli"}} {
		if !slices.ContainsFunc(packages, func(p pkg) bool {
			return p.ImportPath == p.Module.Path+"/"+edge[0] && slices.Contains(p.Imports, p.Module.Path+"/"+edge[1])
		}) {
			t.Errorf("go list does not say that %s imports %s", edge[0], edge[1])
		}
	}
}

// TestFiles reads every file. go test therefore runs this package again after a change
// anywhere: it does not see the files that go list reads.
func TestFiles(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if message := tooLong(filepath.ToSlash(name), text); message != "" {
			t.Error(message)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Error("no files found")
	}
}

// TestBrokenRulesAreReported breaks every rule once and compares the messages.
func TestBrokenRulesAreReported(t *testing.T) {
	for _, test := range []struct {
		path    string
		doc     string // "" for a proper one
		imports []string
		want    []string
	}{
		{"prior", "", []string{"math", "aibd/feature", "aibd/similarity", "example.com/os"}, nil},
		{"draws", "", []string{"io", "io/fs", "logger", "github.com/net/http", "aibd/feature"}, nil},
		{"internal/runs", "", []string{"os", "time", "aibd/mcmc", "aibd/dataset"}, nil},
		{"internal/cli", "", []string{"log", "aibd/internal/runs", "aibd/internal/serve"}, nil},
		{"cmd/aibd", "", []string{"os", "aibd/internal/cli"}, nil},
		{"internal/oracle/dense", "", []string{"math", "os"}, nil},

		{"feature", "", []string{"aibd/lglfm"}, []string{
			"feature (layer 1) imports lglfm (layer 3): expected lower layers only"}},
		{"prior", "", []string{"aibd/lglfm"}, []string{
			"prior (layer 3) imports lglfm (layer 3): expected lower layers only"}},
		{"posterior", "", []string{"aibd/internal/runs"}, []string{
			"posterior (layer 5) imports internal/runs (layer 13): expected lower layers only"}},
		{"internal/figure", "", []string{"aibd/internal/files"}, []string{
			"internal/figure (layer 11) imports internal/files (layer 11): expected lower layers only"}},
		{"internal/model", "", []string{"time", "os", "aibd/internal/files"}, []string{
			"internal/model imports os: expected none of os, net, log, flag, time and what is under them in the pure half",
			"internal/model (layer 9) imports internal/files (layer 11): expected lower layers only"}},
		{"mcmc", "", []string{"log/slog", "net", "os/signal", "time", "flag"}, []string{
			"mcmc imports log/slog: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports net: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports os/signal: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports time: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports flag: expected none of os, net, log, flag, time and what is under them in the pure half"}},
		{"cmd/aibd", "", []string{"aibd/internal/cli", "aibd/paper/exhibits"}, []string{
			"cmd/aibd (layer 19) imports paper/exhibits (layer 20): expected lower layers only"}},
		{"internal/cli", "", []string{"aibd/internal/oracle/dense"}, []string{
			"internal/cli imports internal/oracle/dense: only test files may"}},
		{"internal/oracle/dense", "", []string{"aibd/feature"}, []string{
			"internal/oracle/dense imports feature: expected nothing of the project in a package that judges it"}},
		{"utils", "", nil, []string{
			"utils: found in no layer, expected a place in the table of internal/arch"}},
		{"feature", "The package feature holds feature allocations.", nil, []string{
			`feature: the package comment begins "The package feature holds ...", expected "Package feature "`}},
		{"similarity", "Package similarityx is misnamed.", nil, []string{
			`similarity: the package comment begins "Package similarityx is misnamed.", expected "Package similarity "`}},
		{"cmd/aibd", "Package main is the command.", nil, []string{
			`cmd/aibd: the package comment begins "Package main is the ...", expected "Command aibd "`}},
	} {
		p := pkg{ImportPath: "aibd/" + test.path, Name: filepath.Base(test.path), Doc: test.doc, Imports: test.imports}
		p.Module.Path = "aibd"
		if p.Doc == "" {
			p.Doc = "Package " + p.Name + " does one thing."
		}
		if test.path == "cmd/aibd" {
			p.Name = "main"
			if test.doc == "" {
				p.Doc = "Command aibd does one thing."
			}
		}
		if got := violations([]pkg{p}); !slices.Equal(got, test.want) {
			t.Errorf("%s with imports %v: found\n%q\nwant\n%q", test.path, test.imports, got, test.want)
		}
	}
	if got := violations([]pkg{{ImportPath: "aibd/feature", Name: "feature", Module: struct{ Path string }{"aibd"}}}); len(got) != 1 {
		t.Errorf("without a package comment: %q", got)
	}
	linking := pkg{ImportPath: "aibd/lglfm", Name: "lglfm", Doc: "Package lglfm does one thing.", Deps: make([]string, maxLinked), Module: struct{ Path string }{"aibd"}}
	linking.Deps[7] = "net/http"
	if got, want := violations([]pkg{linking}), []string{
		"lglfm links 121 packages, itself included: expected at most 120",
		"lglfm links net/http: expected none of crypto/tls, flag, log, net, net/http",
	}; !slices.Equal(got, want) {
		t.Errorf("a package that links too much: found\n%q\nwant\n%q", got, want)
	}
	linking.ImportPath, linking.Name, linking.Doc = "aibd/draws/segment", "segment", "Package segment does one thing."
	if got := violations([]pkg{linking}); got != nil {
		t.Errorf("the codec: %q", got)
	}
	long := bytes.Repeat([]byte("\n"), maxLines+1)
	if got, want := tooLong("mcmc/long.go", long), "mcmc/long.go has 701 lines, expected at most 700"; got != want {
		t.Errorf("a long file: %q, want %q", got, want)
	}
	if got := tooLong("mcmc/long.go", long[1:]); got != "" {
		t.Errorf("a file just short enough: %q", got)
	}
}

// Packages above format numbers by package words. Package exhibits has the format of the paper.
func TestNumbersAreFormattedByWords(t *testing.T) {
	own := regexp.MustCompile(`strconv\.(Format|Append)Float|%[-+ 0]*\.[1-9]f`)
	for _, pkg := range []string{"cli", "export", "input", "model", "picture", "results", "runs", "serve", "verdict"} {
		names, err := filepath.Glob("../" + pkg + "/*.go")
		if err != nil || names == nil {
			t.Fatalf("%s: found %d files, %v", pkg, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for n, line := range bytes.Split(text, []byte("\n")) {
				if !strings.HasSuffix(name, "_test.go") && own.Match(line) {
					t.Errorf("%s:%d: found %s, expected a function of package words", name, n+1, own.Find(line))
				}
			}
		}
	}
}
