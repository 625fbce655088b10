package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compiled is a package as go list -export describes it.
type compiled struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// compiledPackages returns the packages of the module, and an importer of these and of what they
// import.
func compiledPackages(t *testing.T, fset *token.FileSet) (ours []compiled, imports types.Importer) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	command.Dir = filepath.Join("..", "..")
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p compiled
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "aibd/") {
			ours = append(ours, p)
		}
	}
	return ours, importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}

// isInternal reports whether an import path has an element internal.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// surface returns a message for each exported type of a package whose methods are not those that
// go doc shows, and for each exported object whose type names a type of an internal package.
func surface(fset *token.FileSet, path string, files []*ast.File, importer types.Importer) (got []string, err error) {
	pkg, err := (&types.Config{Importer: importer}).Check(path, fset, files, nil)
	if err != nil {
		return nil, err
	}
	documented, err := doc.NewFromFiles(fset, files, path, doc.AllDecls|doc.PreserveAST)
	if err != nil {
		return nil, err
	}
	shown := map[string][]string{}
	for _, t := range documented.Types {
		for _, m := range t.Methods {
			if token.IsExported(m.Name) {
				shown[t.Name] = append(shown[t.Name], m.Name)
			}
		}
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		inner := hidden(object.Type(), object.Type())
		if t, ok := object.(*types.TypeName); ok {
			if named, ok := object.Type().(*types.Named); ok {
				inner = slices.Concat(inner, hidden(named.Underlying(), nil))
				for m := range named.Methods() {
					if m.Exported() {
						inner = slices.Concat(inner, hidden(m.Type(), nil))
					}
				}
			}
			if callable := methods(t.Type()); !slices.Equal(callable, slices.Sorted(slices.Values(shown[name]))) {
				got = append(got, fmt.Sprintf("%s.%s: found methods %v, go doc shows %v", path, name, callable, shown[name]))
			}
		}
		for _, in := range slices.Compact(slices.Sorted(slices.Values(inner))) {
			got = append(got, fmt.Sprintf("%s.%s: found %s, expected no type of an internal package", path, name, in))
		}
	}
	return got, nil
}

// methods returns the exported methods that can be called on a variable of a type, promoted ones
// included. Those of an interface are in its declaration.
func methods(t types.Type) (names []string) {
	if types.IsInterface(t) {
		return nil
	}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if m.Obj().Exported() {
			names = append(names, m.Obj().Name())
		}
	}
	slices.Sort(names)
	return names
}

// hidden returns the types of internal packages that a reader of type t meets: its unexported
// fields and methods apart.
func hidden(t, self types.Type) (got []string) {
	visit := func(t types.Type) { got = append(got, hidden(t, nil)...) }
	switch t := t.(type) {
	case *types.Alias:
		if p := t.Obj().Pkg(); p != nil && isInternal(p.Path()) && strings.HasPrefix(p.Path(), "aibd/") {
			return []string{t.String()}
		}
		if t == self {
			visit(t.Rhs())
		}
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && isInternal(p.Path()) && strings.HasPrefix(p.Path(), "aibd/") {
			return []string{t.String()}
		}
		for arg := range t.TypeArgs().Types() {
			visit(arg)
		}
	case *types.Pointer:
		visit(t.Elem())
	case *types.Slice:
		visit(t.Elem())
	case *types.Array:
		visit(t.Elem())
	case *types.Chan:
		visit(t.Elem())
	case *types.Map:
		visit(t.Key())
		visit(t.Elem())
	case *types.Signature:
		visit(t.Params())
		visit(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			visit(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				visit(f.Type())
			}
		}
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			visit(e)
			if in, ok := e.Underlying().(*types.Interface); ok && e != types.Type(in) {
				visit(in)
			}
		}
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				visit(m.Type())
			}
		}
	}
	return got
}

// TestSurface: what can be called is what go doc shows, and it can be named.
func TestSurface(t *testing.T) {
	fset := token.NewFileSet()
	packages, importer := compiledPackages(t, fset)
	checked := 0
	for _, p := range packages {
		if isInternal(p.ImportPath) || strings.HasPrefix(p.ImportPath, "aibd/cmd/") {
			continue
		}
		checked++
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		got, err := surface(fset, p.ImportPath, files, importer)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range got {
			t.Error(message)
		}
	}
	// What it must report.
	broken, err := parser.ParseFile(fset, "broken.go", `package broken
import "aibd/internal/collapsed"
type Data struct{ *data }
type data = collapsed.Data
type Bound = collapsed.Bound
func Of(bounds []collapsed.Bound) {}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := surface(fset, "aibd/broken", []*ast.File{broken}, importer)
	if err != nil || len(got) != 3 || !strings.HasPrefix(got[0], "aibd/broken.Bound: found aibd/internal/collapsed.Bound") ||
		!strings.Contains(got[1], "SetNoiseScales") || !strings.HasPrefix(got[2], "aibd/broken.Of: found aibd/internal/collapsed.Bound") {
		t.Errorf("found %q, %v", got, err)
	}
	if checked < 10 {
		t.Errorf("found %d public packages, expected at least 10", checked)
	}
}
