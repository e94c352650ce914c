package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// written is what a filter that lets everything pass writes of an input: headers that
// are the reader's own, and records.
func written(t require, paths []string, o Input, block, limit int) string {
	r, err := Open(from(paths, nil, o))
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer r.Close()
	r.block, r.limit = block, limit
	var b bytes.Buffer
	met := false
	for {
		chunk, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.Fatalf("%v", err)
			}
			return b.String()
		}
		if header, begins := chunk.Header(); header != nil {
			if begins && !met {
				b.Write(header)
			}
			met = true
		}
		for _, d := range chunk.Append(nil) {
			fmt.Fprintf(&b, "%d|", d.Offset) // places are those in the file
			b.Write(d.Record)
			b.WriteString(d.EOL)
		}
	}
}

type require interface{ Fatalf(string, ...any) }

// TestShardsAreTheInput: the records of all shards, one behind the other, are those of
// the whole input, for files of every kind and any number of shards.
func TestShardsAreTheInput(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom([]Format{Lines, TSV, CSV, JSONL, Auto}).Draw(t, "format")
		o := Input{Format: format, Unlabelled: true, Headers: true, MaxRecord: 20}
		line := map[Format]string{Lines: "ab", TSV: "x\tab", CSV: "x,\"a\nb\"", JSONL: `{"text":"ab"}`, Auto: "ab"}[format]
		header := map[Format]string{TSV: "id\ttext\n", CSV: "id,text\r\n"}[format]
		if format == TSV {
			o.TextField = "text"
		}
		var paths []string
		for i := range rapid.IntRange(1, 4).Draw(t, "files") {
			var b strings.Builder
			b.WriteString(rapid.SampledFrom([]string{"", bom}).Draw(t, "mark"))
			b.WriteString(header)
			for range rapid.IntRange(0, 9).Draw(t, "records") {
				b.WriteString(line)
				if format != CSV { // short, long, and too long
					b.WriteString(strings.Repeat(" ", rapid.SampledFrom([]int{0, 0, 1, 5, 30}).Draw(t, "longer")))
				}
				b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\n\n"}).Draw(t, "end"))
			}
			content := b.String()
			if rapid.Bool().Draw(t, "open end") {
				content = strings.TrimRight(content, "\r\n")
			}
			if rapid.IntRange(0, 3).Draw(t, "packed") == 0 {
				packed, err := pack([]byte(content))
				if err != nil {
					t.Fatalf("%v", err)
				}
				content = string(packed)
			}
			path := filepath.Join(folder, fmt.Sprint(i))
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatalf("%v", err)
			}
			paths = append(paths, path)
		}
		block, limit := rapid.SampledFrom([]int{1, 7, 64, chunkSize}).Draw(t, "block"), rapid.IntRange(1, 4).Draw(t, "limit")
		want := written(t, paths, o, chunkSize, chunkLimit)
		of := rapid.IntRange(1, 40).Draw(t, "shards")
		var got strings.Builder
		for k := range of {
			o.Shard = Shard{k + 1, of}
			got.WriteString(written(t, paths, o, block, limit))
		}
		if got.String() != want {
			t.Fatalf("%d shards give %q, want %q", of, got.String(), want)
		}
	})
}

// TestShardBounds: ranges follow one another, are as equal as can be, and don't
// overflow.
func TestShardBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, of := rapid.Int64Range(0, math.MaxInt64).Draw(t, "total"), rapid.IntRange(1, maxShards).Draw(t, "shards")
		number := rapid.IntRange(1, of).Draw(t, "number")
		lo, hi := Shard{number, of}.bounds(total)
		if number == 1 && lo != 0 || number == of && hi != total || hi-lo < total/int64(of) || hi-lo-total/int64(of) > 1 {
			t.Fatalf("%d of %d of %d bytes: %d to %d", number, of, total, lo, hi)
		}
		if number < of {
			if next, _ := (Shard{number + 1, of}).bounds(total); next != hi {
				t.Fatalf("the next begins at %d, not %d", next, hi)
			}
		}
	})
}

func TestShardText(t *testing.T) {
	for text, want := range map[string]Shard{"": {}, "1/1": {1, 1}, "2/13": {2, 13}, "1048576/1048576": {1 << 20, 1 << 20}} {
		var s Shard
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"0/3", "4/3", "1", "1/", "/1", "-1/3", "1/0", "1/2/3", "a/b", "1/1048577", " 1/2"} {
		var s Shard
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
	for _, s := range []Shard{{1, -1}, {0, 3}, {4, 3}} {
		if (Input{Shard: s}).Validate() == nil {
			t.Errorf("%v is valid", s)
		}
	}
}

// TestShardPlaces: lines have numbers where they are known, and errors don't make them up.
func TestShardPlaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	must.OK(t, os.WriteFile(path, []byte("{\"text\":\"a\"}\nx\n{\"text\":\"b\"}\ny\n"), 0o600))
	for number, want := range map[int]string{1: "corpus: " + path + ":2 (byte 13): ", 2: "corpus: " + path + " (byte 28): "} {
		o := Input{Format: JSONL, Unlabelled: true, Shard: Shard{number, 2}}
		all, err := readWith([]string{path}, nil, o, chunkSize, chunkLimit)
		if err != nil || len(all) != 2 {
			t.Fatalf("%d records, %v", len(all), err)
		}
		if bad := all[1].Err; bad == nil || !strings.HasPrefix(bad.Error(), want) || (all[0].Line == 0) != (number == 2) {
			t.Errorf("shard %d: %v, line %d; want %s", number, bad, all[0].Line, want)
		}
	}
}

// TestShardRefused: what has no size can't be shared out.
func TestShardRefused(t *testing.T) {
	var file *FileError
	if _, err := Open(Input{Stdin: strings.NewReader("x"), Shard: Shard{1, 2}}); !errors.As(err, &file) || !strings.Contains(err.Error(), "standard input: has no known size") {
		t.Errorf("standard input: %v", err)
	}
	if _, err := Open(Input{Paths: []string{os.DevNull}, Shard: Shard{1, 2}}); !errors.As(err, &file) || !strings.Contains(err.Error(), "has no known size") {
		t.Errorf("a device: %v", err)
	}
}
