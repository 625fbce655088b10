package docs

// Declarations of the Go files.

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// code is what the Go files of a repository declare.
type code struct {
	packages map[string]*declared // by name
	names    map[string]bool      // declared anywhere, fields and methods included
	tests    map[string][]string  // tests, benchmarks and examples by directory
	examples [][]string           // bodies of the examples, line by line
	mentions map[string][]mention // files of docs that comments mention, by Go file
}

// declared holds the names that a package declares.
type declared struct {
	names   map[string]bool
	members map[string]map[string]bool // fields and methods, by type
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Benchmark|Fuzz|Example)[A-Z]\w*`)
	docFile  = regexp.MustCompile(`\bdocs/[\w./-]+\.(?:md|png)\b`)
)

// read parses the Go files below root.
func read(root fs.FS) (*code, error) {
	c := &code{
		packages: map[string]*declared{}, names: map[string]bool{},
		tests: map[string][]string{}, mentions: map[string][]mention{},
	}
	files := token.NewFileSet()
	return c, walk(root, ".go", func(name string, text []byte) error {
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(name, "_test.go")
		p := c.packages[f.Name.Name]
		if p == nil {
			p = &declared{map[string]bool{}, map[string]map[string]bool{}}
			c.packages[f.Name.Name] = p
		}
		for _, d := range f.Decls {
			c.declare(p, d)
			if fn, ok := d.(*ast.FuncDecl); ok && test && fn.Recv == nil {
				c.test(files, path.Dir(name), fn)
			}
		}
		for _, group := range f.Comments {
			for _, m := range docFile.FindAllString(group.Text(), -1) {
				c.mentions[name] = append(c.mentions[name], mention{m, files.Position(group.Pos()).Line})
			}
		}
		return nil
	})
}

// declare records the names that d declares.
func (c *code) declare(p *declared, d ast.Decl) {
	add := func(id *ast.Ident) { p.names[id.Name], c.names[id.Name] = true, true }
	member := func(owner string, id *ast.Ident) {
		if p.members[owner] == nil {
			p.members[owner] = map[string]bool{}
		}
		p.members[owner][id.Name], c.names[id.Name] = true, true
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
			return
		}
		t := d.Recv.List[0].Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		if id, ok := t.(*ast.Ident); ok {
			member(id.Name, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id)
				}
			case *ast.TypeSpec:
				add(s.Name)
				var fields *ast.FieldList
				switch t := s.Type.(type) {
				case *ast.StructType:
					fields = t.Fields
				case *ast.InterfaceType:
					fields = t.Methods
				default:
					continue
				}
				for _, f := range fields.List {
					for _, id := range f.Names {
						member(s.Name.Name, id)
					}
				}
			}
		}
	}
}

// test records a function of a test file.
func (c *code) test(files *token.FileSet, dir string, fn *ast.FuncDecl) {
	name := fn.Name.Name
	example := strings.HasPrefix(name, "Example")
	if !example && testName.FindString(name) != name {
		return
	}
	c.tests[dir] = append(c.tests[dir], name)
	if example {
		var b strings.Builder
		if printer.Fprint(&b, files, fn.Body) == nil {
			c.examples = append(c.examples, strings.Split(b.String(), "\n"))
		}
	}
}

// walk calls f with each file below root whose name has the given end. It skips
// directories whose names begin with a dot.
func walk(root fs.FS, end string, f func(name string, text []byte) error) error {
	return fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, end) {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return f(name, text)
	})
}
