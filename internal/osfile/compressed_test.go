package osfile

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

var kinds = []Compression{Zstd, Gzip}

// text is so many bytes of lines.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "label%d\t0.%06d\n", r.IntN(3), r.IntN(1_000_000))
	}
	return b.Bytes()[:n]
}

// pressed compresses text that is written in pieces of random sizes.
func pressed(t *testing.T, kind Compression, threads int, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewCompressor(&b, kind, threads)
	must.OK(t, err)
	for len(text) > 0 {
		k := min(len(text), 1+rand.IntN(3<<20))
		if n, err := w.Write(text[:k]); n != k || err != nil {
			t.Fatal(n, err)
		}
		text = text[k:]
	}
	must.OK(t, w.Close())
	return b.Bytes()
}

// decompressed reads what was compressed, as far as it is there.
func decompressed(t *testing.T, kind Compression, data []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	if kind == Gzip {
		r, err = stdgzip.NewReader(bytes.NewReader(data))
	} else {
		r, err = zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	}
	must.OK(t, err)
	text, err := io.ReadAll(r)
	if err != nil && err != io.ErrUnexpectedEOF {
		t.Fatal(err)
	}
	return text
}

// TestRoundTrip compares the text that comes back, and the bytes of several numbers of threads.
func TestRoundTrip(t *testing.T) {
	for _, kind := range kinds {
		sizes := []int{0, 1, 1 << 20, 9<<20 + 1}
		if must.RaceEnabled {
			sizes = []int{3<<20 + 1}
		}
		for _, n := range sizes {
			in := text(n)
			data := pressed(t, kind, 1, in)
			if got := decompressed(t, kind, data); !bytes.Equal(got, in) || len(data) == 0 {
				t.Errorf("%s, %d bytes: %d come back", kind, n, len(got))
			}
			if n > 1000 && len(data) > n/2 {
				t.Errorf("%s: %d bytes become %d", kind, n, len(data))
			}
			for _, threads := range []int{2, 5} {
				if !bytes.Equal(pressed(t, kind, threads, in), data) {
					t.Errorf("%s, %d bytes, %d threads: other bytes", kind, n, threads)
				}
			}
		}
	}
}

// full is a writer that fails after so many bytes.
type full int

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestFailure: the error of the writer below stays, and no goroutine does.
func TestFailure(t *testing.T) {
	for _, kind := range kinds {
		before := runtime.NumGoroutine()
		room := full(1000)
		w, err := NewCompressor(&room, kind, 2)
		must.OK(t, err)
		for range 5 {
			_, err = w.Write(text(4 << 20))
		}
		if !errors.Is(err, errFull) || !errors.Is(w.Close(), errFull) {
			t.Errorf("%s: %v", kind, err)
		}
		for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %d goroutines, %d before", kind, runtime.NumGoroutine(), before)
			}
		}
	}
}

// TestCutOff: what was compressed before an error does not end as a whole stream does.
func TestCutOff(t *testing.T) {
	for _, kind := range kinds {
		var b bytes.Buffer
		err := WriteCompressed(kind, 2, &b, func(w io.Writer) error {
			w.Write(text(9 << 20))
			return errFull
		})
		if err != errFull {
			t.Errorf("%s: %v", kind, err)
		}
		var r io.Reader
		if kind == Gzip {
			r, err = stdgzip.NewReader(&b)
		} else {
			r, err = zstd.NewReader(&b)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err == nil {
			t.Errorf("%s: a stream that was cut off is whole", kind)
		}
	}
}

func TestOf(t *testing.T) {
	for path, want := range map[string]Compression{"a.tsv": Uncompressed, "a.zst": Zstd, "b/a.jsonl.gz": Gzip, "zst": Uncompressed, "a.zst.tsv": Uncompressed, "": Uncompressed} {
		if got := CompressionOf(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
	if Zstd.Suffix() != ".zst" || Gzip.Suffix() != ".gz" || Uncompressed.Suffix() != "" {
		t.Error("wrong suffixes")
	}
}
