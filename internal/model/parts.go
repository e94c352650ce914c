package model

import (
	"bytes"
	"encoding/binary"
)

// Parts are what a model file consists of, whether or not a model comes of it. Package mutate changes them.
type Parts struct {
	Version, Outputs uint32
	Universe, Rows   uint64
	Sections         []Part
	Spoil            func(header []byte) // what Assemble does to header and table; nil for nothing
}

// Part is a section of a file.
type Part struct {
	Name     string // of 8 bytes at most
	Optional bool
	Data     []byte
}

// TakeApart is the reverse of Assemble.
func TakeApart(data []byte) (*Parts, error) {
	h, bad := parseHeader(data)
	if bad != nil {
		return nil, bad
	}
	if bad := h.checkLength(data); bad != nil {
		return nil, bad
	}
	p := &Parts{Version: h.version, Outputs: h.outputs, Universe: h.universe, Rows: h.rows}
	for _, s := range h.sections {
		p.Sections = append(p.Sections, Part{s.Name, s.Optional, bytes.Clone(data[s.Offset : s.Offset+s.Length])})
	}
	return p, nil
}

// Assemble makes a file of the parts, with checksums that are right.
func (p *Parts) Assemble() []byte {
	h := header{version: p.Version, outputs: p.Outputs, universe: p.Universe, rows: p.Rows}
	contents := make([]content, len(p.Sections))
	for i, s := range p.Sections {
		contents[i] = content{s.Name, s.Data, s.Optional}
	}
	var b bytes.Buffer
	_, _ = h.write(&b, contents) // memory takes all that is written to it
	data := b.Bytes()
	if p.Spoil != nil {
		head := data[:headerSize+entrySize*len(contents)]
		p.Spoil(head)
		binary.LittleEndian.PutUint32(head[crcAt:], headerSum(head))
	}
	return data
}
