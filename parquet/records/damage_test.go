package records

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// small is a small file with everything that is read: dictionaries, nulls, lists, several row groups.
func small(t testing.TB, options ...parquet.WriterOption) []byte {
	return write(t, rows(40), 15, append([]parquet.WriterOption{parquet.KeyValueMetadata("huggingface", classLabels)}, options...)...)
}

// all asks for something of every column.
var all = Options{Label: "tags", Weight: "weight", Keep: []string{"label", "maybe", "coded", "lang", "stars", "meta.url", "meta.size", "at", "good"}, MaxValue: 1 << 20}

// try reads a file that may hold anything, and tells how many rows could be read. A panic would end the test.
func try(data []byte) (rows int, err error) {
	f, err := OpenAt(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return 0, err
	}
	f.Columns()
	got, err := read(f, all)
	return len(got), err
}

// TestTruncated: every beginning of a file but the whole is an error.
func TestTruncated(t *testing.T) {
	data := small(t)
	step := 1
	if testing.Short() {
		step = 13
	}
	for n := 0; n < len(data); n += step {
		if rows, err := try(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes give %d rows", n, len(data), rows)
		}
	}
}

// TestMutants: files with bytes changed are an error, or give rows, in every codec and version.
func TestMutants(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 60
	}
	r := rand.New(rand.NewPCG(7, 11))
	for _, options := range [][]parquet.WriterOption{
		{parquet.Compression(&parquet.Uncompressed)},
		{parquet.Compression(&parquet.Uncompressed), parquet.DataPageVersion(1)},
		{parquet.Compression(&parquet.Snappy)},
		{parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)},
		{parquet.Compression(&parquet.Gzip)},
		{parquet.Compression(&parquet.Brotli)},
		{parquet.Compression(&parquet.Lz4Raw)},
	} {
		data := small(t, options...)
		failed := 0
		for range n {
			mutant := bytes.Clone(data)
			for range 1 + r.IntN(4) {
				at := r.IntN(len(mutant))
				switch r.IntN(3) {
				case 0:
					mutant[at] ^= 1 << r.IntN(8)
				case 1:
					mutant[at] = byte(r.Uint32())
				default:
					for i := range mutant[at:min(at+1+r.IntN(8), len(mutant))] {
						mutant[at+i] = []byte{0, 0xff, 0x7f, 0x80}[r.IntN(4)]
					}
				}
			}
			if _, err := try(mutant); err != nil {
				failed++
			}
		}
		if failed == 0 {
			t.Error("no mutant is an error")
		}
	}
}

// FuzzFile reads any bytes.
func FuzzFile(f *testing.F) {
	f.Add(small(f))
	f.Add(small(f, parquet.DataPageVersion(1), parquet.Compression(&parquet.Snappy)))
	f.Add(small(f, parquet.Compression(&parquet.Zstd)))
	f.Fuzz(func(t *testing.T, data []byte) { try(data) })
}
