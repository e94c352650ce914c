package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManual: each command has a manual page with its usage, flags and examples, and what stands in angle brackets.
func TestManual(t *testing.T) {
	folder := t.TempDir()
	if _, err := parse([]string{"man", folder}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	for command := range newGrammar(io.Discard, io.Discard, nil).commands {
		name := strings.ReplaceAll(command.CommandPath(), " ", "-")
		page, err := os.ReadFile(filepath.Join(folder, name+".1"))
		if text := string(page); err != nil || !strings.Contains(text, ".SH SYNOPSIS\n") || !strings.Contains(text, command.Short) {
			t.Errorf("%s: %v, %.200s", name, err, text)
		}
	}
	train, err := os.ReadFile(filepath.Join(folder, "nbsvm-train.1"))
	for _, part := range []string{`\fB--ngrams\fP`, `\fB--no-lowercase\fP`, "\nnbsvm train reviews.tsv -o reviews.nbm\n", "label<TAB>text"} {
		if err != nil || !strings.Contains(string(train), part) {
			t.Errorf("the page of train lacks %q: %v", part, err)
		}
	}
}
