package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

// claimed tells whether a run is at a file.
func claimed(t *testing.T, path string) bool {
	t.Helper()
	folder, name := filepath.Split(path)
	claims, err := filepath.Glob(filepath.Join(folder, ".claim-"+name+".*"))
	must.OK(t, err)
	return len(claims) > 0
}

// TestAppendAtOnce: of two runs that add to one corpus, the second adds to what the first has made.
func TestAppendAtOnce(t *testing.T) {
	t.Parallel()
	s := newWorkshop(t)
	cmd := s.command("pack", "--append", "-q", "-o", "all.nbc")
	for name, n := range map[string]int{"a.tsv": 40, "b.tsv": 30, "c.tsv": 20} {
		s.documents(name, n)
	}
	s.run(0, "pack", "-q", "--min-df", "1", "--ngrams", "1-2", "-o", "all.nbc", "a.tsv")
	s.run(0, "pack", "-q", "--min-df", "1", "--ngrams", "1-2", "-o", "want.nbc", "a.tsv", "b.tsv", "c.tsv")
	in, _ := started(t, cmd)
	if _, err := in.Write(s.read("b.tsv")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the first run", func() bool { return claimed(t, s.in("all.nbc")) })
	second := s.command("pack", "--append", "-o", "all.nbc", "c.tsv")
	said, err := second.StderrPipe()
	must.OK(t, err)
	must.OK(t, second.Start())
	line := make([]byte, 1000)
	n, _ := said.Read(line)
	if want := "nbsvm: waiting for another run that appends to all.nbc\n"; string(line[:n]) != want {
		t.Errorf("the second run says %q, want %q", line[:n], want)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	rest, _ := io.ReadAll(said)
	if err := second.Wait(); err != nil {
		t.Errorf("%v: %s", err, rest)
	}
	if !bytes.Equal(s.read("all.nbc"), s.read("want.nbc")) {
		t.Error("the corpus is not what packing all at once makes")
	}
	if _, left := contents(t, s.folder); len(left) > 0 {
		t.Errorf("left are %s", strings.Join(left, fmt.Sprintln()))
	}
}
