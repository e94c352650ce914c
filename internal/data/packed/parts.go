package packed

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Parts are what a file consists of, whether or not a corpus comes of it. Package mutate changes them.
type Parts struct {
	Kind     Values
	Totals   Totals
	Blocks   []BlockPart
	Sections []Part            // but for BLOCKS, which follows from the blocks
	Spoil    func(tail []byte) // what Assemble does to lines of blocks, table and footer; nil for nothing
}

// BlockPart is a block of rows.
type BlockPart struct {
	Rows    uint32
	Entries uint64
	Data    []byte
}

// Part is a section of a file.
type Part struct {
	Name string // of 8 bytes at most
	Data []byte
}

// TakeApart is the reverse of Assemble, for a file that can be opened.
func TakeApart(path string) (*Parts, error) {
	c, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	p := &Parts{Kind: c.Kind, Totals: c.totals}
	err = c.guard(func() error {
		data := c.mapping.Bytes()
		for _, b := range c.blocks {
			p.Blocks = append(p.Blocks, BlockPart{b.rows, b.entries, bytes.Clone(data[b.offset : b.offset+b.length])})
		}
		for _, s := range c.Sections {
			if s.Name != blocksName {
				p.Sections = append(p.Sections, Part{s.Name, bytes.Clone(data[s.Offset : s.Offset+s.Length])})
			}
		}
		return nil
	})
	return p, err
}

// Assemble makes a file of the parts, with checksums that are right.
func (p *Parts) Assemble() []byte {
	var b bytes.Buffer
	w := &Writer{MaxEntries: math.MaxInt, w: &b}
	_ = w.write(appendHeader(nil, p.Kind)) // memory takes all that is written to it
	var first uint64
	var lines []block
	for _, k := range p.Blocks {
		lines = append(lines, block{w.at, uint64(len(k.Data)), first, k.Entries, k.Rows, crc(k.Data)})
		_ = w.write(k.Data)
		first += uint64(k.Rows)
	}
	var contents []content
	for _, s := range p.Sections {
		contents = append(contents, content{s.Name, whole(s.Data)})
	}
	_ = w.sections(append(contents, content{blocksName, whole(encodeBlocks(lines))}), &p.Totals)
	data := b.Bytes()
	if p.Spoil != nil {
		spoil(data, len(contents)+1, p.Spoil)
	}
	return data
}

// spoil changes what is behind the contents of sections, the last of which is BLOCKS, and mends the checksums.
func spoil(data []byte, sections int, change func([]byte)) {
	le := binary.LittleEndian
	footer := data[len(data)-footerSize:]
	table := data[len(data)-footerSize-lineSize*sections:][:lineSize*sections]
	line := table[lineSize*(sections-1):]
	offset, length := le.Uint64(line[8:]), le.Uint64(line[16:])
	change(data[offset : offset+length])
	le.PutUint32(line[24:], crc(data[offset:offset+length]))
	change(table)
	change(footer[:48])
	le.PutUint32(footer[48:], crc(table))
	le.PutUint32(footer[52:], crc(footer[:52]))
}
