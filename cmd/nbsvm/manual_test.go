package main

import (
	"cmp"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// manual is the folder into which make manual has the manual pages written. The program does without what writes them,
// which takes .3 MB.
var manual = flag.String("manual", "", "write manual pages into this folder")

// TestManual: each command has a manual page with its usage, flags and examples, and what stands in angle brackets.
func TestManual(t *testing.T) {
	folder := cmp.Or(*manual, t.TempDir())
	root := newGrammar(io.Discard, io.Discard, nil).root
	escape(root)
	must.OK(t, doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "nbsvm " + nbsvm.Version, Manual: "nbsvm"}, folder))
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

// escape keeps what stands in angle brackets from being taken for markup.
func escape(command *cobra.Command) {
	var lines []string
	for line := range strings.SplitSeq(command.Long, "\n") {
		if !strings.HasPrefix(line, "    ") { // examples are shown as they are
			line = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(line)
		}
		lines = append(lines, line)
	}
	command.Long = strings.Join(lines, "\n")
	for _, child := range command.Commands() {
		escape(child)
	}
}
