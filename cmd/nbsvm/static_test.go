package main

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestStatic builds the program as its users do: it needs no library of the machine that it runs on.
func TestStatic(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: its files tell what libraries they need")
	}
	if testing.Short() {
		t.Skip("builds the product: not with -short")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("needs make")
	}
	product := filepath.Join(t.TempDir(), "nbsvm")
	build := exec.CommandContext(t.Context(), "make", "--no-print-directory", "build", "BIN="+product)
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := elf.Open(product)
	must.OK(t, err)
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("it needs %v, %v", libraries, err)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			t.Errorf("it has a segment %v, as programs have that are linked when they start", segment.Type)
		}
	}
}
