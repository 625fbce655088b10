package arch

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages from the lowest up. A package imports packages of lower
// layers only, never one of its own. Some of them need not exist.
var layers = [][]string{
	{"internal/checksum", "internal/hint", "internal/lists", "internal/mixture", "internal/names", "internal/parallel", "internal/permutation", "internal/rounding", "internal/vector", "internal/visible", "internal/words"},
	{"feature", "similarity"},
	{"draws", "dataset", "internal/factors", "internal/intensity", "internal/collapsed"},
	{"prior", "lglfm", "internal/weighted", "draws/segment"},
	{"internal/state"},
	{"mcmc", "posterior"},
	{"predict"},
	{"internal/quantity", "internal/verdict"},
	{"fit"},
	{"internal/spec"},
	{"internal/model"},
	{"internal/describe"},
	// Above: files, clocks, signals, network. Below: pure.
	{"internal/export", "internal/figure", "internal/files", "internal/report"},
	{"internal/input"},
	{"internal/runs"},
	{"internal/results"},
	{"internal/compare", "internal/prospect"},
	{"internal/picture"},
	{"internal/serve"},
	{"internal/cli"},
	{"cmd/aibd", "cmd/man"},
	// Beside the program, which imports none of them.
	{"paper/classify"},
	{"paper/exhibits"},
	{"lab", "paper"},
}

// module is the beginning of the import paths of the module.
const module = "aibd/"

// pureLayers is how many layers, from the lowest, are pure.
const pureLayers = 12

// impure lists what the pure half does not import, packages under these included.
var impure = []string{"os", "net", "log", "flag", "time"}

// hasTimes are the packages of the pure half that may import time: cells hold dates, and a budget is a time. Callers
// give the clock.
var hasTimes = []string{"fit", "internal/model"}

// isTestOnly reports whether only test files import the package with the given path.
// Such packages import nothing of the project, so that they can judge it.
func isTestOnly(path string) bool {
	return path == "internal/arch" || path == "internal/docs" || strings.HasPrefix(path, "internal/oracle/")
}

// pkg is a package, test files apart.
type pkg struct {
	Path    string // inside the module
	Name    string
	Doc     string // first sentence of the package comment
	Imports []string
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
	var got []string
	report := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	for _, p := range packages {
		path := p.Path
		// Commands are named by their directory.
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + path[strings.LastIndex(path, "/")+1:] + " "
		}
		if !strings.HasPrefix(p.Doc, want) {
			report("%s: the package comment begins %q, expected %q", path, beginning(p.Doc), want)
		}
		packageLayer, hasLayer := layer(path)
		if !hasLayer && !isTestOnly(path) {
			report("%s: found in no layer, expected a place in the table of internal/arch", path)
		}
		for _, imported := range p.Imports {
			inside, ours := strings.CutPrefix(imported, module)
			if !ours {
				if hasLayer && packageLayer < pureLayers && isImpure(imported) && !(slices.Contains(hasTimes, path) && imported == "time") {
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
			case hasLayer && otherHasLayer && other >= packageLayer:
				report("%s (layer %d) imports %s (layer %d): expected lower layers only", path, packageLayer, inside, other)
			}
		}
	}
	return got
}

// beginning returns the first few words of a sentence.
func beginning(s string) string {
	if words := strings.Fields(s); len(words) > 4 {
		return strings.Join(words[:4], " ") + " ..."
	}
	return s
}

// list returns the packages of the module. It reads the files itself, so go test runs this package again
// after a change anywhere.
func list(t *testing.T) (packages []pkg) {
	t.Helper()
	root := filepath.Join("..", "..")
	if err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != root {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
				return fs.SkipDir
			}
		}
		p, err := build.ImportDir(dir, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		} else if err != nil {
			return err
		}
		path, err := filepath.Rel(root, dir)
		packages = append(packages, pkg{filepath.ToSlash(path), p.Name, p.Doc, p.Imports})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return packages
}

func TestPackages(t *testing.T) {
	packages := list(t)
	for _, v := range violations(packages) {
		t.Error(v)
	}
	// The packages were found.
	for _, edge := range [][2]string{{"prior", "feature"}, {"mcmc", "lglfm"}, {"cmd/aibd", "internal/cli"}} {
		if !slices.ContainsFunc(packages, func(p pkg) bool {
			return p.Path == edge[0] && slices.Contains(p.Imports, module+edge[1])
		}) {
			t.Errorf("found no import of %s in %s", edge[1], edge[0])
		}
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
			"posterior (layer 5) imports internal/runs (layer 14): expected lower layers only"}},
		{"internal/figure", "", []string{"aibd/internal/files"}, []string{
			"internal/figure (layer 12) imports internal/files (layer 12): expected lower layers only"}},
		{"internal/model", "", []string{"time", "os", "aibd/internal/files"}, []string{
			"internal/model imports os: expected none of os, net, log, flag, time and what is under them in the pure half",
			"internal/model (layer 10) imports internal/files (layer 12): expected lower layers only"}},
		{"mcmc", "", []string{"log/slog", "net", "os/signal", "time", "flag"}, []string{
			"mcmc imports log/slog: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports net: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports os/signal: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports time: expected none of os, net, log, flag, time and what is under them in the pure half",
			"mcmc imports flag: expected none of os, net, log, flag, time and what is under them in the pure half"}},
		{"cmd/aibd", "", []string{"aibd/internal/cli", "aibd/paper/exhibits"}, []string{
			"cmd/aibd (layer 20) imports paper/exhibits (layer 22): expected lower layers only"}},
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
		p := pkg{test.path, filepath.Base(test.path), test.doc, test.imports}
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
	if got := violations([]pkg{{Path: "feature", Name: "feature"}}); len(got) != 1 {
		t.Errorf("without a package comment: %q", got)
	}
}
