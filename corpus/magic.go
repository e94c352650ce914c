package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// magic is how files of a kind begin that need more than being read.
type magic struct {
	bytes   string
	kind    string // of compression, which open undoes
	open    func(*bufio.Reader) (io.ReadCloser, error)
	refusal string // with the path for %[1]s, if the file can't be read
	of      Format // that it is beyond doubt; with a refusal, refused if compressed
}

var magics = []magic{
	{bytes: "\x1f\x8b", kind: "gzip", open: openGzip},
	{bytes: "\x28\xb5\x2f\xfd", kind: "zstd", open: openZstd},
	{bytes: "\xff\xfe\x00\x00", refusal: utf32Refusal},
	{bytes: "\x00\x00\xfe\xff", refusal: utf32Refusal},
	{bytes: "\xff\xfe", refusal: utf16Refusal}, // with which UTF-32 begins
	{bytes: "\xfe\xff", refusal: utf16Refusal},
	{bytes: "\xfd7zXZ\x00", refusal: "is compressed with xz: decompress it first, xz -dc %[1]s | nbsvm ... -"},
	{bytes: "BZh91AY&SY", refusal: "is compressed with bzip2: decompress it first, bzip2 -dc %[1]s | nbsvm ... -"},
	{bytes: "\x04\x22\x4d\x18", refusal: "is compressed with lz4: decompress it first, lz4 -dc %[1]s | nbsvm ... -"},
	{bytes: "PK\x03\x04", refusal: zipRefusal},
	{bytes: "PK\x05\x06", refusal: zipRefusal}, // of no files
	{bytes: parquetfile.Beginning, of: Parquet, refusal: innerParquet},
	{bytes: "\x80\x04\x95", refusal: binaryRefusal}, // Python's pickle
	{bytes: "\x80\x05\x95", refusal: binaryRefusal},
	{bytes: "Obj\x01", refusal: binaryRefusal}, // Avro
	{bytes: "SQLite format 3\x00", refusal: binaryRefusal},
	{bytes: "ARROW1\x00\x00", refusal: binaryRefusal},
	{bytes: "\x89HDF\r\n\x1a\n", refusal: binaryRefusal},
	{bytes: "\x89PNG\r\n\x1a\n", refusal: binaryRefusal},
	{bytes: warcMagic, of: WARC},
	{bytes: "WARC/0.", refusal: warcRefusal},
	{
		bytes:   "version https://git-lfs.github.com/spec/",
		refusal: "is a pointer of Git LFS, not the file itself: fetch that, git lfs pull --include %[1]s",
	},
	{
		bytes:   "%PDF-",
		refusal: "is a PDF, which is binary: take its text first, pdftotext %[1]s - | nbsvm ... --format lines -",
	},
	{bytes: "\x89NBSVM", refusal: "is a model, but documents belong here: name a file of documents"},
	{bytes: "\x89NBSVC", refusal: "is a packed corpus, which has no texts to score or explain: train, cv and eval take %[1]s as a file of its own, not compressed, alone or with other packed corpora"},
}

// What several kinds are refused with.
const (
	utf32Refusal  = "is UTF-32: convert it first, iconv -f UTF-32 -t UTF-8 %[1]s | nbsvm ... -"
	utf16Refusal  = "is UTF-16: convert it first, iconv -f UTF-16 -t UTF-8 %[1]s | nbsvm ... -"
	zipRefusal    = "is a zip archive: extract it first, unzip -p %[1]s | nbsvm ... -, or if it is a workbook of Excel (xlsx), save its sheet as CSV, and if it is a document (docx), save it as text"
	warcRefusal   = "is a WARC file of a version before 1.0, which is not read: take the file anew from its source, or write its texts as JSON lines"
	binaryRefusal = "is binary, not text (file %[1]s tells what it is): export it as TSV, CSV or JSON lines first, with the program that made it, or insist with Input.Format"
)

// named returns a refusal with the path of a file, which not all have.
func named(refusal, path string) string { return strings.ReplaceAll(refusal, "%[1]s", path) }

// binaryHead returns what a file is refused with that begins with no text; empty if it may be text. Other files have many
// control characters, above all NUL bytes.
func binaryHead(data []byte) (refusal string) {
	const enough = 4 << 10
	head := data[:min(len(data), enough)]
	control := 0
	for _, c := range head {
		if c < ' ' && (c < '\t' || c > '\r') && c != '\x1b' || c == '\x7f' {
			control++
		}
	}
	switch {
	case control < 2 || 10*control < len(head):
		return ""
	case bytes.HasPrefix(data, []byte("PAR1")):
		return notParquet
	}
	return binaryRefusal
}

// zstd files may begin with skippable frames, of 16 magic numbers.
func init() {
	for k := range byte(16) {
		magics = append(magics, magic{bytes: string([]byte{0x50 + k, 0x2a, 0x4d, 0x18}), kind: "zstd", open: openZstd})
	}
}

// sniffMagic finds the kind that the data begin like; nil if like none. It asks for no more bytes than it takes to tell:
// those that follow may come only after an answer to the first.
func sniffMagic(r *bufio.Reader) (*magic, error) {
	for n := 1; ; n++ {
		head, err := r.Peek(n)
		longer := func(m magic) bool { return len(m.bytes) > n && strings.HasPrefix(m.bytes, string(head)) }
		if err == nil && slices.ContainsFunc(magics, longer) {
			continue
		}
		found := magicOf(head)
		if found != nil {
			err = nil
		}
		return found, err
	}
}

// shorterThanMagic returns the error of a file that is named as compressed, and was cut off before its first bytes say
// so. What has other bytes may be text: some programs decompress files and leave their names.
func shorterThanMagic(s *source, raw *bufio.Reader) error {
	kind := osfile.CompressionOf(s.path)
	for _, m := range magics {
		if m.kind != string(kind) {
			continue
		}
		head, err := raw.Peek(len(m.bytes))
		if err == io.EOF && strings.HasPrefix(m.bytes, string(head)) {
			return &FileError{Path: s.name, Line: 1, Damaged: true, Err: errCutOff(m.kind)}
		}
	}
	return nil
}

// checkText refuses decompressed data that begin like something that is no text.
func checkText(head []byte, name string) error {
	switch m := magicOf(head); {
	case m == nil:
		return nil
	case m.open != nil:
		return errors.New("is compressed twice: decompress it first")
	default:
		return errors.New(named(m.refusal, name))
	}
}

// magicOf returns the first kind that data begin like, of those that begin alike the longest; nil if like none.
func magicOf(head []byte) *magic {
	i := slices.IndexFunc(magics, func(m magic) bool { return bytes.HasPrefix(head, []byte(m.bytes)) })
	if i < 0 {
		return nil
	}
	return &magics[i]
}

// maxWindow is what zstd -d takes without being asked for more: level 22 and
// --long fit, --long=28 does not.
const maxWindow = 128 << 20

// damage is what is wrong with compressed data, until it is known where: see [FileError].
type damage struct{ error }

func (d damage) Unwrap() error { return d.error }

func errCutOff(kind string) error {
	return fmt.Errorf("the %s data end too early, so the file was cut off: %w", kind, io.ErrUnexpectedEOF)
}

// openZstd decodes in the reading goroutine: parsing goes on beside it anyway,
// and nothing is left behind if the reader is dropped.
func openZstd(r *bufio.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// decompressed reads what compressed data mean.
type decompressed struct {
	io.Reader // the decompressor
	kind      string
	file      *counter // of compressed bytes
	source    *source
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.damage(err)
	}
	return n, err
}

// damage returns what an error of the decompressor means, unless it comes from the file itself.
func (d *decompressed) damage(err error) error {
	switch {
	case d.file.err != nil:
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return refuse(d.source.name, fmt.Errorf("the zstd data need more than %d MiB of memory: decompress the file first, zstd --long=31 -dc %s | nbsvm ... -: %w", maxWindow>>20, d.source.word(), err))
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = errCutOff(d.kind)
	case errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch):
		err = fmt.Errorf("something that is not %s follows the %[1]s data: the file is damaged or was appended to",
			d.kind)
	default:
		err = fmt.Errorf("the %s data cannot be read: %w", d.kind, err)
	}
	return damage{err}
}
