package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// plainly decompresses what a name says is compressed.
func plainly(t *testing.T, name string, data []byte) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(data)
	var err error
	switch filepath.Ext(name) {
	case ".zst":
		r, err = zstd.NewReader(r)
	case ".gz":
		r, err = gzip.NewReader(r)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(text)
}

// TestCompressedOutputs: text goes to files as their names say, or as --compress does; it is
// the text of the plain file, and the bytes are the same for any number of threads.
func TestCompressedOutputs(t *testing.T) {
	t.Parallel()
	s := withModel(t)
	var text, table bytes.Buffer
	table.WriteString("text,label\n")
	usual := 3_000
	if must.RaceEnabled {
		usual = 500
	}
	documents := amount("NBSVM_ROWS", usual)
	for i := range documents {
		label, words := document(i, 2)
		fmt.Fprintf(&text, "%s\t%s\n", label, words)
		fmt.Fprintf(&table, "%s,%s\n", words, label)
	}
	text.WriteString("no label\n")
	for name, content := range map[string][]byte{"t.tsv": text.Bytes(), "t.csv": table.Bytes()} {
		s.write(name, content)
	}
	s.run(0, "pack", "-q", "--min-df", "1", "--ngrams", "1-2", "--on-bad", "skip", "-o", "c.nbc", "t.csv")
	for _, args := range [][]string{
		{"score", "--format", "lines", "m.nbm", "t.tsv"},
		{"score", "--text-field", "text", "--where", "margin < 0 or margin >= 0", "m.nbm", "t.csv"},
		{"export", "m.nbm"},
		{"bench", "gen", "--documents", "20000"},
	} {
		s.run(0, append(args, "-q", "-o", "plain")...)
		want := string(s.read("plain"))
		if args[1] == "--text-field" && want != table.String() {
			t.Errorf("%v: not the whole table", args)
		}
		for _, test := range []struct{ name, file, how string }{
			{".zst", "out.zst", "auto"},
			{".gz", "out.gz", "auto"},
			{".zst", "other.gz", "zstd"},
			{"", "plain.zst", "none"},
		} {
			s.run(0, append(args, "-q", "--threads", "1", "-o", test.file, "--compress", test.how)...)
			data := s.read(test.file)
			if got := plainly(t, test.name, data); got != want {
				t.Errorf("%v %v: %d bytes of text, want %d", args, test, len(got), len(want))
			}
			if test.file != "out.zst" {
				continue
			}
			again, err := s.command(append(args, "--threads", "2", "-o", "-", "--compress", "zstd")...).Output()
			if err != nil || !bytes.Equal(again, data) {
				t.Errorf("%v: standard output has %d other bytes, want %d; %v", args, len(again), len(data), err)
			}
		}
	}

	// The quarantine and the rejects, by their names.
	s.run(3, "train", "-q", "--bits", "12", "--min-df", "1", "-o", "n.nbm", "--on-bad", "quarantine=bad.gz", "t.tsv")
	if got := plainly(t, "bad.gz", s.read("bad.gz")); got != "no label\n" {
		t.Errorf("in quarantine: %q", got)
	}
	s.run(0, "train", "-q", "--bits", "12", "-o", "n.nbm", "--on-bad", "quarantine=bad.zst", "t.csv")
	if got := plainly(t, "bad.zst", s.read("bad.zst")); got != "" {
		t.Errorf("in quarantine: %q", got)
	}
	s.run(0, "score", "-q", "--text-field", "text", "--where", "margin > 0", "-o", "good.zst", "--rejects", "others.gz", "m.nbm", "t.csv")
	kept, others := plainly(t, ".zst", s.read("good.zst")), plainly(t, ".gz", s.read("others.gz"))
	all := []string{"score", "-q", "--text-field", "text", "--where", "margin < 0 or margin >= 0"}
	s.run(0, append(all, "-o", "all.csv.zst", "m.nbm", "t.csv")...)
	for name, how := range map[string]string{"all.csv.zst": "auto", "all.csv.gz": "gzip", "all.csv": "none"} {
		s.run(0, append(all, "--out-dir", "dir-"+how, "--compress", how, "m.nbm", "all.csv.zst")...)
		if got := plainly(t, name, s.read(filepath.Join("dir-"+how, name))); got != table.String() {
			t.Errorf("--out-dir: %s has %d bytes of text, want %d", name, len(got), table.Len())
		}
	}
	if strings.Count(kept, "\n")+strings.Count(others, "\n") != documents+2 {
		t.Errorf("%d bytes pass, %d do not", len(kept), len(others))
	}
}
