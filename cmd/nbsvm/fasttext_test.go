package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFastTextFormats compares with what fastText writes: the same number of lines,
// with the same number of labels and scores.
func TestFastTextFormats(t *testing.T) {
	fastText, err := exec.LookPath("fasttext")
	if err != nil {
		t.Skip("fasttext is not on the path (Debian: fasttext): it is what this test compares with")
	}
	folder := t.TempDir()
	var b bytes.Buffer
	if err := writeDocuments(&b, "fasttext", 120, 4); err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]string{"train.ft": "", "in.ft": "\noven broth\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(b.String()+more), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		cmd, _ := command(t, args...)
		if args[0] == fastText {
			cmd = exec.CommandContext(t.Context(), args[0], args[1:]...)
		}
		cmd.Dir, cmd.Stderr = folder, nil
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	run(fastText, "supervised", "-input", "train.ft", "-output", "theirs", "-dim", "5", "-bucket", "1000", "-thread", "1", "-verbose", "0")
	run("train", "-q", "--model", "logistic", "-o", "ours", "train.ft")
	label, score := regexp.MustCompile(`__label__[a-z]+`), regexp.MustCompile(`\b[0-9.]+(e-[0-9]+)?`)
	shape := func(rows string) string { return score.ReplaceAllString(label.ReplaceAllString(rows, "L"), "S") }
	for theirs, ours := range map[string]string{
		"predict theirs.bin in.ft":          "--output-format fasttext-labels",
		"predict theirs.bin in.ft 3":        "--output-format fasttext-labels --top 3",
		"predict-prob theirs.bin in.ft":     "--output-format fasttext",
		"predict-prob theirs.bin in.ft -1":  "--output-format fasttext --all-scores",
		"predict-prob theirs.bin in.ft 2 0": "--output-format fasttext --top 2 --threshold 0",
	} {
		want := shape(run(append([]string{fastText}, strings.Fields(theirs)...)...))
		got := shape(run(append(strings.Fields("score "+ours), "ours", "in.ft")...))
		if got != want {
			t.Errorf("%s: %.60q, fastText's %s has %.60q", ours, got, theirs, want)
		}
	}
}
