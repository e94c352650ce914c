package nbsvm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeProgram: the program in README.md compiles, and does what it says.
func TestReadmeProgram(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```go\n")
	program, _, whole := strings.Cut(program, "```\n")
	if !whole || !strings.HasPrefix(program, "package main\n") {
		t.Fatal("README.md has no whole program")
	}
	folder := t.TempDir()
	source, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "program.exe")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	reviews := strings.Repeat("pos\tnot bad at all, in fact lovely\nneg\tdull and tiresome\n", 3)
	if err := os.WriteFile(filepath.Join(folder, "reviews.tsv"), []byte(reviews), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(binary)
	run.Dir = folder
	if out, err := run.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "6 documents: pos [") {
		t.Errorf("%v: %s", err, out)
	}
}
