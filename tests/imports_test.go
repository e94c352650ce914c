package tests

import (
	gobuild "go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// floors are the folders in the order in which data goes through them. A package imports those of earlier floors, and
// of its own; docs/explanation/architecture.md says what each holds.
var floors = [][]string{
	{
		"internal/xmath", "internal/par", "internal/display",
		"internal/mem", "internal/doubt",
	},
	{"internal/osfile"},
	{"internal/kernels", "kernels", "internal/container", "sparse", "bayes", "metrics", "explain"},
	{"solver", "hashing", "internal/parquetfile", "internal/jsonscan"},
	{"corpus"},
	{"internal/data"},
	{"internal/model", "packed"},
	{"internal/learn", "internal/inside"},
	{"tag"},
	{"."},
	{"bench", "internal/facts", "internal/audit", "internal/page", "internal/flags"},
	{"internal/outdir", "internal/scoring", "internal/serve"},
	{"cmd"},
	{"internal/must", "internal/testkit", "tests", "tools", "scripts", "python", "wasm", "distributed"}, // not in the program
}

// floorOf is the place of a folder among the floors; -1 if it has none.
func floorOf(folder string) int {
	return slices.IndexFunc(floors, func(folders []string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return folder == f || strings.HasPrefix(folder, f+"/") })
	})
}

// TestImports: no package imports one of a later floor.
func TestImports(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != ".." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata") {
			return fs.SkipDir
		}
		folder, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		p, err := gobuild.ImportDir(path, 0)
		if err != nil { // no Go files
			return nil
		}
		at := floorOf(folder)
		if at < 0 {
			t.Errorf("%s is on no floor: add it to the list", folder)
			return nil
		}
		for _, imported := range p.Imports {
			of, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			of = strings.TrimPrefix(of, "/")
			if of == "" {
				of = "."
			}
			if floorOf(of) > at {
				t.Errorf("%s imports %s, which stands above it", folder, of)
			}
		}
		return nil
	})
	must.OK(t, err)
}
