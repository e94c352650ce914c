package model

import (
	"encoding/binary"
	"math"
)

// entry of a string table.
type entry struct {
	tag  uint32
	text string
}

// formatStrings encodes a string table. It fails if the text is too long.
func formatStrings(section string, entries []entry) ([]byte, *problem) {
	le := binary.LittleEndian
	dst := le.AppendUint64(nil, uint64(len(entries)))
	var end uint64
	for i, e := range entries {
		if end += uint64(len(e.text)); end > math.MaxUint32 {
			return nil, at(section, 8+8*i, "the strings are longer than 4 GiB in all")
		}
		dst = le.AppendUint32(dst, e.tag)
		dst = le.AppendUint32(dst, uint32(end))
	}
	for _, e := range entries {
		dst = append(dst, e.text...)
	}
	return dst, nil
}

// parseStrings decodes a string table; the text is copied, once.
func parseStrings(data []byte, section string) ([]entry, *problem) {
	le := binary.LittleEndian
	if len(data) < 8 {
		return nil, at(section, 0, "it has %d bytes, and a string table at least 8", len(data))
	}
	n := le.Uint64(data) // the upper half is drawn as zero, so a larger number is none
	if n > uint64(len(data)-8)/8 {
		return nil, at(section, 0, "it has %d bytes, too few for %d strings", len(data), n)
	}
	table, text := data[8:8+8*n], string(data[8+8*n:])
	entries := make([]entry, n)
	var start uint32
	for i := range entries {
		tag, end := le.Uint32(table[8*i:]), le.Uint32(table[8*i+4:])
		if end < start || uint64(end) > uint64(len(text)) {
			return nil, at(section, 8+8*i+4, "string %d ends at %d, which is not between %d and %d", i, end, start, len(text))
		}
		entries[i] = entry{tag, text[start:end]}
		start = end
	}
	if used := int(start); used != len(text) {
		return nil, at(section, 8+8*int(n)+used, "%d bytes follow the last string", len(text)-used)
	}
	return entries, nil
}
