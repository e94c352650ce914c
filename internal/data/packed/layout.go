package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

const (
	magic      = "\x89NBSVC\r\n"
	endMagic   = "\r\nCVSBN\x89"
	version    = 1
	headerSize = 64
	footerSize = 64
	lineSize   = 32 // of the table
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
	Name           string
	Offset, Length int64
	CRC            uint32
}

// header is how a file begins, footer how it ends; line is a section in the table.
type (
	header struct {
		Magic   [8]byte
		Version uint32
		Kind    Values
		_       [44]byte
		CRC     uint32 // of what stands before it
	}
	footer struct {
		Table, Length uint64 // where the table begins, and where the file ends
		Totals
		TableCRC uint32
		CRC      uint32 // of what stands before it
		Magic    [8]byte
	}
	line struct {
		Name           [8]byte
		Offset, Length int64
		CRC            uint32
		_              uint32
	}
)

// Totals are numbers of a whole corpus.
type Totals struct {
	Documents uint64
	Entries   uint64 // of all rows
	Columns   uint64
	Distinct  uint64 // keys that documents had, those of rare ones included, which have no column
}

func crc(b []byte) uint32 { return crc32.Checksum(b, osfile.Castagnoli) }

// padding returns what is missing to the next multiple of alignment.
func padding(n uint64) uint64 { return -n & (alignment - 1) }

// encode gives numbers, or structs of them, as they lie in a file, and decode reads one that is at the beginning of b.
func encode(v any) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v) // all of fixed size
	return b
}

func decode[T any](b []byte) (v T) {
	_, _ = binary.Decode(b, binary.LittleEndian, &v) // b is long enough
	return v
}

func encodeHeader(kind Values) []byte {
	h := header{Magic: [8]byte([]byte(magic)), Version: version, Kind: kind}
	h.CRC = crc(encode(h)[:headerSize-4])
	return encode(h)
}

func (f footer) encode() []byte {
	f.Magic = [8]byte([]byte(endMagic))
	f.CRC = crc(encode(f)[:footerSize-12])
	return encode(f)
}

func encodeTable(sections []Section) []byte {
	lines := make([]line, len(sections))
	for i, s := range sections {
		lines[i] = line{Offset: s.Offset, Length: s.Length, CRC: s.CRC}
		copy(lines[i].Name[:], s.Name)
	}
	return encode(lines)
}

// Is reports whether a file that begins so is a packed corpus, of whatever version.
func Is(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(magic)) }

// parseHeader returns what values the rows have.
func parseHeader(data []byte) (Values, *fileError) {
	const part = "HEADER"
	var start [headerSize]byte // zeros follow data that are too short
	copy(start[:], data)
	h, computed := decode[header](start[:]), crc(start[:headerSize-4])
	switch {
	case !Is(data):
		return 0, fault(part, 0, notCorpus, "it begins with %q", data[:min(len(data), 8)])
	case h.Version > version:
		return 0, fault(part, 8, newerVersion,
			"it has format version %d, and this program reads versions up to %d", h.Version, version)
	case len(data) < headerSize+footerSize:
		return 0, fault(part, int64(len(data)), truncated, "it has %d bytes, fewer than header and footer", len(data))
	case h.Version < 1:
		return 0, fault(part, 8, corrupt, "it has format version %d, which there never was", h.Version)
	case h.CRC != computed:
		return 0, fault(part, headerSize-4, badChecksum, "stored %08x, computed %08x", h.CRC, computed)
	case h.Kind > Floats:
		return 0, fault(part, 12, corrupt, "rows have values of kind %d, which there is not", h.Kind)
	}
	return h.Kind, nil
}

// parseFooter decodes the footer of a file of known header.
func parseFooter(data []byte, kind Values) (*footer, *fileError) {
	const part = "FOOTER"
	at := int64(len(data) - footerSize)
	f, computed := decode[footer](data[at:]), crc(data[at:][:footerSize-12])
	end := uint64(at)
	switch {
	case string(f.Magic[:]) != endMagic:
		return nil, fault(part, at+56, truncated, "it does not end as packed corpora do")
	case f.CRC != computed:
		return nil, fault(part, at+52, badChecksum, "stored %08x, computed %08x", f.CRC, computed)
	case f.Length != uint64(len(data)):
		return nil, fault(part, at+8, corrupt, "the file has %d bytes and is said to have %d", len(data), f.Length)
	case f.Table%alignment != 0 || f.Table < headerSize || f.Table > end || (end-f.Table)%lineSize != 0:
		return nil, fault(part, at, corrupt, "the table is said to begin at byte %d", f.Table)
	case f.Documents > f.Table || f.Entries > kind.mostEntries(f.Table): // a row takes a byte or more
		return nil, fault(part, at+16, corrupt,
			"it has %d documents and %d entries in %d bytes", f.Documents, f.Entries, f.Table)
	case f.Documents > math.MaxInt32:
		return nil, fault(part, at+16, corrupt, "it has %d documents, more than %d", f.Documents, math.MaxInt32)
	case f.Columns > math.MaxInt32 || f.Columns > f.Distinct:
		return nil, fault(part, at+32, corrupt, "it has %d columns of %d keys", f.Columns, f.Distinct)
	}
	if computed := crc(data[f.Table:at]); computed != f.TableCRC {
		return nil, fault("TABLE", int64(f.Table), badChecksum, "stored %08x, computed %08x", f.TableCRC, computed)
	}
	return &f, nil
}

// parseTable decodes the table: sections follow each other up to it, with zeros between them.
func (f *footer) parseTable(data []byte) ([]Section, *fileError) {
	const part = "TABLE"
	sections := make([]Section, (uint64(len(data))-footerSize-f.Table)/lineSize)
	end := uint64(0) // of the section before, with the zeros behind it
	for i := range sections {
		where := f.Table + lineSize*uint64(i)
		l := decode[line](data[where:])
		s := Section{string(bytes.TrimRight(l.Name[:], "\x00")), l.Offset, l.Length, l.CRC}
		offset, length := uint64(s.Offset), uint64(s.Length)
		if offset%alignment != 0 || offset < headerSize || offset > f.Table || length > f.Table-offset || i > 0 &&
			offset != end {
			return nil, fault(part, int64(where), corrupt,
				"section %q is said to have %d bytes from byte %d on", s.Name, length, offset)
		}
		at := offset + length
		if end = at + padding(at); string(data[at:end]) != string(make([]byte, end-at)) {
			return nil, fault(s.Name, int64(at), corrupt, "bytes behind it are not zero")
		}
		sections[i] = s
	}
	if end != f.Table {
		return nil, fault(part, int64(f.Table), corrupt, "the sections end at byte %d", end)
	}
	return sections, nil
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
