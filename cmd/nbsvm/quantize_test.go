package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestQuantizeLoses judges models by labels that they have given themselves, so that
// every change is a loss: above --max-loss, nothing is written, and what was there
// stays.
func TestQuantizeLoses(t *testing.T) {
	if raceEnabled && testing.Short() {
		t.Skip("one process after the other: the race detector finds nothing")
	}
	first, _ := command(t, "version")
	folder := first.Dir
	nbsvm := func(code int, args ...string) (stdout []byte, stderr string) {
		t.Helper()
		var out, err bytes.Buffer
		cmd := exec.CommandContext(t.Context(), first.Path, args...)
		cmd.Args[0] = "nbsvm"
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &err
		cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Fatalf("%s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, &err)
		}
		return out.Bytes(), err.String()
	}
	write := func(name string, data []byte) {
		t.Helper()
		must.OK(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	// Labels by lot: margins are small, and differ from n-gram to n-gram.
	rng := rand.New(rand.NewPCG(3, 5))
	var labelled, texts, judged bytes.Buffer
	words := func() string {
		text := make([]string, 12)
		for k := range text {
			text[k] = fmt.Sprintf("w%d", rng.IntN(300))
		}
		return strings.Join(text, " ")
	}
	for range 3000 {
		fmt.Fprintf(&labelled, "%c\t%s\n", 'a'+rng.IntN(4), words())
		fmt.Fprintln(&texts, words())
	}
	write("lot.tsv", labelled.Bytes())
	write("texts", texts.Bytes())
	nbsvm(0, "train", "-q", "--min-df", "1", "--ngrams", "1-1", "-o", "lot.nbm", "lot.tsv")
	rows, _ := nbsvm(0, "score", "--format", "lines", "lot.nbm", "texts")
	lines := strings.Split(texts.String(), "\n")
	for i, row := range strings.Split(strings.TrimSpace(string(rows)), "\n") {
		label, _, _ := strings.Cut(row, "\t")
		fmt.Fprintf(&judged, "%s\t%s\n", label, lines[i])
	}
	write("judged.tsv", judged.Bytes())

	for _, output := range []string{"new.nbm", "m.nbm"} {
		before := files(t, folder)
		kept, _ := os.ReadFile(filepath.Join(folder, output))
		_, stderr := nbsvm(1, "quantize", "--max-loss", "0", "--valid", "judged.tsv", "-o", output, "lot.nbm")
		if !strings.Contains(stderr, "nbsvm: accuracy falls by 0.0") || !strings.Contains(stderr, "more than --max-loss 0; no model was written") {
			t.Errorf("it says %q", stderr)
		}
		if now, _ := os.ReadFile(filepath.Join(folder, output)); files(t, folder) != before || !bytes.Equal(now, kept) {
			t.Errorf("files were %s, and are %s", before, files(t, folder))
		}
	}
	out, _ := nbsvm(0, "quantize", "--max-loss", "0.5", "--valid", "judged.tsv", "-o", "new.nbm", "lot.nbm")
	if !strings.Contains(string(out), "\naccuracy  1.0000    0.9") {
		t.Errorf("it says\n%s", out)
	}
	nbsvm(0, "verify", "new.nbm")
}
