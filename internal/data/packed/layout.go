package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
)

const (
	magic      = "\x89NBSVC\r\n"
	endMagic   = "\r\nCVSBN\x89"
	version    = 1
	headerSize = 64
	footerSize = 64
	lineSize   = 32 // of the table
	nameSize   = 8
	blockSize  = 40 // of a line of BLOCKS
	alignment  = 64
)

// The sections.
const (
	metaName    = "META"
	labelsName  = "LABELS"
	setsName    = "SETS"
	weightsName = "WEIGHTS"
	keysName    = "KEYS"
	runsName    = "RUNS"
	namesName   = "NAMES"
	blocksName  = "BLOCKS"
)

// Section is a part of a file outside its blocks.
type Section struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	CRC    uint32 `json:"crc"` // CRC-32C
}

// footer is what the last bytes of a file say.
type footer struct {
	table    uint64
	length   uint64
	totals   Totals
	tableCRC uint32
}

// Totals are numbers of a whole corpus.
type Totals struct {
	Documents uint64
	Entries   uint64 // of all rows
	Columns   uint64
	Distinct  uint64 // keys that documents had, those of rare ones included, which have no column
}

func crc(b []byte) uint32 { return crc32.Checksum(b, checksum.Castagnoli) }

// padding is what is missing to the next multiple of alignment.
func padding(n uint64) uint64 { return -n & (alignment - 1) }

func appendHeader(dst []byte, kind Values) []byte {
	start := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint32(dst, version)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(kind))
	dst = append(dst, make([]byte, 44)...)
	return binary.LittleEndian.AppendUint32(dst, crc(dst[start:]))
}

func (f *footer) append(dst []byte) []byte {
	le, start := binary.LittleEndian, len(dst)
	t := &f.totals
	for _, v := range [...]uint64{f.table, f.length, t.Documents, t.Entries, t.Columns, t.Distinct} {
		dst = le.AppendUint64(dst, v)
	}
	dst = le.AppendUint32(dst, f.tableCRC)
	dst = le.AppendUint32(dst, crc(dst[start:]))
	return append(dst, endMagic...)
}

func appendTable(dst []byte, sections []Section) []byte {
	le := binary.LittleEndian
	for _, s := range sections {
		dst = append(dst, s.Name...)
		dst = append(dst, make([]byte, nameSize-len(s.Name))...)
		dst = le.AppendUint64(dst, uint64(s.Offset))
		dst = le.AppendUint64(dst, uint64(s.Length))
		dst = le.AppendUint32(dst, s.CRC)
		dst = le.AppendUint32(dst, 0)
	}
	return dst
}

// Is says whether a file that begins so is a packed corpus, of whatever version.
func Is(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(magic)) }

// parseHeader tells what values the rows have.
func parseHeader(data []byte) (Values, *fileError) {
	const part = "HEADER"
	if !Is(data) {
		if len(data) > 0 && len(data) < len(magic) && string(data) == magic[:len(data)] {
			return 0, fault(part, int64(len(data)), truncated, "it ends within the header")
		}
		return 0, fault(part, 0, notCorpus, "it begins with %q", data[:min(len(data), 8)])
	}
	le := binary.LittleEndian
	if len(data) >= 12 {
		if v := le.Uint32(data[8:]); v > version {
			return 0, fault(part, 8, newerVersion,
				"it has format version %d, and this program reads versions up to %d", v, version)
		} else if v < 1 {
			return 0, fault(part, 8, corrupt, "it has format version %d, which there never was", v)
		}
	}
	if len(data) < headerSize+footerSize {
		return 0, fault(part, int64(len(data)), truncated, "it has %d bytes, fewer than header and footer", len(data))
	}
	if stored, computed := le.Uint32(data[60:]), crc(data[:60]); stored != computed {
		return 0, fault(part, 60, badChecksum, "stored %08x, computed %08x", stored, computed)
	}
	kind := Values(le.Uint32(data[12:]))
	if kind > Floats {
		return 0, fault(part, 12, corrupt, "rows have values of kind %d, which there is not", kind)
	}
	return kind, nil
}

// parseFooter decodes the footer of a file of known header.
func parseFooter(data []byte, kind Values) (*footer, *fileError) {
	const part = "FOOTER"
	le := binary.LittleEndian
	at := int64(len(data) - footerSize)
	b := data[at:]
	if string(b[56:]) != endMagic {
		return nil, fault(part, at+56, truncated, "it does not end as packed corpora do")
	}
	if stored, computed := le.Uint32(b[52:]), crc(b[:52]); stored != computed {
		return nil, fault(part, at+52, badChecksum, "stored %08x, computed %08x", stored, computed)
	}
	f := &footer{
		table: le.Uint64(b), length: le.Uint64(b[8:]), tableCRC: le.Uint32(b[48:]),
		totals: Totals{le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:]), le.Uint64(b[40:])},
	}
	switch {
	case f.length != uint64(len(data)):
		return nil, fault(part, at+8, corrupt, "the file has %d bytes and is said to have %d", len(data), f.length)
	case f.table%alignment != 0 || f.table < headerSize || f.table > uint64(at) || (uint64(at)-f.table)%lineSize != 0:
		return nil, fault(part, at, corrupt, "the table is said to begin at byte %d", f.table)
	case f.totals.Documents > f.table || f.totals.Entries > kind.mostEntries(f.table): // a row takes a byte or more
		return nil, fault(part, at+16, corrupt,
			"it has %d documents and %d entries in %d bytes", f.totals.Documents, f.totals.Entries, f.table)
	case f.totals.Columns > math.MaxInt32 || f.totals.Columns > f.totals.Distinct:
		return nil, fault(part, at+32, corrupt, "it has %d columns of %d keys", f.totals.Columns, f.totals.Distinct)
	}
	if computed := crc(data[f.table:at]); computed != f.tableCRC {
		return nil, fault("TABLE", int64(f.table), badChecksum, "stored %08x, computed %08x", f.tableCRC, computed)
	}
	return f, nil
}

// parseTable decodes the table: sections follow each other up to it.
func (f *footer) parseTable(data []byte) ([]Section, *fileError) {
	const part = "TABLE"
	le := binary.LittleEndian
	sections := make([]Section, (uint64(len(data))-footerSize-f.table)/lineSize)
	end := uint64(0) // of the section before
	for i := range sections {
		where := f.table + lineSize*uint64(i)
		b := data[where:]
		s := Section{
			Name:   string(bytes.TrimRight(b[:nameSize], "\x00")),
			Offset: int64(le.Uint64(b[8:])), Length: int64(le.Uint64(b[16:])), CRC: le.Uint32(b[24:]),
		}
		offset, length := uint64(s.Offset), uint64(s.Length)
		if offset%alignment != 0 || offset < headerSize || offset > f.table || length > f.table-offset ||
			i > 0 && offset != end+padding(end) {
			return nil, fault(part, int64(where), corrupt,
				"section %q is said to have %d bytes from byte %d on", s.Name, length, offset)
		}
		end = offset + length
		sections[i] = s
	}
	if end+padding(end) != f.table {
		return nil, fault(part, int64(f.table), corrupt, "the sections end at byte %d", end)
	}
	return sections, nil
}

// checkFilling makes sure that bytes behind sections are zero.
func checkFilling(data []byte, sections []Section, f *footer) *fileError {
	for i, s := range sections {
		next := int64(f.table)
		if i+1 < len(sections) {
			next = sections[i+1].Offset
		}
		for at := s.Offset + s.Length; at < next; at++ {
			if data[at] != 0 {
				return fault(s.Name, at, corrupt, "bytes behind it are not zero")
			}
		}
	}
	return nil
}

// defect is what can be wrong with a packed corpus, and what to do about it.
type defect struct{ what, advice string }

var (
	notCorpus    = defect{"not a packed corpus", "give a file that nbsvm pack has written"}
	newerVersion = defect{"of a newer format", "update nbsvm"}
	truncated    = defect{"truncated", "copy the file again, or pack again"}
	badChecksum  = defect{"checksum does not match", "the file is damaged: copy it again, or pack again"}
	corrupt      = defect{"contradicts itself", "the file is damaged, or not made by nbsvm: pack again"}
)

// fileError tells what is wrong with a packed corpus, and where.
type fileError struct {
	path   string
	part   string // HEADER, FOOTER, TABLE, BLOCK n, or the name of a section
	offset int64  // from the beginning of the file
	defect defect
	detail string
}

func (e *fileError) Error() string {
	path := ""
	if e.path != "" {
		path = e.path + ": "
	}
	return fmt.Sprintf("packed: %s%s at byte %d: %s: %s: %s",
		path, e.part, e.offset, e.defect.what, e.detail, e.defect.advice)
}

func fault(part string, offset int64, d defect, format string, args ...any) *fileError {
	return &fileError{part: part, offset: offset, defect: d, detail: fmt.Sprintf(format, args...)}
}
