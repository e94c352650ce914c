package container

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Format is a kind of file.
type Format struct {
	Name    string // begins errors: model
	Magic   string // 8 bytes
	Version uint32
	Other   error  // is that a file is none of this kind: not a model file
	Maker   string // writes such files: nbsvm train
	Again   string // makes a file once more: train again
}

// Sizes of parts of a file, in bytes.
const (
	headerSize = 64
	entrySize  = 32
	footerSize = 32
	footerSum  = 20 // bytes of the footer before its checksum
	nameSize   = 8
	alignment  = 64

	maxSections  = 1024
	flagOptional = 1
)

// Section is a part of a file: a section, or the table with header and footer.
type Section struct {
	Name     string `json:"name"`
	Offset   int64  `json:"offset"`
	Length   int64  `json:"length"`
	Stored   uint32 `json:"stored"`   // CRC-32C, as the file says
	Computed uint32 `json:"computed"` // CRC-32C, as it is
	Optional bool   `json:"optional"` // may be skipped by readers who do not know it
	OK       bool   `json:"ok"`       // unchanged, as far as it has been checked
}

// entry is a line of the table, and footer the end of a file.
type (
	entry struct {
		Name           [nameSize]byte
		Offset, Length uint64
		Sum, Flags     uint32
	}
	footer struct {
		Table, Length uint64
		TableSum, Sum uint32
		Magic         [nameSize]byte
	}
)

// CRC returns the checksum CRC-32C.
func CRC(b []byte) uint32 { return crc32.Checksum(b, osfile.Castagnoli) }

// Encode returns numbers, or structs of them, as they lie in a file.
func Encode(v any) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v) // all of fixed size
	return b
}

// Decode returns what is at the beginning of b, which is long enough.
func Decode[T any](b []byte) (v T) {
	_, _ = binary.Decode(b, binary.LittleEndian, &v)
	return v
}

// padding returns what is missing to the next multiple of alignment.
func padding(n uint64) uint64 { return -n & (alignment - 1) }

// Is reports whether data begin as files of the format do, of whatever version.
func (f *Format) Is(data []byte) bool { return bytes.HasPrefix(data, []byte(f.Magic)) }

// Table is what header, table and footer of a file say.
type Table struct {
	Sections []Section
	Own      Section // the table itself, with header and footer; its checksum stands for the whole file
}

// Read reads header, table and footer, and checks them. It does not check sections: see [Table.Check].
func (f *Format) Read(data []byte) (*Table, *Error) {
	if bad := f.checkHeader(data); bad != nil {
		return nil, bad
	}
	at := uint64(len(data) - footerSize)
	end := Decode[footer](data[at:])
	sum := sumOf(data[:headerSize], data[at:][:footerSum])
	switch {
	case end.Magic != backwards(f.Magic):
		return nil, f.Fault("FOOTER", int64(at), ErrTruncated,
			"it does not end as it should: it is cut off there, something follows it, or a program before 1.0 wrote it")
	case end.Sum != sum:
		return nil, f.Fault("FOOTER", int64(at)+footerSum, ErrChecksum, "stored %08x, computed %08x", end.Sum, sum)
	case end.Length != uint64(len(data)):
		return nil, f.Fault("FOOTER", int64(at)+8, ErrCorrupt, "the file has %d bytes and is said to have %d",
			len(data), end.Length)
	case end.Table%alignment != 0 || end.Table < headerSize || end.Table > at || (at-end.Table)%entrySize != 0 ||
		(at-end.Table)/entrySize > maxSections:
		return nil, f.Fault("FOOTER", int64(at), ErrCorrupt, "the table is said to begin at byte %d", end.Table)
	}
	own := Section{
		Name: "TABLE", Offset: int64(end.Table), Length: int64(at - end.Table), Stored: end.TableSum,
		Computed: CRC(data[end.Table:at]),
	}
	if own.OK = own.Stored == own.Computed; !own.OK {
		return nil, f.damaged(&own)
	}
	t := &Table{Own: own}
	return t, f.readTable(t, data[:at])
}

// sumOf returns the checksum of header and footer.
func sumOf(header, footer []byte) uint32 { return crc32.Update(CRC(header), osfile.Castagnoli, footer) }

// backwards returns the magic of the footer.
func backwards(magic string) (b [nameSize]byte) {
	for i := range b {
		b[i] = magic[len(magic)-1-i]
	}
	return b
}

// others are files that may be given for one another, by their first bytes.
var others = map[string]string{
	"\x89NBSVM\r\n": "a model of texts", "\x89NBSVC\r\n": "a packed corpus", "\x89NBSVT\r\n": "a model of tags",
	"\x1f\x8b": "compressed with gzip; decompress it first", "\x28\xb5\x2f\xfd": "compressed with zstd; decompress it first",
}

// checkHeader refuses what is no file of the format, and guesses what else it is.
func (f *Format) checkHeader(data []byte) *Error {
	const part = "HEADER"
	if begins := min(len(data), len(f.Magic)); begins == 0 || string(data[:begins]) != f.Magic[:begins] {
		if len(data) == 0 {
			return f.Fault(part, 0, f.Other, "it is empty")
		}
		what := fmt.Sprintf("it begins with %q", data[:min(len(data), nameSize)])
		for magic, is := range others {
			if bytes.HasPrefix(data, []byte(magic)) {
				what = "it is " + is
			}
		}
		return f.Fault(part, 0, f.Other, "%s", what)
	}
	if len(data) >= nameSize+4 {
		switch v := binary.LittleEndian.Uint32(data[nameSize:]); {
		case v > f.Version:
			return f.Fault(part, nameSize, ErrNewerVersion, "it has format version %d, and this program reads version %d",
				v, f.Version)
		case v < f.Version:
			return f.Fault(part, nameSize, ErrCorrupt, "it has format version %d, which there never was", v)
		}
	}
	if len(data) < headerSize+footerSize {
		return f.Fault(part, int64(len(data)), ErrTruncated, "it has %d bytes, fewer than header and footer", len(data))
	}
	return nil
}

// readTable decodes the table, which ends the data.
func (f *Format) readTable(t *Table, data []byte) *Error {
	const part = "TABLE"
	own := &t.Own
	end := uint64(headerSize) // of the section before, with the zeros behind it
	seen := map[string]bool{}
	for at := own.Offset; at < own.Offset+own.Length; at += entrySize {
		e := Decode[entry](data[at:])
		name := string(bytes.TrimRight(e.Name[:], "\x00"))
		switch {
		case name == "" || seen[name] || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }):
			return f.Fault(part, at, ErrCorrupt, "the name of a section is %q, which is empty, taken or not ASCII", name)
		case e.Offset != end || e.Length > math.MaxInt64 || e.Length > uint64(own.Offset)-e.Offset:
			return f.Fault(part, at+8, ErrCorrupt, "section %q is said to have %d bytes from byte %d on", name, e.Length,
				e.Offset)
		case e.Flags&^flagOptional != 0:
			return f.Fault(part, at+28, ErrCorrupt, "section %q has unknown flags, %#x", name, e.Flags)
		}
		seen[name] = true
		begin := e.Offset + e.Length
		end = begin + padding(begin)
		if len(bytes.Trim(data[begin:end], "\x00")) > 0 {
			return f.Fault(name, int64(begin), ErrCorrupt, "bytes behind it are not zero")
		}
		t.Sections = append(t.Sections, Section{
			Name: name, Offset: int64(e.Offset), Length: int64(e.Length), Stored: e.Sum,
			Optional: e.Flags&flagOptional != 0,
		})
	}
	if end != uint64(own.Offset) {
		return f.Fault(part, own.Offset, ErrCorrupt, "the sections end at byte %d", end)
	}
	return nil
}

// CheckKnown refuses sections that a reader neither knows nor may skip.
func (f *Format) CheckKnown(t *Table, known func(name string) bool) *Error {
	for i := range t.Sections {
		if s := &t.Sections[i]; !s.Optional && !known(s.Name) {
			return f.Fault(s.Name, s.Offset, ErrNewerVersion, "the file needs this section, which this program does not know")
		}
	}
	return nil
}

// Find returns the section of a name, nil if there is none.
func (t *Table) Find(name string) *Section {
	for i := range t.Sections {
		if t.Sections[i].Name == name {
			return &t.Sections[i]
		}
	}
	return nil
}

// Bytes returns a section of a file.
func (s *Section) Bytes(data []byte) []byte {
	return data[s.Offset : s.Offset+s.Length : s.Offset+s.Length]
}

// CheckAll computes the checksums of all sections, and returns an error about the first that has changed.
func (f *Format) CheckAll(t *Table, data []byte) *Error {
	par.EachItem(len(t.Sections), func(i int) { t.Sections[i].sum(data) })
	for i := range t.Sections {
		if !t.Sections[i].OK {
			return f.damaged(&t.Sections[i])
		}
	}
	return nil
}

// Check computes the checksum of a section, and returns an error if the section has changed.
func (f *Format) Check(s *Section, data []byte) *Error {
	if s.sum(data); !s.OK {
		return f.damaged(s)
	}
	return nil
}

func (s *Section) sum(data []byte) {
	s.Computed = CRC(s.Bytes(data))
	s.OK = s.Computed == s.Stored
}

func (f *Format) damaged(s *Section) *Error {
	return f.Fault(s.Name, s.Offset, ErrChecksum, "stored %08x, computed %08x over %d bytes", s.Stored, s.Computed, s.Length)
}
