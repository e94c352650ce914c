package model

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/file/views"
)

// nameShared marks, in the tag of a name, that others share its id.
const nameShared = 1 << 31

// content of a section to be written.
type content struct {
	name     string
	data     []byte
	optional bool
}

// WriteTo writes the model in the form of its file. Equal models give equal
// bytes. A model that is not valid is refused before anything is written.
//
// For other sources than text, Meta.Text is left out.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if p := m.check(); p != nil {
		return 0, p.asError()
	}
	contents, err := m.contents()
	if err != nil {
		return 0, err
	}
	h := header{version: 1, universe: m.Universe, rows: uint64(m.IDs.Size), outputs: uint32(m.Outputs)}
	for _, c := range contents {
		h.version = max(h.version, since(c.name)) // no newer than it must be
	}
	return h.write(w, contents)
}

// write writes a file of these sections.
func (h *header) write(w io.Writer, contents []content) (int64, error) {
	next := padded(uint64(headerSize + entrySize*len(contents)))
	for _, c := range contents {
		h.sections = append(h.sections, Section{
			Name: c.name, Offset: int64(next), Length: int64(len(c.data)),
			Stored: crc32.Checksum(c.data, checksum.Castagnoli), Optional: c.optional,
		})
		next = padded(next + uint64(len(c.data)))
	}
	h.length = next

	out := counter{w: w}
	out.write(h.append(nil))
	for _, c := range contents {
		out.write(c.data)
	}
	return out.n, out.err
}

// contents encodes the sections, in their order in the file.
func (m *Model) contents() ([]content, error) {
	meta := m.Meta
	meta.FastText = nil
	meta.Labels = nil // have a section of their own, for JSON cannot hold any bytes
	if meta.Source != "text" {
		meta.Text = hashing.Options{}
	}
	text, err := json.Marshal(meta)
	if err != nil {
		return nil, fmt.Errorf("model: META: %w", err)
	}
	labels := make([]entry, len(m.Meta.Labels))
	for i, label := range m.Meta.Labels {
		labels[i] = entry{text: label}
	}
	labelTable, p := formatStrings("LABELS", labels)
	if p != nil {
		return nil, p.asError()
	}
	if m.FastText != nil {
		return []content{{name: "META", data: text}, {name: "LABELS", data: labelTable}, {name: fastTextSection, data: m.FastText}}, nil
	}
	list := []content{
		{name: "META", data: text},
		{name: "LABELS", data: labelTable},
		{name: "BITMAP", data: views.Bytes(m.IDs.Words)},
		{name: "RANK", data: views.Bytes(m.IDs.Ranks)},
	}
	switch {
	case m.Rule != nil:
		list = append(list, content{name: m.Rule.Section, data: m.Rule.Data})
	case m.Sparse != nil:
		list = append(list, m.Sparse.contents(weightSections)...)
	default:
		list = append(list, numbersContent("DENSE", m.Dense))
	}
	list = append(list,
		content{name: "BIAS", data: views.Bytes(m.Bias)},
		content{name: "BASE", data: views.Bytes(m.Base)},
		content{name: "THRESH", data: views.Bytes(m.Threshold)})
	if m.Platt != nil {
		list = append(list, content{name: "PLATT", data: views.Bytes(flatten(m.Platt))})
	}
	if m.Temperature != 0 {
		list = append(list, content{name: "TEMP", data: views.Bytes([]float64{m.Temperature})})
	}
	if m.Tags != nil {
		list = append(list, content{name: "TAGS", data: views.Bytes(m.Tags)})
	}
	if m.IDF != nil {
		list = append(list, content{name: "IDF", data: views.Bytes(m.IDF)})
	}
	if m.Ratio != nil {
		list = append(list, numbersContent("RATIO", m.Ratio))
	}
	if m.SparseRatio != nil {
		list = append(list, m.SparseRatio.contents()...)
	}
	if len(m.Names) > 0 {
		names := make([]entry, len(m.Names))
		for i, name := range m.Names {
			names[i] = entry{tag: name.ID, text: name.Text}
			if name.Shared {
				names[i].tag |= nameShared
			}
		}
		nameTable, p := formatStrings("NAMES", names)
		if p != nil {
			return nil, p.asError()
		}
		list = append(list, content{name: "NAMES", data: nameTable, optional: true})
	}
	return list, nil
}

// flatten lays the numbers of the pairs side by side.
func flatten(pairs []Platt) []float64 {
	flat := make([]float64, 0, 2*len(pairs))
	for _, p := range pairs {
		flat = append(flat, p.A, p.B)
	}
	return flat
}

// counter writes blocks, each filled up to the alignment, until an error.
type counter struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counter) write(block []byte) {
	var zeros [alignment]byte
	for _, b := range [][]byte{block, zeros[:padded(uint64(len(block)))-uint64(len(block))]} {
		if c.err != nil || len(b) == 0 {
			continue
		}
		n, err := c.w.Write(b)
		if err == nil && n < len(b) {
			err = io.ErrShortWrite
		}
		c.n, c.err = c.n+int64(n), err
	}
}
