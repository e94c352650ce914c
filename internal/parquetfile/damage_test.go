package parquetfile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
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

// unsealed is a file without the checksums of its pages, so that what reads changed pages gets as far as their contents
// allow. Nothing else moves: a checksum of 0, which stands for none, takes as many bytes.
func unsealed(t *testing.T, data []byte) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	must.OK(t, err)
	data = bytes.Clone(data)
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			at := column.MetaData.DataPageOffset
			if first := column.MetaData.DictionaryPageOffset; first > 0 {
				at = min(at, first)
			}
			for end := at + column.MetaData.TotalCompressedSize; at < end; {
				var header format.PageHeader
				rest := bytes.NewReader(data[at:end])
				must.OK(t, thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(rest)).Decode(&header))
				length := end - at - int64(rest.Len())
				sum := binary.AppendVarint(nil, int64(header.CRC))
				if k := bytes.Index(data[at:at+length], sum); k >= 0 {
					none := bytes.Repeat([]byte{0x80}, len(sum))
					none[len(none)-1] = 0
					copy(data[at+int64(k):], none)
				}
				at += length + int64(header.CompressedPageSize)
			}
		}
	}
	return data
}

// mutant changes bytes anywhere or in the footer, whose length stands behind it.
func mutant(r *rand.Rand, data []byte) []byte {
	const end = 8 // the length and the magic number
	b := bytes.Clone(data)
	for range 1 + r.IntN(4) {
		footer := len(b) - end - int(binary.LittleEndian.Uint32(b[len(b)-end:]))
		if footer < 0 || footer >= len(b)-end {
			return b
		}
		at := r.IntN(len(b))
		inFooter := r.IntN(2) == 0
		if inFooter {
			at = footer + r.IntN(len(b)-end-footer)
		}
		switch n := 1 + r.IntN(8); r.IntN(4) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			for i := range b[at:min(at+n, len(b))] {
				b[at+i] = []byte{0, 0xff, 0x7f, 0x80}[r.IntN(4)]
			}
		default:
			if !inFooter {
				continue
			}
			if n = min(n, len(b)-end-at); r.IntN(2) == 0 {
				b = slices.Delete(b, at, at+n)
			} else {
				b = slices.Insert(b, at, bytes.Clone(b[at:at+n])...)
			}
			binary.LittleEndian.PutUint32(b[len(b)-end:], uint32(len(b)-end-footer))
		}
	}
	return b
}

// TestLongList: a footer whose list says that it has far more elements than there are bytes takes no memory for them.
func TestLongList(t *testing.T) {
	footer := []byte{0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7} // version 1, and a schema of 2^31-1 elements
	data := append([]byte("PAR1"), footer...)
	data = append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
	testkit.ResetPeakMemory()
	before, _ := testkit.PeakMemory()
	if _, err := OpenAt(bytes.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("it says %v", err)
	}
	if after, seen := testkit.PeakMemory(); seen && after-before > 16<<20 {
		t.Errorf("it takes %s", display.Bytes(after-before))
	}
}

// TestLongPage: a page that claims to be far longer than the file is an error that names the row group, and takes no
// memory.
func TestLongPage(t *testing.T) {
	type text struct {
		Text string `parquet:"text"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[text](&b, parquet.Compression(&parquet.Zstd))
	w.Write([]text{{"x"}})
	must.OK(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must.OK(t, err)
	data := []byte("not of zstd")
	header, err := thrift.Marshal(&thrift.CompactProtocol{}, &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: 1<<31 - 1, CompressedPageSize: int32(len(data)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: 1, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
	must.OK(t, err)
	meta := *f.Metadata()
	column := &meta.RowGroups[0].Columns[0].MetaData
	column.DataPageOffset, column.DictionaryPageOffset, column.TotalCompressedSize = 4, 0, int64(len(header)+len(data))
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &meta)
	must.OK(t, err)
	file := slices.Concat([]byte("PAR1"), header, data, footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte("PAR1"))
	opened, err := OpenAt(bytes.NewReader(file), int64(len(file)))
	must.OK(t, err)
	_, err = read(opened, Options{Unlabelled: true})
	if err == nil || !strings.Contains(err.Error(), "row group 1") || !strings.Contains(err.Error(), "a page has 2147483647 bytes") {
		t.Errorf("it says %v", err)
	}
}

// mostMemory is what a file may take.
const mostMemory = 4 << 30

// TestMutants: files with bytes changed are an error, or give rows, in every codec and version, with and without
// checksums, in bounded memory. NBSVM_MUTANTS says how many of each.
func TestMutants(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	if given, err := strconv.Atoi(os.Getenv("NBSVM_MUTANTS")); err == nil {
		n = given
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mostMemory / 4 * 3))
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
		sealed := small(t, options...)
		open := unsealed(t, sealed)
		want, err := try(sealed)
		if got, openErr := try(open); err != nil || openErr != nil || got != want {
			t.Fatalf("without checksums, %d rows, %v; with them %d, %v", got, openErr, want, err)
		}
		for _, data := range [][]byte{sealed, open} {
			testkit.ResetPeakMemory()
			before, seen := testkit.PeakMemory()
			failed := 0
			for range n {
				if _, err := try(mutant(r, data)); err != nil {
					failed++
				}
			}
			if failed == 0 {
				t.Error("no mutant is an error")
			}
			after, _ := testkit.PeakMemory()
			if most := after - before; seen && most > mostMemory {
				t.Errorf("files of %d bytes take %s, want at most %s", len(data), display.Bytes(most), display.Bytes(mostMemory))
			}
			t.Logf("%d mutants, %d of them accepted; they take up to %s", n, n-failed, display.Bytes(after-before))
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
