package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
)

// madeCorpus writes a packed corpus of one word a document, by hand; change may spoil what is beside the rows.
func madeCorpus(t *testing.T, documents, labels int, change func(h *packed.Head, keys []uint64, m *dataset.Meta)) string {
	t.Helper()
	text := hashing.DefaultOptions()
	text.Bits = 0
	m := &dataset.Meta{Source: "text", Text: text, MinDF: 1, Multi: true, Entries: int64(documents) + 1}
	h := &packed.Head{Runs: []packed.Run{{Frequency: uint64(documents), Columns: 1}, {Frequency: 1, Columns: 1}}, Distinct: 2}
	for k := range labels {
		set := roaring.New()
		set.AddRange(0, uint64(documents))
		set.Remove(uint32(k % documents))
		h.Labels, h.Sets = append(h.Labels, fmt.Sprintf("l%05d", k)), append(h.Sets, set)
	}
	keys := []uint64{7 << 40, 9 << 40}
	if change != nil {
		change(h, keys, m)
	}
	var err error
	if h.Meta, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := packed.NewWriter(&b, packed.Binary)
	if err != nil {
		t.Fatal(err)
	}
	for i := range documents {
		rows, columns := packed.NewEncoded(), []uint32{0}
		if i == 0 {
			columns = []uint32{0, 1}
		}
		rows.Append(packed.Binary, columns, nil)
		if err := w.Append(rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(h, keys); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "made.nbc")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// invoke runs a command.
func invoke(ctx context.Context, args ...string) (code int, said string) {
	var stderr bytes.Buffer
	code = run(ctx, args, streams{strings.NewReader(""), io.Discard, &stderr})
	return code, stderr.String()
}

// TestKeyTwice: a key that stands in two runs is found by verify and merge, and does no harm to others.
func TestKeyTwice(t *testing.T) {
	path := madeCorpus(t, 20, 3, func(_ *packed.Head, keys []uint64, _ *dataset.Meta) { keys[1] = keys[0] })
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"verify", path},
		{"merge", "-q", "-o", out, path, path},
	} {
		if code, said := invoke(t.Context(), args...); code != exitFailed || !strings.Contains(said, path+": KEYS at byte ") {
			t.Errorf("%v: exit code %d: %s", args, code, said)
		}
	}
	for _, args := range [][]string{
		{"train", "-q", "--bits", "10", "-o", out, path},
		{"train", "-q", "--bits", "10", "--model", "mnb", "-o", out, path},
		{"train", "-q", "--bits", "10", "--memory", "34MiB", "-o", out, path},
		{"cv", "--folds", "2", "--bits", "10", path},
		{"export", "--output-format", "svmlight", "-o", out, path},
	} {
		if code, said := invoke(t.Context(), args...); code != exitDone && code != exitFailed {
			t.Errorf("%v: exit code %d: %s", args, code, said)
		}
	}
}

// TestManyLabels: what takes long because documents have many labels ends within a second of an interrupt.
func TestManyLabels(t *testing.T) {
	documents := 1 << 17
	if quick() {
		documents = 1 << 15
	}
	path := madeCorpus(t, documents, 900, nil)
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"train", "-q", "--bits", "10", "-o", out, path},
		{"train", "-q", "--bits", "10", "--model", "mnb", "-o", out, path},
		{"cv", "--folds", "2", "--bits", "10", path},
		{"export", "--output-format", "svmlight", "-o", out, path},
		{"merge", "-q", "-o", out, path, path},
		{"verify", path},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var stopped time.Time
		time.AfterFunc(300*time.Millisecond, func() {
			stopped = time.Now()
			cancel()
		})
		code, said := invoke(ctx, args...)
		if code != exitDone && time.Since(stopped) > 3*time.Second { // a machine may be busy
			t.Errorf("%v: it ended %v after the interrupt, with code %d: %s", args, time.Since(stopped), code, said)
		}
		t.Logf("%s: exit code %d", args[0], code)
		cancel()
	}
	path = madeCorpus(t, 1<<16, 300, nil)
	if code, said := invoke(t.Context(), "verify", path); code != exitDone {
		t.Errorf("%s", said)
	}
}

// TestLabelsOfOneRecord: they take time that grows with their number, not with its square.
func TestLabelsOfOneRecord(t *testing.T) {
	folder := t.TempDir()
	labels := make([]string, 200_000)
	for k := range labels {
		labels[k] = fmt.Sprint("l", k%60_000)
	}
	path := filepath.Join(folder, "one.tsv")
	if err := os.WriteFile(path, []byte("l1\tother text\n"+strings.Join(labels, ",")+"\tsome text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if code, said := invoke(t.Context(), "pack", "-q", "--allow-many-classes", "--format", "tsv", "--label-sep", ",", "-o", filepath.Join(folder, "out.nbc"), path); code != exitDone {
		t.Fatal(said)
	}
	if took := time.Since(start); took > 5*time.Second && !raceEnabled {
		t.Errorf("it took %v", took)
	}
}
