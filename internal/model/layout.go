package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
)

const (
	magic       = "\x89NBSVM\r\n"
	version     = 5 // the newest
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

// header is what the first bytes of a file say, without the magic.
type header struct {
	version  uint32
	length   uint64 // of the file
	universe uint64
	rows     uint64
	outputs  uint32
	sections []Section
}

func padded(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// append encodes the header and the section table.
func (h *header) append(dst []byte) []byte {
	le := binary.LittleEndian
	start := len(dst)
	dst = append(dst, magic...)
	dst = le.AppendUint32(dst, h.version)
	dst = le.AppendUint32(dst, uint32(headerSize+entrySize*len(h.sections)))
	dst = le.AppendUint32(dst, uint32(len(h.sections)))
	dst = le.AppendUint32(dst, h.outputs)
	dst = le.AppendUint64(dst, h.length)
	dst = le.AppendUint64(dst, h.universe)
	dst = le.AppendUint64(dst, h.rows)
	dst = append(dst, make([]byte, start+headerSize-len(dst))...)
	for _, s := range h.sections {
		var flags uint32
		if s.Optional {
			flags |= flagOptional
		}
		dst = append(dst, s.Name...)
		dst = append(dst, make([]byte, nameSize-len(s.Name))...)
		dst = le.AppendUint64(dst, uint64(s.Offset))
		dst = le.AppendUint64(dst, uint64(s.Length))
		dst = le.AppendUint32(dst, s.Stored)
		dst = le.AppendUint32(dst, flags)
	}
	le.PutUint32(dst[start+crcAt:], headerSum(dst[start:]))
	return dst
}

// headerSum is the checksum of header and table, without the place where it is.
func headerSum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:crcAt], checksum.Castagnoli), checksum.Castagnoli, b[headerSize:])
}

// headerError is an error about the header.
func headerError(offset int, kind error, format string, args ...any) *fileError {
	return &fileError{Section: "HEADER", Offset: int64(offset), Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// parseHeader decodes header and table, as far as these are right in themselves.
func parseHeader(data []byte) (*header, *fileError) {
	if err := checkMagic(data); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	if len(data) >= 12 {
		if v := le.Uint32(data[8:]); v > version {
			return nil, headerError(8, ErrNewerVersion, "it has format version %d, and this program reads versions up to %d", v, version)
		} else if v < 1 {
			return nil, headerError(8, ErrCorrupt, "format version %d does not exist", v)
		}
	}
	if len(data) < headerSize {
		return nil, headerError(len(data), ErrTruncated, "it ends within the header of %d bytes", headerSize)
	}
	length, n := le.Uint32(data[12:]), le.Uint32(data[16:])
	if n > maxSections || length != headerSize+entrySize*n {
		return nil, headerError(12, ErrCorrupt, "it has %d sections and %d bytes of header", n, length)
	}
	if uint64(len(data)) < uint64(length) {
		return nil, headerError(len(data), ErrTruncated, "it ends within the header of %d bytes", length)
	}
	table := data[headerSize:length]
	if stored, computed := le.Uint32(data[crcAt:]), headerSum(data[:length]); stored != computed {
		return nil, headerError(crcAt, ErrChecksum, "stored %08x, computed %08x", stored, computed)
	}
	if !allZero(data[48:crcAt]) {
		return nil, headerError(48, ErrCorrupt, "bytes that should be zero are not")
	}
	h := &header{
		version:  le.Uint32(data[8:]),
		length:   le.Uint64(data[24:]),
		universe: le.Uint64(data[32:]),
		rows:     le.Uint64(data[40:]),
		outputs:  le.Uint32(data[20:]),
		sections: make([]Section, n),
	}
	return h, h.parseTable(table)
}

// checkMagic guesses what else it is that was taken for a model.
func checkMagic(data []byte) *fileError {
	if begins := min(len(data), len(magic)); begins > 0 && string(data[:begins]) == magic[:begins] {
		return nil
	}
	var detail string
	switch {
	case len(data) == 0:
		detail = "it is empty"
	case bytes.HasPrefix(data, []byte(magic[:6])), bytes.HasPrefix(data, []byte("\tNBSVM")):
		return headerError(0, ErrCorrupt, "line ends or eighth bits were changed, as by a transfer in text mode")
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		detail = "it is compressed with gzip; decompress it first"
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		detail = "it is compressed with zstd; decompress it first"
	default:
		detail = fmt.Sprintf("it begins with %q", data[:min(len(data), 8)])
	}
	return headerError(0, ErrNotModel, "%s", detail)
}

// parseTable decodes the section table: sections follow each other without holes
// up to the file's length.
func (h *header) parseTable(table []byte) *fileError {
	le := binary.LittleEndian
	next := padded(uint64(headerSize + len(table)))
	seen := make(map[string]bool, len(h.sections))
	for i := range h.sections {
		e, where := table[entrySize*i:], headerSize+entrySize*i
		name := string(bytes.TrimRight(e[:nameSize], "\x00"))
		offset, length, flags := le.Uint64(e[8:]), le.Uint64(e[16:]), le.Uint32(e[28:])
		switch {
		case name == "" || seen[name] || strings.ContainsFunc(name, unprintable):
			return headerError(where, ErrCorrupt, "section %d of the table has the name %q, which is empty, taken or not ASCII", i, name)
		case offset != next:
			return headerError(where+8, ErrCorrupt, "section %q is said to begin at byte %d, not at %d", name, offset, next)
		case length > math.MaxInt64-2*alignment-offset:
			return headerError(where+16, ErrCorrupt, "section %q is said to have %d bytes", name, length)
		case flags&^flagOptional != 0:
			return headerError(where+28, ErrCorrupt, "section %q has unknown flags, %#x", name, flags)
		}
		seen[name] = true
		next = padded(offset + length)
		h.sections[i] = Section{
			Name: name, Offset: int64(offset), Length: int64(length),
			Stored: le.Uint32(e[24:]), Optional: flags&flagOptional != 0,
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
		return headerError(int(h.length), ErrCorrupt, "%d bytes follow the end", n-h.length)
	}
	return nil
}

// checkFilling finds out whether the bytes between sections are zero.
func (h *header) checkFilling(data []byte) *fileError {
	end := headerSize + entrySize*len(h.sections)
	for i := range len(h.sections) + 1 {
		next := len(data)
		if i < len(h.sections) {
			next = int(h.sections[i].Offset)
		}
		if !allZero(data[end:next]) {
			return headerError(end, ErrCorrupt, "bytes between sections are not zero")
		}
		if i < len(h.sections) {
			end = next + int(h.sections[i].Length)
		}
	}
	return nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
