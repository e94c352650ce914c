package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// blocks are what the program hands on of a file, through the pipe alone if there is no shared memory.
func blocks(t *testing.T, path string, shared *recordstream.Shared) (all []string) {
	t.Helper()
	c := exec.Command(filepath.Join(programs, "nbsvm-parquet"), "records", "--max-record=1000000", path)
	c.Stderr = os.Stderr
	keep, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if shared != nil {
		c.Env = os.Environ()
		shared.Hand(&c.ExtraFiles, &c.Env)
		defer shared.Close()
		defer shared.Handed()
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait() // which fails if a test has ended early
	defer keep.Close()
	raw := bufio.NewReader(out)
	if err := recordstream.ReadMagic(raw); err != nil {
		t.Fatal(err)
	}
	r := recordstream.NewReader(raw, shared, keep)
	for {
		is, payload, err := r.Frame(func(n int) []byte { return make([]byte, n) })
		switch {
		case err != nil:
			t.Fatal(err)
		case is == recordstream.End:
			return all
		case is != recordstream.Block:
			t.Fatalf("a frame %q: %s", is, payload)
		}
		all = append(all, string(payload))
	}
}

// TestRecords: blocks are the same through the pipe and in shared memory, also of texts longer than a slot.
func TestRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	rows := reviews(50_000)
	for _, i := range []int{7, 2000, 2001, 4999} {
		long := make([]byte, 500_000+i)
		for k := range long {
			long[k] = "abc de"[(k+i)%6]
		}
		rows[i].Text = string(long)
	}
	writeParquet(t, path, rows, 10_000)
	piped := blocks(t, path, nil)
	if len(piped) < 10 {
		t.Fatalf("%d blocks are too few to try anything", len(piped))
	}
	shared, err := recordstream.Share()
	if err != nil {
		t.Skip("no shared memory: ", err)
	}
	got := blocks(t, path, shared)
	if len(got) != len(piped) {
		t.Fatalf("%d blocks in shared memory, %d through the pipe", len(got), len(piped))
	}
	for i := range got {
		if got[i] != piped[i] {
			t.Fatalf("block %d differs", i)
		}
	}
}
