package tests

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

var updateAPI = flag.Bool("update", false, "write testdata/api.txt")

const module = "github.com/seed-167f963f/nbsvm"

// TestAPI compares the exported declarations of all public packages with testdata/api.txt, so that the API can't change
// unannounced. docs/reference/stability.md says what is promised of it.
func TestAPI(t *testing.T) {
	var got bytes.Buffer
	for _, p := range publicPackages(t) {
		p.write(&got)
	}
	const golden = "testdata/api.txt"
	if *updateAPI {
		must.OK(t, os.WriteFile(golden, got.Bytes(), 0o666))
	}
	want, err := os.ReadFile(golden)
	must.OK(t, err)
	before, after := lines(want), lines(got.Bytes())
	for _, line := range before {
		if !slices.Contains(after, line) {
			t.Errorf("gone: %s", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Errorf("new:  %s", line)
		}
	}
	if t.Failed() {
		t.Error("the exported API has changed; if that is meant, tell users in CHANGELOG.md and run: go test ./tests -run TestAPI -update")
	}
}

// TestAPIStandsAlone: nothing that a public package exports mentions an internal package or lacks documentation, so
// that go doc shows all that a user needs.
func TestAPIStandsAlone(t *testing.T) {
	for _, p := range publicPackages(t) {
		if strings.Contains(p.Doc, "internal/") {
			t.Errorf("%s: the package's documentation mentions an internal package", p.ImportPath)
		}
		p.each(func(name, comment string, decl ast.Node) {
			_, method, _ := strings.Cut(name, ".")
			if strings.TrimSpace(comment) == "" && method != "Error" && method != "Unwrap" {
				t.Errorf("%s: %s has no documentation", p.ImportPath, name)
			}
			if strings.Contains(comment, "internal/") {
				t.Errorf("%s: the documentation of %s mentions an internal package", p.ImportPath, name)
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && strings.Contains(f.Doc.Text()+f.Comment.Text(), "internal/") {
					t.Errorf("%s: the documentation of %s mentions an internal package", p.ImportPath, name)
				}
				if x, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := x.X.(*ast.Ident); ok && strings.Contains(p.imports[of.Name], "/internal/") {
						t.Errorf("%s: %s is declared with %s.%s of an internal package", p.ImportPath, name, of.Name, x.Sel.Name)
					}
				}
				return true
			})
		})
	}
}

func lines(text []byte) []string { return strings.Split(strings.TrimSpace(string(text)), "\n") }

// publicPackage is a package that users import.
type publicPackage struct {
	*doc.Package
	fset    *token.FileSet
	imports map[string]string // paths by name
}

// publicPackages are those of the module that are neither commands nor internal, nor of these tests.
func publicPackages(t *testing.T) (all []*publicPackage) {
	t.Helper()
	err := filepath.WalkDir("..", func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); folder != ".." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			slices.Contains([]string{"internal", "cmd", "tests", "testdata", "scripts", "tools", "docs"}, name)) {
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil && folder != ".." {
			return fs.SkipDir // a module of its own
		}
		p, err := gobuild.ImportDir(folder, 0)
		if err != nil || p.Name == "main" {
			return nil // no Go files for this platform
		}
		relative, err := filepath.Rel("..", folder)
		if err != nil {
			return err
		}
		public := &publicPackage{fset: token.NewFileSet(), imports: map[string]string{}}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(public.fset, filepath.Join(folder, name), nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, imported := range f.Imports {
				of, err := strconv.Unquote(imported.Path.Value)
				if err != nil {
					return err
				}
				name := path.Base(of)
				if imported.Name != nil {
					name = imported.Name.Name
				}
				public.imports[name] = of
			}
			files = append(files, f)
		}
		public.Package, err = doc.NewFromFiles(public.fset, files, path.Join(module, filepath.ToSlash(relative)))
		all = append(all, public)
		return err
	})
	must.OK(t, err)
	return all
}

// each visits the exported declarations with their names and comments.
func (p *publicPackage) each(visit func(name, comment string, decl ast.Node)) {
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, spec := range v.Decl.Specs {
				spec := spec.(*ast.ValueSpec)
				visit(spec.Names[0].Name, v.Doc+spec.Doc.Text()+spec.Comment.Text(), spec)
			}
		}
	}
	funcs := func(all []*doc.Func) {
		for _, f := range all {
			visit(strings.TrimPrefix(f.Recv+"."+f.Name, "."), f.Doc, &ast.FuncDecl{Recv: f.Decl.Recv, Name: f.Decl.Name, Type: f.Decl.Type})
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, of := range p.Types {
		for _, spec := range of.Decl.Specs {
			visit(of.Name, of.Doc, spec)
		}
		values(of.Consts)
		values(of.Vars)
		funcs(of.Funcs)
		funcs(of.Methods)
	}
}

// write writes a line for each exported declaration and for each field.
func (p *publicPackage) write(b *bytes.Buffer) {
	print := func(node any) string {
		var text bytes.Buffer
		if err := printer.Fprint(&text, p.fset, node); err != nil {
			panic(err)
		}
		return strings.Join(strings.Fields(text.String()), " ")
	}
	p.each(func(name, _ string, decl ast.Node) {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			fmt.Fprintf(b, "%s: %s\n", p.ImportPath, print(decl))
		case *ast.ValueSpec:
			for _, one := range decl.Names {
				if !one.IsExported() {
					continue
				}
				fmt.Fprintf(b, "%s: value %s", p.ImportPath, one.Name)
				if decl.Type != nil {
					fmt.Fprintf(b, " %s", print(decl.Type))
				}
				b.WriteByte('\n')
			}
		case *ast.TypeSpec:
			of, ok := decl.Type.(*ast.StructType)
			if !ok {
				fmt.Fprintf(b, "%s: type %s\n", p.ImportPath, print(&ast.TypeSpec{Name: decl.Name, TypeParams: decl.TypeParams, Assign: decl.Assign, Type: decl.Type}))
				return
			}
			fmt.Fprintf(b, "%s: type %s struct\n", p.ImportPath, name)
			for _, field := range of.Fields.List {
				if len(field.Names) == 0 {
					fmt.Fprintf(b, "%s: field %s.%s\n", p.ImportPath, name, print(field.Type))
				}
				for _, one := range field.Names {
					fmt.Fprintf(b, "%s: field %s.%s %s\n", p.ImportPath, name, one.Name, print(field.Type))
				}
			}
		}
	})
}

// TestVersion: the face, the packages behind it and the names of files and images in the manual agree on the version.
func TestVersion(t *testing.T) {
	if nbsvm.Version != container.Version {
		t.Errorf("nbsvm.Version is %q, models record %q", nbsvm.Version, container.Version)
	}
	named := regexp.MustCompile(`nbsvm[:_](\d+\.\d+\.\d+)`)
	manifests, err := filepath.Glob("../deploy/kubernetes/*.yaml")
	if err != nil || len(manifests) == 0 {
		t.Fatalf("%d manifests, %v", len(manifests), err)
	}
	for _, path := range append(manifests, "../docs/how-to/serve.md", "../docs/how-to/clusters.md") {
		text, err := os.ReadFile(path)
		must.OK(t, err)
		all := named.FindAllSubmatch(text, -1)
		if len(all) == 0 {
			t.Errorf("%s names no version", path)
		}
		for _, match := range all {
			if string(match[1]) != container.Version {
				t.Errorf("%s names version %s, and this is %s", path, match[1], container.Version)
			}
		}
	}
}
