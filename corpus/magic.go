package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// magic is how files of a kind begin that need more than being read.
type magic struct {
	bytes   string
	open    func(*source, *bufio.Reader) error // nil if refused
	refusal string                             // with the path for %[1]s
}

var magics = []magic{
	{bytes: "\x1f\x8b", open: openGzip},
	{bytes: "\x28\xb5\x2f\xfd", open: openZstd},
	{bytes: "\xff\xfe", refusal: utf16Refusal},
	{bytes: "\xfe\xff", refusal: utf16Refusal},
	{bytes: "\xfd7zXZ\x00", refusal: "is compressed with xz: decompress it first, xz -dc %[1]s | nbsvm ... -"},
	{bytes: "BZh91AY&SY", refusal: "is compressed with bzip2: decompress it first, bzip2 -dc %[1]s | nbsvm ... -"},
	{bytes: "PK\x03\x04", refusal: "is a zip archive: extract it first, unzip -p %[1]s | nbsvm ... -"},
	{bytes: "PAR1\x15", refusal: "is a Parquet file: convert %[1]s to CSV or JSON lines first"},
	{bytes: "\x89NBSVM", refusal: "is a model: name %[1]s as the model, and a file of documents as the input"},
	{bytes: "\x89NBSVC", refusal: "is a packed corpus, which has no texts to score or explain: train, cv and eval take %[1]s if it is a file, and the only one"},
}

const utf16Refusal = "is UTF-16: convert it first, iconv -f UTF-16 -t UTF-8 %[1]s"

// zstd files may begin with skippable frames, of 16 magic numbers.
func init() {
	for k := range byte(16) {
		magics = append(magics, magic{bytes: string([]byte{0x50 + k, 0x2a, 0x4d, 0x18}), open: openZstd})
	}
}

// sniffMagic finds the kind that the data begin like; nil if like none. It asks
// for no more bytes than it takes to tell: those that follow may come only after
// an answer to the first.
func sniffMagic(r *bufio.Reader) (*magic, error) {
	for n := 1; ; n++ {
		head, err := r.Peek(n)
		possible := false
		for i := range magics {
			m := &magics[i]
			if bytes.HasPrefix(head, []byte(m.bytes)) {
				return m, nil
			}
			possible = possible || bytes.HasPrefix([]byte(m.bytes), head)
		}
		if err != nil || !possible {
			return nil, err
		}
	}
}

// checkText refuses decompressed data that begin like something that is no text.
func checkText(head []byte, name string) error {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			if m.open != nil {
				return errors.New("is compressed twice: decompress it first")
			}
			return fmt.Errorf(m.refusal, name)
		}
	}
	return nil
}

// errGarbage tells data that follow compressed data and are not compressed.
func errGarbage(kind string) error {
	return fmt.Errorf("something that is not %s follows the %s data: the file is damaged, or was appended to", kind, kind)
}

// damaged words the errors of decompressors; those of the file below stay.
func damaged(kind string, err error) error {
	if err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the %s data end too early, the file is cut off: %w", kind, err)
	}
	return fmt.Errorf("the %s data cannot be read: %w", kind, err)
}
