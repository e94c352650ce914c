package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManual: each command has a manual page with its name, options and examples, and nothing in a page is taken for a
// request of roff that was not meant.
func TestManual(t *testing.T) {
	folder := t.TempDir()
	if err := writeManual(folder); err != nil {
		t.Fatal(err)
	}
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string]bool{}
	for _, request := range strings.Fields(".TH .SH .SS .TP .IP .PP .EX .EE .nh .ad") {
		requests[request] = true
	}
	names := []string{"nbsvm"}
	for _, command := range parser.Model.Leaves(true) {
		names = append(names, "nbsvm-"+strings.ReplaceAll(commandName(command), " ", "-"))
	}
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(folder, name+".1"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(page)
		if !strings.HasPrefix(text, ".TH "+strings.ReplaceAll(strings.ToUpper(name), "-", `\-`)+" 1 ") || !strings.Contains(text, "\n.SH SYNOPSIS\nnbsvm ") {
			t.Errorf("%s begins with %.200s", name, text)
		}
		for line := range strings.Lines(text) {
			if request, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !requests[request] {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != len(names) {
		t.Errorf("%d pages, want %d: %v", len(files), len(names), err)
	}
	train, err := os.ReadFile(filepath.Join(folder, "nbsvm-train.1"))
	if err != nil || !strings.Contains(string(train), `\fB\-\-ngrams=`) || !strings.Contains(string(train), ".EX\nnbsvm train ") {
		t.Errorf("nbsvm-train lacks an option or an example: %v", err)
	}
}
