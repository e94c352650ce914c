//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestFewOpenFiles: twenty corpora or texts are merged, packed and scored by a process that may have sixteen
// files open, to the same bytes.
func TestFewOpenFiles(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to set a limit with:", err)
	}
	s := newWorkshop(t)
	s.documents("train.tsv", 200)
	lines := bytes.SplitAfter(s.read("train.tsv"), []byte("\n"))
	s.run(0, "train", "-q", "--bits", "12", "-o", "m.nbm", "train.tsv")
	var corpora, texts []string
	for k := range 20 {
		text, corpus := fmt.Sprintf("%02d.tsv", k), fmt.Sprintf("%02d.nbc", k)
		s.write(text, bytes.Join(lines[10*k:10*k+10], nil))
		s.run(0, "pack", "-q", "--names", "--min-df", "1", "-o", corpus, text)
		texts, corpora = append(texts, text), append(corpora, corpus)
	}
	for _, args := range [][]string{
		append([]string{"merge", "-q", "-o", "out"}, corpora...),
		append([]string{"pack", "-q", "-o", "out"}, texts...),
		append([]string{"train", "-q", "--bits", "12", "-o", "out"}, texts...),
		append([]string{"score", "-q", "-o", "out", "m.nbm"}, texts...),
	} {
		s.run(0, args...)
		want := s.read("out")
		cmd := s.command(args...)
		limited := exec.CommandContext(t.Context(), shell, append([]string{"-c", `ulimit -n 16 && exec "$0" "$@"`, "./nbsvm"}, args...)...)
		limited.Dir = s.folder
		if err := os.Symlink(cmd.Path, s.in("nbsvm")); err != nil && !os.IsExist(err) {
			t.Skip("no links here:", err)
		}
		if said, err := limited.CombinedOutput(); err != nil {
			t.Errorf("%v with few files: %v: %s", args[0], err, said)
		} else if !bytes.Equal(s.read("out"), want) {
			t.Errorf("%v gives other bytes with few files", args[0])
		}
	}
}
