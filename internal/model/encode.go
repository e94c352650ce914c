package model

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// WriteTo writes the model in the form of its file. Equal models give equal
// bytes. A model that is not valid is refused before anything is written.
//
// For other sources than text, Meta.Text is left out.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if bad := m.check(); bad != nil {
		return 0, bad.outside()
	}
	h := header{version: version, universe: m.Universe, rows: uint64(m.Keys.Size()), outputs: uint32(m.Outputs)}
	blocks := [][]byte{nil} // the first is the header
	for _, f := range m.fields(m.Keys.Size()) {
		name, data := f.encode()
		if data == nil && !f.required {
			continue
		}
		blocks = append(blocks, data)
		h.sections = append(h.sections, Section{
			Name: name, Length: int64(len(data)), Stored: crc32.Checksum(data, osfile.Castagnoli), Optional: f.optional,
		})
	}
	next := padded(uint64(headerSize + entrySize*len(h.sections)))
	for i := range h.sections {
		h.sections[i].Offset = int64(next)
		next = padded(next + uint64(h.sections[i].Length))
	}
	h.length = next
	blocks[0] = h.append(nil)
	var all []io.Reader
	for _, block := range blocks {
		n := uint64(len(block))
		all = append(all, bytes.NewReader(block), bytes.NewReader(make([]byte, padded(n)-n)))
	}
	return io.Copy(w, io.MultiReader(all...))
}
