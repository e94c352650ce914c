package container

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Writer writes a file, section by section. The first error of writing stays, and Close returns it.
type Writer struct {
	format  *Format
	w       io.Writer
	header  []byte
	at      uint64 // bytes written
	open    entry  // the section that is being written; without a name before the first
	entries []entry
	err     error
}

// NewWriter begins a file.
func (f *Format) NewWriter(w io.Writer) *Writer {
	c := &Writer{format: f, w: w, header: make([]byte, headerSize)}
	copy(c.header, f.Magic)
	binary.LittleEndian.PutUint32(c.header[nameSize:], f.Version)
	c.write(c.header)
	return c
}

func (c *Writer) write(b []byte) {
	if c.err == nil {
		var n int
		n, c.err = c.w.Write(b)
		if c.at += uint64(n); n < len(b) && c.err == nil {
			c.err = io.ErrShortWrite
		}
	}
}

// Begin ends the section before and begins one of this name, of at most 8 ASCII characters.
func (c *Writer) Begin(name string, optional bool) {
	c.end()
	c.open = entry{Offset: c.at}
	copy(c.open.Name[:], name)
	if optional {
		c.open.Flags = flagOptional
	}
}

// Write appends to the section.
func (c *Writer) Write(b []byte) (int, error) {
	if c.write(b); c.err != nil {
		return 0, c.err
	}
	c.open.Sum = crc32.Update(c.open.Sum, osfile.Castagnoli, b)
	return len(b), nil
}

// end ends the section that is open.
func (c *Writer) end() {
	if c.open.Name == [nameSize]byte{} {
		return
	}
	c.open.Length = c.at - c.open.Offset
	c.entries = append(c.entries, c.open)
	c.write(make([]byte, padding(c.at)))
}

// Written returns how many bytes the file has by now.
func (c *Writer) Written() int64 { return int64(c.at) }

// Close ends the file. It does not close the writer below.
func (c *Writer) Close() error {
	c.end()
	table := Encode(c.entries)
	f := footer{
		Table: c.at, Length: c.at + uint64(len(table)) + footerSize, TableSum: CRC(table),
		Magic: backwards(c.format.Magic),
	}
	f.Sum = sumOf(c.header, Encode(f)[:footerSum])
	c.write(append(table, Encode(f)...))
	return c.err
}
