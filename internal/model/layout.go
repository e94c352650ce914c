package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

const (
	magic       = "\x89NBSVM\r\n"
	version     = 1
	headerSize  = 64
	entrySize   = 32
	nameSize    = 8
	alignment   = 64
	maxSections = 1024

	crcAt        = 60 // of the header's checksum
	flagOptional = 1
)

// Section is one section of a model file, or its header with the section table.
type Section struct {
	Name     string `json:"name"`
	Offset   int64  `json:"offset"`
	Length   int64  `json:"length"`
	Stored   uint32 `json:"stored"`   // CRC-32C, as the file says
	Computed uint32 `json:"computed"` // CRC-32C, as it is; 0 if the section is not all there
	Optional bool   `json:"optional"` // may be skipped by readers who do not know it
	OK       bool   `json:"ok"`       // all there and unchanged
}

// header is what the first bytes of a file say.
type header struct {
	version  uint32
	length   uint64 // of the file
	universe uint64
	rows     uint64
	outputs  uint32
	sections []Section
}

// headerBytes are these bytes, and entryBytes those of a section in the table that follows.
type (
	headerBytes struct {
		Magic                                    [len(magic)]byte
		Version, HeaderLength, Sections, Outputs uint32
		Length, Universe, Rows                   uint64
		Zero                                     [12]byte
		Sum                                      uint32
	}
	entryBytes struct {
		Name           [nameSize]byte
		Offset, Length uint64
		Sum, Flags     uint32
	}
)

func padded(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// append encodes the header and the section table.
func (h *header) append(dst []byte) []byte {
	le, start := binary.LittleEndian, len(dst)
	b := headerBytes{
		[len(magic)]byte([]byte(magic)), h.version, uint32(headerSize + entrySize*len(h.sections)),
		uint32(len(h.sections)), h.outputs,
		h.length, h.universe, h.rows,
		[12]byte{},
		0,
	}
	dst, _ = binary.Append(dst, le, b) // what is of fixed size can be encoded
	for _, s := range h.sections {
		e := entryBytes{Offset: uint64(s.Offset), Length: uint64(s.Length), Sum: s.Stored}
		copy(e.Name[:], s.Name)
		if s.Optional {
			e.Flags = flagOptional
		}
		dst, _ = binary.Append(dst, le, e)
	}
	le.PutUint32(dst[start+crcAt:], headerSum(dst[start:]))
	return dst
}

// headerSum returns the checksum of header and table, without the place where it is.
func headerSum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:crcAt], osfile.Castagnoli), osfile.Castagnoli, b[headerSize:])
}

// headerError returns an error about the header.
func headerError(offset int, kind error, format string, args ...any) *fileError {
	e := at("HEADER", offset, format, args...)
	e.Kind = kind
	return e
}

// parseHeader decodes header and table, as far as these are right in themselves.
func parseHeader(data []byte) (*header, *fileError) {
	if err := checkMagic(data); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	if len(data) >= 12 {
		if v := le.Uint32(data[8:]); v > version {
			return nil, headerError(8, ErrNewerVersion,
				"it has format version %d, and this program reads versions up to %d", v, version)
		} else if v < 1 {
			return nil, headerError(8, ErrCorrupt, "format version %d does not exist", v)
		}
	}
	if len(data) < headerSize {
		return nil, headerError(len(data), ErrTruncated, "it ends within the header of %d bytes", headerSize)
	}
	var b headerBytes
	_, _ = binary.Decode(data, le, &b)
	if b.Sections > maxSections || b.HeaderLength != headerSize+entrySize*b.Sections {
		return nil, headerError(12, ErrCorrupt, "it has %d sections and %d bytes of header", b.Sections, b.HeaderLength)
	}
	if uint64(len(data)) < uint64(b.HeaderLength) {
		return nil, headerError(len(data), ErrTruncated, "it ends within the header of %d bytes", b.HeaderLength)
	}
	if computed := headerSum(data[:b.HeaderLength]); b.Sum != computed {
		return nil, headerError(crcAt, ErrChecksum, "stored %08x, computed %08x", b.Sum, computed)
	}
	if b.Zero != [12]byte{} {
		return nil, headerError(48, ErrCorrupt, "bytes that should be zero are not")
	}
	h := &header{b.Version, b.Length, b.Universe, b.Rows, b.Outputs, make([]Section, b.Sections)}
	entries := make([]entryBytes, b.Sections)
	_, _ = binary.Decode(data[headerSize:], le, entries)
	return h, h.setTable(entries)
}

// checkMagic guesses what else it is that was taken for a model.
func checkMagic(data []byte) *fileError {
	if begins := min(len(data), len(magic)); begins > 0 && string(data[:begins]) == magic[:begins] {
		return nil
	}
	detail := fmt.Sprintf("it begins with %q", data[:min(len(data), 8)])
	switch {
	case len(data) == 0:
		detail = "it is empty"
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		detail = "it is compressed with gzip; decompress it first"
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		detail = "it is compressed with zstd; decompress it first"
	}
	return headerError(0, ErrNotModel, "%s", detail)
}

// setTable takes the section table: sections follow each other without holes up to the file's length.
func (h *header) setTable(entries []entryBytes) *fileError {
	next := padded(uint64(headerSize + entrySize*len(entries)))
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		where := headerSize + entrySize*i
		name := string(bytes.TrimRight(e.Name[:], "\x00"))
		switch {
		case name == "" || seen[name] || strings.ContainsFunc(name, unprintable):
			return headerError(where, ErrCorrupt,
				"section %d of the table has the name %q, which is empty, taken or not ASCII", i, name)
		case e.Offset != next:
			return headerError(where+8, ErrCorrupt, "section %q is said to begin at byte %d, not at %d", name, e.Offset,
				next)
		case e.Length > math.MaxInt64-2*alignment-e.Offset:
			return headerError(where+16, ErrCorrupt, "section %q is said to have %d bytes", name, e.Length)
		case e.Flags&^flagOptional != 0:
			return headerError(where+28, ErrCorrupt, "section %q has unknown flags, %#x", name, e.Flags)
		}
		seen[name] = true
		next = padded(e.Offset + e.Length)
		h.sections[i] = Section{
			Name: name, Offset: int64(e.Offset), Length: int64(e.Length), Stored: e.Sum,
			Optional: e.Flags&flagOptional != 0,
		}
	}
	if next != h.length {
		return headerError(24, ErrCorrupt, "the sections end at byte %d, the file is said to end at %d", next, h.length)
	}
	return nil
}

// checkLength compares the file's length with what it should be.
func (h *header) checkLength(data []byte) *fileError {
	if n := uint64(len(data)); n < h.length {
		return headerError(len(data), ErrTruncated, "the file has %d bytes of %d", n, h.length)
	} else if n > h.length {
		return headerError(int(h.length), ErrCorrupt, "%s past the end", display.Some(int64(n-h.length), "byte"))
	}
	return nil
}

// checkFilling finds out whether the bytes between sections are zero.
func (h *header) checkFilling(data []byte) *fileError {
	end := headerSize + entrySize*len(h.sections)
	for _, s := range append(h.sections[:len(h.sections):len(h.sections)], Section{Offset: int64(len(data))}) {
		if len(bytes.Trim(data[end:s.Offset], "\x00")) > 0 {
			return headerError(end, ErrCorrupt, "bytes between sections are not zero")
		}
		end = int(s.Offset + s.Length)
	}
	return nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }
