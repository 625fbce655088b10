package docs

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"aibd/internal/spec"
)

// A checker compares the documents of a repository with its files and code.
type checker struct {
	root    fs.FS
	code    *code
	docs    map[string]*document
	files   map[string]bool // base names of all Go files
	options map[string]bool // of the program, and the keys of its settings
	got     []string
}

// check returns a message for each mention of something that does not exist. The program
// has the given options and keys.
func check(root fs.FS, options map[string]bool) ([]string, error) {
	c := &checker{root: root, options: options, docs: map[string]*document{}, files: map[string]bool{}}
	var err error
	if c.code, err = read(root); err != nil {
		return nil, err
	}
	for _, end := range []string{".md", ".Rmd"} {
		if err := walk(root, end, func(name string, text []byte) error {
			c.docs[name] = parse(name, string(text))
			return nil
		}); err != nil {
			return nil, err
		}
	}
	if err := walk(root, ".go", func(name string, _ []byte) error {
		c.files[path.Base(name)] = true
		return nil
	}); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.docs)) {
		d := c.docs[name]
		c.links(d)
		c.paths(d)
		c.names(d)
		c.tests(d)
		c.commands(d)
		c.examples(d)
	}
	for _, name := range slices.Sorted(maps.Keys(c.code.mentions)) {
		for _, m := range c.code.mentions[name] {
			if !c.exists(m.text) {
				c.report(name, m, "found %s, expected a file that exists", m.text)
			}
		}
	}
	return c.got, nil
}

func (c *checker) report(name string, mention mention, format string, args ...any) {
	c.got = append(c.got, fmt.Sprintf("%s:%d: ", name, mention.line)+fmt.Sprintf(format, args...))
}

func (c *checker) exists(name string) bool {
	_, err := fs.Stat(c.root, path.Clean(name))
	return err == nil
}

func (c *checker) isDir(name string) bool {
	info, err := fs.Stat(c.root, path.Clean(name))
	return err == nil && info.IsDir()
}

// links checks links, images and anchors inside the repository.
func (c *checker) links(d *document) {
	for _, l := range d.links {
		if strings.Contains(l.text, "://") || strings.HasPrefix(l.text, "mailto:") {
			continue
		}
		file, fragment, hasFragment := strings.Cut(l.text, "#")
		target := d.name
		if file != "" {
			target = path.Join(path.Dir(d.name), file)
		}
		switch other := c.docs[target]; {
		case strings.HasPrefix(file, "/") || !fs.ValidPath(target):
			c.report(d.name, l, "found a link to %s, expected one inside the repository", l.text)
		case c.isDir(target):
			c.report(d.name, l, "found a link to the directory %s, expected a file: the site has no page for a directory", target)
		case !c.exists(target):
			c.report(d.name, l, "found a link to %s, expected one to a file that exists", l.text)
		case hasFragment && (other == nil || !other.anchors[fragment]):
			c.report(d.name, l, "found a link to %s, expected an anchor of %s", l.text, target)
		}
	}
}

var filePath = regexp.MustCompile(`^(?:\./)?[\w.-]+(?:/[\w.-]+)*/?$`)

// paths checks files and directories in code spans. A path whose first element is in
// the root must exist, and so must every Go or Markdown file.
func (c *checker) paths(d *document) {
	for _, s := range d.spans {
		if !filePath.MatchString(s.text) {
			continue
		}
		name := path.Clean(s.text)
		first, _, nested := strings.Cut(name, "/")
		source := strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".md")
		switch {
		case c.exists(name) || c.exists(path.Join(path.Dir(d.name), name)):
		case source && !nested && c.files[name]:
		case source || nested && c.exists(first):
			c.report(d.name, s, "found `%s`, expected a file or directory that exists", s.text)
		}
	}
}

var (
	qualified = regexp.MustCompile(`\b([A-Za-z]\w*)\.([A-Za-z]\w*)(?:\.([A-Z]\w*))?`)
	exported  = regexp.MustCompile(`^([A-Z]\w*[a-z]\w*)(?:\([^()]*\)|\[\w+\])?$`)
)

// names checks names of the code: package.Name, package.Type.Member, Type.Member
// and exported names alone. Names of other libraries must have their package.
func (c *checker) names(d *document) {
	spans := slices.Clone(d.spans)
	for _, b := range d.blocks {
		if b.language == "go" {
			spans = append(spans, b.lines...)
		}
	}
	for _, s := range spans {
		if m := exported.FindStringSubmatch(s.text); m != nil && !c.code.names[m[1]] {
			c.report(d.name, s, "found `%s`, expected a name that the code declares", m[1])
		}
		if filePath.MatchString(s.text) && c.isFile(s.text) {
			continue
		}
		text := key.ReplaceAllStringFunc(s.text, func(name string) string {
			if c.options[name] {
				return ""
			}
			return name
		})
		for _, m := range qualified.FindAllStringSubmatch(text, -1) {
			if m[1] == "fit" && !exported.MatchString(m[2]) {
				continue // fit.plot and fit.W of R and Python
			}
			if p := c.code.packages[m[1]]; p != nil {
				if !p.names[m[2]] || m[3] != "" && !p.members[m[2]][m[3]] {
					c.report(d.name, s, "found `%s`, expected a name that package %s declares", m[0], m[1])
				}
			} else if declared, member := c.member(m[1], m[2]); declared && !member {
				c.report(d.name, s, "found `%s`, expected a field or method of %s", m[0], m[1])
			}
		}
	}
}

// isFile reports whether a name names a file rather than code.
func (c *checker) isFile(name string) bool {
	return c.exists(name) || c.files[name] || strings.Contains(name, "/") || strings.HasSuffix(name, ".go")
}

// member reports whether any package declares the type, and whether one of those
// has the member.
func (c *checker) member(owner, name string) (declared, member bool) {
	for _, p := range c.code.packages {
		declared = declared || p.names[owner] && p.members[owner] != nil
		member = member || p.members[owner][name]
	}
	return declared, member
}

// tests checks names of tests and benchmarks, in prose and in code.
func (c *checker) tests(d *document) {
	lines := slices.Clone(d.prose)
	for _, b := range d.blocks {
		lines = append(lines, b.lines...)
	}
	for _, l := range lines {
		for _, name := range testName.FindAllString(l.text, -1) {
			if !slices.ContainsFunc(slices.Collect(maps.Values(c.code.tests)), func(t []string) bool { return slices.Contains(t, name) }) {
				c.report(d.name, l, "found %s, expected a test that exists", name)
			}
		}
	}
}

var (
	key    = regexp.MustCompile(`\b[a-z]+(?:\.[a-z_]+)+\b`)
	named  = regexp.MustCompile(`^distance\.[^.]+\.`) // the key of one of several distances
	set    = regexp.MustCompile(`--set ["']?([a-z][^= ]*)=`)
	option = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
	word   = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	group  = regexp.MustCompile(`\([^()]*\)`)
)

// commands checks the flags of aibd and the arguments of go test.
func (c *checker) commands(d *document) {
	lines := slices.Clone(d.spans)
	for _, b := range d.blocks {
		if b.language == "sh" || b.language == "" {
			lines = append(lines, b.lines...)
		}
	}
	for _, l := range lines {
		for _, m := range option.FindAllStringSubmatch(l.text, -1) {
			if !c.options[m[1]] {
				c.report(d.name, l, "found --%s, expected an option of aibd or paper", m[1])
			}
		}
		for _, m := range set.FindAllStringSubmatch(l.text, -1) {
			if !c.options[m[1]] && !c.options[named.ReplaceAllString(m[1], "distance.")] {
				c.report(d.name, l, "found --set %s, expected the key of a setting", m[1])
			}
		}
		if _, arguments, ok := strings.Cut(l.text, "go test "); ok {
			arguments, _, _ = strings.Cut(arguments, " #")
			c.goTest(d, l, word.FindAllString(arguments, -1))
		}
	}
}

// goTest checks that the packages of a go test exist, and that each alternative
// of -run, -bench and -fuzz matches something in them. It ignores subtests, and -run
// next to -bench or -fuzz, which usually matches nothing on purpose.
func (c *checker) goTest(d *document, l mention, arguments []string) {
	var all []string
	for _, a := range arguments {
		dir, ok := strings.CutPrefix(a, "./")
		switch {
		case !ok:
		case dir == "...":
			all = slices.Concat(slices.Collect(maps.Values(c.code.tests))...)
		case !c.exists(dir):
			c.report(d.name, l, "found go test %s, expected a directory that exists", a)
			return
		default:
			all = append(all, c.code.tests[dir]...)
		}
	}
	kinds := map[string]string{"-bench": "Benchmark", "-fuzz": "Fuzz"}
	if !slices.Contains(arguments, "-bench") && !slices.Contains(arguments, "-fuzz") {
		kinds["-run"] = ""
	}
	for i, a := range arguments[:max(len(arguments)-1, 0)] {
		kind, ok := kinds[a]
		if !ok {
			continue
		}
		pattern := group.ReplaceAllString(strings.Trim(arguments[i+1], `'"`), ".*")
		for part := range strings.SplitSeq(pattern, "|") {
			part, _, _ = strings.Cut(part, "/")
			e, err := regexp.Compile(part)
			if err != nil || !slices.ContainsFunc(all, func(name string) bool {
				return strings.HasPrefix(name, kind) && e.MatchString(name)
			}) {
				c.report(d.name, l, "found %s %s, expected a pattern that picks a test there", a, part)
			}
		}
	}
}

var remark = regexp.MustCompile(`\s*//.*`)

// examples checks that the lines of a block of Go occur in this order in an example,
// ignoring comments and space. Go test runs the examples.
func (c *checker) examples(d *document) {
	for _, b := range d.blocks {
		if b.language != "go" {
			continue
		}
		lines := slices.DeleteFunc(slices.Clone(b.lines), func(l mention) bool { return bare(l.text) == "" })
		best := 0 // lines found in the best example
		for _, body := range c.code.examples {
			n := 0
			for _, line := range body {
				if n < len(lines) && bare(lines[n].text) == bare(line) {
					n++
				}
			}
			best = max(best, n)
		}
		if best < len(lines) {
			c.report(d.name, lines[best], "found %q, expected the lines of an example in their order", lines[best].text)
		}
	}
}

// bare returns a line of Go without its comment and with single spaces.
func bare(line string) string {
	return strings.Join(strings.Fields(remark.ReplaceAllString(line, "")), " ")
}

// options returns the names of all options of aibd, from its manual pages, the keys of its settings, and the
// options of paper, from its help.
func options(t *testing.T) map[string]bool {
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "run", "./cmd/man", dir)
	command.Dir = filepath.Join("..", "..")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("manual pages: %v: %s", err, out)
	}
	all := map[string]bool{"version": true} // of aibd itself, added when it runs
	if err := walk(os.DirFS(dir), ".1", func(_ string, page []byte) error {
		for _, m := range manOption.FindAllSubmatch(page, -1) {
			all[string(m[1])] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, s := range spec.Settings() {
		for key := string(s.Key); key != ""; key = key[:max(0, strings.LastIndexByte(key, '.'))] {
			all[key] = true // of its tables too
		}
	}
	command = exec.CommandContext(t.Context(), "go", "run", "./paper", "--help")
	command.Dir = filepath.Join("..", "..")
	help, err := command.Output()
	if err != nil {
		t.Fatalf("paper --help: %v", err)
	}
	for _, m := range option.FindAllSubmatch(help, -1) {
		all[string(m[1])] = true
	}
	return all
}

// manOption matches an option in a manual page.
var manOption = regexp.MustCompile(`\\fB--([a-z][a-z-]*)\\fP`)

func TestDocuments(t *testing.T) {
	root := os.DirFS("../..")
	got, err := check(root, options(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range got {
		t.Error(f)
	}
	if _, err := fs.Stat(root, "README.md"); err != nil {
		t.Error(err)
	}
}

// A document that breaks each rule once gives exactly these messages; a correct one
// gives none.
func TestBrokenDocumentsAreReported(t *testing.T) {
	const good = "# The title, `with` [code](docs/b.md)\n## Twice\n## Twice\n\n" +
		"[b](docs/b.md) [b, second part](docs/b.md#second-part) ![image](docs/i.png \"title\") [web](https://example.com/no#where)\n" +
		"[above](#the-title-with-code) [again](#twice-1) `[not](a-link.md)`\n\n" +
		"`prior/law.go`, `law.go`, `prior`, `internal/x/`, `run/run.json`, `prior.Law`, `prior.Law.Mass`, `Law.Mass`, `Law`, `Rand(rng)`, `law.Other(z)`, `e.g.`\n" +
		"`--mass 1` `--set prior.mass.shape=1` `prior.mass.shape` `TestLaw` `go test ./prior -run 'Law/(a|b)|Mass'`\n" +
		"```sh\naibd --mass=2\ngo test ./prior -run xxx -bench Law # some time\ngo test ./...\n```\n" +
		"```go\nl := prior.New(1) // mass 1\n\nfmt.Println(l)\n\n```\n" +
		"~~~text\n[not](a-link.md) --what\n~~~\n"
	repository := func(add string) fstest.MapFS {
		files := fstest.MapFS{}
		for name, text := range map[string]string{
			"README.md":            good + add,
			"docs/b.md":            "# B\n## Second part\n[up](../README.md)\n",
			"docs/i.png":           "",
			"internal/x/x.go":      "package x\n",
			"prior/law.go":         "// Package prior: see docs/b.md.\npackage prior\ntype Law struct { Mass float64 }\nfunc (l *Law) Rand() {}\nfunc New(mass float64) *Law { return nil }\n",
			"prior/law_test.go":    "package prior\nfunc TestLaw() {}\nfunc TestMass() {}\nfunc BenchmarkLaw() {}\nfunc Example() {\n\tl := prior.New(1)\n\tif l == nil {\n\t\treturn\n\t}\n\tfmt.Println(l)\n}\n",
			".hidden/broken.md":    "[no](no.md)",
			"prior/testdata/a.txt": "",
		} {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return files
	}
	line := strings.Count(good, "\n") + 1
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"[x](no.md)", "found a link to no.md, expected one to a file that exists"},
		{"![x](docs/no.png)", "found a link to docs/no.png, expected one to a file that exists"},
		{"[x]: no.md", "found a link to no.md, expected one to a file that exists"},
		{`<img src="no.png">`, "found a link to no.png, expected one to a file that exists"},
		{"[![x](docs/i.png)](no.md)", "found a link to no.md, expected one to a file that exists"},
		{"[x](docs)", "found a link to the directory docs, expected a file: the site has no page for a directory"},
		{"[x](../main/README.md)", "found a link to ../main/README.md, expected one inside the repository"},
		{"[x](#no)", "found a link to #no, expected an anchor of README.md"},
		{"[x](docs/b.md#Second-part)", "found a link to docs/b.md#Second-part, expected an anchor of docs/b.md"},
		{"[x](prior/law.go#L1)", "found a link to prior/law.go#L1, expected an anchor of prior/law.go"},
		{"`prior/no.go`", "found `prior/no.go`, expected a file or directory that exists"},
		{"`no.go`", "found `no.go`, expected a file or directory that exists"},
		{"`internal/no`", "found `internal/no`, expected a file or directory that exists"},
		{"`prior.No`", "found `prior.No`, expected a name that package prior declares"},
		{"`2 * prior.Law.No`", "found `prior.Law.No`, expected a name that package prior declares"},
		{"`Law.No`", "found `Law.No`, expected a field or method of Law"},
		{"`Nobody`", "found `Nobody`, expected a name that the code declares"},
		{"see TestNo", "found TestNo, expected a test that exists"},
		{"`aibd fit --no-such 1`", "found --no-such, expected an option of aibd or paper"},
		{"`aibd fit --set distance.year.no=1`", "found --set distance.year.no, expected the key of a setting"},
		{"`aibd fit --set sampler.no=1`", "found --set sampler.no, expected the key of a setting"},
		{"`go test ./no`", "found go test ./no, expected a directory that exists"},
		{"`go test ./prior -run 'Law|No'`", "found -run No, expected a pattern that picks a test there"},
		{"`go test ./prior -run 'Law|No/(Law|Mass)'`", "found -run No, expected a pattern that picks a test there"},
		{"`go test ./prior -run '^$' -fuzz Law`", "found -fuzz Law, expected a pattern that picks a test there"},
		{"`go test ./prior -bench Mass`", "found -bench Mass, expected a pattern that picks a test there"},
		{"```go\n```\n```go\nfmt.Println(l)\nl := prior.New(1)\n```", `found "l := prior.New(1)", expected the lines of an example in their order`},
	} {
		got, err := check(repository(test.text), map[string]bool{"mass": true, "set": true, "prior.mass.shape": true})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if test.want != "" {
			number := line
			if strings.HasPrefix(test.text, "```") {
				number += 4
			}
			want = []string{fmt.Sprintf("README.md:%d: %s", number, test.want)}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: found\n%q\nwant\n%q", test.text, got, want)
		}
	}
	files := repository("")
	delete(files, "docs/b.md")
	files["r/vignette.Rmd"] = &fstest.MapFile{Data: []byte("[no](no.md)")}
	got, err := check(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"prior/law.go:1: found docs/b.md, expected a file that exists",
		"r/vignette.Rmd:1: found a link to no.md, expected one to a file that exists",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("found %q, want %q among them", got, want)
		}
	}
}
