package corpus

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func gz(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = "name"
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	return b.String()
}

func zst(t testing.TB, text string) string {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	must.OK(t, err)
	return string(e.EncodeAll([]byte(text), nil))
}

const skippable = "\x53\x2a\x4d\x18\x05\x00\x00\x00hello"

func TestCompressed(t *testing.T) {
	for name, in := range map[string]string{
		"gzip":                gz(t, "a\tb\nc\td\n"),
		"gzip, two members":   gz(t, "a\tb\nc") + gz(t, "\td\n"),
		"gzip, empty member":  gz(t, "a\tb\nc\td\n") + gz(t, ""),
		"gzip, BOM":           gz(t, bom+"a\tb\nc\td\n"),
		"zstd":                zst(t, "a\tb\nc\td\n"),
		"zstd, two frames":    zst(t, "a\tb\nc") + zst(t, "\td\n"),
		"zstd, skipped frame": skippable + zst(t, "a\tb\nc\td\n") + skippable,
	} {
		for _, o := range []Input{labelled(TSV), {}} {
			if got := brief(mustRead(t, in, o)); got != "a:b;c:d" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	for _, in := range []string{gz(t, gz(t, "a\tb\n")), zst(t, gz(t, "a\tb\n"))} {
		_, err := readString(in, Input{})
		wantFileError(t, err, "compressed twice")
	}
	_, err := readString(gz(t, "\xff\xfea\x00"), Input{})
	wantFileError(t, err, "UTF-16")
}

// TestTruncated cuts compressed files at every byte: never a silent end.
func TestTruncated(t *testing.T) {
	text := strings.Repeat("label\tsome text of some length\n", 20)
	for name, in := range map[string]string{"gzip": gz(t, text), "zstd": zst(t, text)} {
		for n := 5; n < len(in); n++ {
			all, err := readString(in[:n], labelled(TSV))
			rest := wantDamage(t, all, err, name, "cut off")
			if !errors.Is(rest.Err, io.ErrUnexpectedEOF) || rest.Offset > int64(len(text)) {
				t.Errorf("%s cut at %d: %v", name, n, rest.Err)
			}
			for _, d := range all {
				if string(d.Record) != "label\tsome text of some length" {
					t.Errorf("%s cut at %d: %q", name, n, d.Record)
				}
			}
		}
		// A second member or frame that is cut off is no end either.
		for n := 4; n < len(in); n++ {
			all, err := readString(in+in[:n], labelled(TSV))
			wantDamage(t, all, err, name)
		}
	}
	// Even of a magic number that is cut off.
	for n := 1; n < 4; n++ {
		all, err := readString(gz(t, text)+gz(t, text)[:n], labelled(TSV))
		wantDamage(t, all, err, "gzip")
		all, err = readString(zst(t, text)+zst(t, text)[:n], labelled(TSV))
		wantDamage(t, all, err, "zstd")
	}
}

func TestDamaged(t *testing.T) {
	text := strings.Repeat("label\tsome text of some length\n", 20)
	for name, in := range map[string]string{
		"gzip, bad checksum":     gz(t, text)[:len(gz(t, text))-8] + "\x00\x00\x00\x00" + gz(t, text)[len(gz(t, text))-4:],
		"gzip, garbage behind":   gz(t, text) + "garbage",
		"gzip, half a magic":     gz(t, text) + "\x1fgarbage that is long enough",
		"gzip, bad header":       "\x1f\x8b\x07 and so on, and so on",
		"zstd, garbage behind":   zst(t, text) + "garbage",
		"zstd, reserved bit":     "\x28\xb5\x2f\xfd\x08\x00\x00\x00",
		"zstd, bad block":        "\x28\xb5\x2f\xfd\x00\x00\xff\xff\xff",
		"zstd, skipped too much": "\x53\x2a\x4d\x18\xff\xff\xff\xffhello",
	} {
		all, err := readString(in, labelled(TSV))
		rest := wantDamage(t, all, err, name[:4])
		if strings.Contains(name, "behind") && rest.Offset != int64(len(text)) {
			t.Errorf("%s: error at %d, want %d", name, rest.Offset, len(text))
		}
	}
}

// TestDamagedAmongOthers: what a damaged file still has comes, then an error that names it, however the files are read,
// whatever becomes of bad records, and in the shard that the file is of.
func TestDamagedAmongOthers(t *testing.T) {
	text := strings.Repeat("label\tsome text of some length\n", 3000)
	ofNoise := noise(text)
	for name, damaged := range map[string]string{
		"gzip, cut off":        gz(t, ofNoise)[:20_000],
		"gzip, in the header":  gz(t, text)[:4],
		"gzip, nothing but":    "\x1f\x8b",
		"gzip, garbage behind": gz(t, text) + "garbage",
		"zstd, cut off":        zst(t, ofNoise)[:25_000],
		"zstd, in the header":  zst(t, text)[:5],
		"zstd, bad block":      zst(t, text) + "\x28\xb5\x2f\xfd\x00\x00\xff\xff\xff",
		"zstd, of a header":    zst(t, "label\ttext\n")[:10],
	} {
		for _, o := range []Input{labelled(TSV), unlabelled(Auto), {Unlabelled: true, Headers: true, TextField: "text"}} {
			if o.TextField != "" && name != "zstd, of a header" {
				continue
			}
			paths := []string{writeFile(t, "a.tsv", "label\ttext\n"), writeFile(t, "damaged", damaged), writeFile(t, "b.tsv", "label\ttext\nx\ty\n")}
			want, err := readWith(paths, nil, o, chunkSize, chunkLimit)
			place := wantDamage(t, want, err, name[:4], paths[1])
			got, err := readWith(paths, nil, o, 100, 7)
			if again := wantDamage(t, got, err, paths[1]); len(got) != len(want) || again.Line > place.Line+1 {
				t.Errorf("%s: in small chunks there are %d documents of %d, %v", name, len(got), len(want), err)
			}
		}
	}
}

// peakHeap runs fn with a strict garbage collector and returns by how much the
// heap grew at most, sampled whenever tick is called.
func peakHeap(fn func(tick func())) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, peak := m.HeapAlloc, uint64(0)
	fn(func() {
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > base {
			peak = max(peak, m.HeapAlloc-base)
		}
	})
	return peak
}

// TestZstdWindow: nine bytes that ask for half a gigabyte do not get it.
func TestZstdWindow(t *testing.T) {
	// Frame header: window of 2^(10+19) bytes, no content size; one empty block.
	huge := "\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00"
	// Single segment of 4 GiB - 1.
	single := "\x28\xb5\x2f\xfd\xa0\xff\xff\xff\xff\x01\x00\x00"
	for _, in := range []string{huge, single} {
		peak := peakHeap(func(tick func()) {
			_, err := readString(in, labelled(TSV))
			tick()
			wantFileError(t, err, "more than 128 MiB", "zstd --long=31 -dc")
		})
		if peak > 8<<20 {
			t.Errorf("refusing a window took %d bytes", peak)
		}
	}
	// What zstd -22 and --long write must be read: a window of 128 MiB.
	allowed := "\x28\xb5\x2f\xfd\x00\x88" + "\x21\x00\x00" + "a\tb\n" // one raw block of 4 bytes
	if all, err := readString(allowed, labelled(TSV)); err != nil || len(all) != 1 {
		t.Errorf("a window of 128 MiB: %d documents, %v", len(all), err)
	}
}
