package records

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/file/hugepages"
)

// plainDictionary is what older files call RLEDictionary, and Plain where it is the dictionary's.
const plainDictionary format.Encoding = 2

// pages reads the data pages of a column chunk, one after the other. It does not use parquet-go's reader: that copies
// texts once more, and believes sizes and run lengths that a page claims.
type pages struct {
	of      *node
	meta    *format.ColumnMetaData
	left    int64 // bytes of the chunk
	levels  int64 // of the pages still to come, at most
	counted *countingReader
	buffer  *bufio.Reader
	decoder *thrift.Decoder
	beat    func()

	f                 *File
	compressed, plain []byte // memory
	dictionary        []byte // of PLAIN values; nil before there is one
	entries           int    // of the dictionary

	// Of the current page:
	n           int    // levels: values, and places without one
	repetitions []byte // level of each; nil if all are 0
	definitions []byte // likewise; nil if all have a value
	there       int    // values
	encoding    format.Encoding
	data        []byte // the values
	indexes     []int32
	rows        []byte // memory of levels
	nulls       []byte
}

// countingReader counts what is read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (f *File) pages(group int, of *node, beat func()) *pages {
	meta := &f.Metadata().RowGroups[group].Columns[of.leaf].MetaData
	lo, hi := Extent(meta)
	const buffer = 32 << 10
	p := &pages{f: f, of: of, meta: meta, beat: beat, left: hi - lo}
	p.counted = &countingReader{r: io.NewSectionReader(f.at, lo, hi-lo)}
	p.buffer = bufio.NewReaderSize(p.counted, buffer)
	p.levels = meta.NumValues
	if of.maxRepetition == 0 {
		p.levels = f.Metadata().RowGroups[group].NumRows
	}
	protocol := &thrift.CompactProtocol{}
	p.decoder = thrift.NewDecoder(protocol.NewReader(p.buffer))
	return p
}

// next goes to the next page that has values or places without one, or returns io.EOF.
func (p *pages) next() error {
	for {
		at := p.counted.n - int64(p.buffer.Buffered())
		if at >= p.left {
			return io.EOF
		}
		p.beat()
		var header format.PageHeader
		if err := p.decoder.Decode(&header); err != nil {
			return fmt.Errorf("a page's header, %d bytes behind the column's begin: %w", at, noEOF(err))
		}
		at = p.counted.n - int64(p.buffer.Buffered())
		compressed, plain := int(header.CompressedPageSize), int(header.UncompressedPageSize)
		if compressed < 0 || plain < 0 || int64(compressed) > p.left-at {
			return fmt.Errorf("a page claims %d bytes, and the column has %d left", compressed, p.left-at)
		}
		p.grow(&p.compressed, compressed)
		if _, err := io.ReadFull(p.buffer, p.compressed); err != nil {
			return noEOF(err)
		}
		if sum := uint32(header.CRC); sum != 0 && sum != crc32.ChecksumIEEE(p.compressed) {
			return errors.New("a page's checksum is wrong: the file is damaged")
		}
		err := error(nil)
		switch {
		case header.Type == format.DataPage && header.DataPageHeader.Valid:
			err = p.version1(&header.DataPageHeader.V, plain)
		case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
			err = p.version2(&header.DataPageHeaderV2.V, plain)
		case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid:
			if err = p.takeDictionary(&header.DictionaryPageHeader.V, plain); err != nil {
				return err
			}
			continue
		case header.Type == format.IndexPage:
			continue
		default:
			err = fmt.Errorf("a page of an unknown type, %d", header.Type)
		}
		if err != nil || p.n > 0 {
			return err
		}
	}
}

// noEOF makes an end that comes too early an error.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// grow makes memory n bytes long, whatever they are.
func (p *pages) grow(memory *[]byte, n int) {
	if cap(*memory) < n {
		p.f.spare.put(*memory)
		*memory = p.f.spare.get(n)
	}
	*memory = (*memory)[:n]
}

// close gives the memory of pages to others.
func (p *pages) close() {
	for _, memory := range []*[]byte{&p.compressed, &p.plain} {
		p.f.spare.put(*memory)
		*memory = nil
	}
}

// spare is memory of pages that are done with. Some programs write a page a row group, of a hundred megabytes and more,
// and to have these anew of the system costs as much as to decompress them.
type spare struct {
	mu   sync.Mutex
	free [][]byte // the smallest first
}

// mostSpare is as much as the columns of two row groups have, with texts, a label and the like.
const mostSpare = 8

func (s *spare) put(memory []byte) {
	if cap(memory) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearchFunc(s.free, cap(memory), func(m []byte, n int) int { return cap(m) - n })
	s.free = slices.Insert(s.free, at, memory)
	if len(s.free) > mostSpare {
		s.free = slices.Delete(s.free, 0, 1)
	}
}

// get is memory of n bytes, the smallest that there is.
func (s *spare) get(n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearchFunc(s.free, n, func(m []byte, n int) int { return cap(m) - n })
	if at == len(s.free) {
		const room = 16 // the next page is often a little larger
		memory := make([]byte, n, n+n/room)
		hugepages.Advise(memory[:cap(memory)])
		return memory
	}
	memory := s.free[at]
	s.free = slices.Delete(s.free, at, at+1)
	return memory
}

// unpack decompresses data that are plain bytes long then, into memory that is returned.
func (p *pages) unpack(memory *[]byte, data []byte, plain int) ([]byte, error) {
	if p.meta.Codec == format.Uncompressed {
		return data, nil
	}
	p.grow(memory, plain+behindPage)
	*memory = (*memory)[:plain]
	return *memory, decompress(p.meta.Codec, *memory, data)
}

func (p *pages) takeDictionary(h *format.DictionaryPageHeader, plain int) error {
	if p.dictionary != nil {
		return errors.New("it has two dictionaries")
	}
	if h.Encoding != format.Plain && h.Encoding != plainDictionary {
		return fmt.Errorf("its dictionary is coded as %s", h.Encoding)
	}
	var memory []byte
	data, err := p.unpack(&memory, p.compressed, plain)
	if err != nil {
		return err
	}
	if p.meta.Codec == format.Uncompressed {
		data = append([]byte(nil), data...)
	}
	if h.NumValues < 0 || int(h.NumValues) > 8*len(data) {
		return errors.New("its dictionary claims more values than it has bytes for")
	}
	p.dictionary, p.entries = append(data, 0)[:len(data)], int(h.NumValues)
	return nil
}

func (p *pages) version1(h *format.DataPageHeader, plain int) error {
	data, err := p.unpack(&p.plain, p.compressed, plain)
	if err != nil {
		return err
	}
	levels := func(most int, encoding format.Encoding) (of []byte, err error) {
		if most == 0 {
			return nil, nil
		}
		if encoding != format.RLE {
			return nil, refuse("has levels that are coded as %s, which only very old programs did: write it again", encoding)
		}
		if len(data) < 4 {
			return nil, errHybrid
		}
		n := int64(binary.LittleEndian.Uint32(data))
		if data = data[4:]; n > int64(len(data)) {
			return nil, errHybrid
		}
		of, data = data[:n], data[n:]
		return of, nil
	}
	repetitions, err := levels(p.of.maxRepetition, h.RepetitionLevelEncoding)
	if err != nil {
		return err
	}
	definitions, err := levels(p.of.maxDefinition, h.DefinitionLevelEncoding)
	if err != nil {
		return err
	}
	return p.take(int(h.NumValues), repetitions, definitions, h.Encoding, data)
}

func (p *pages) version2(h *format.DataPageHeaderV2, plain int) error {
	r, d := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if r < 0 || d < 0 || r > len(p.compressed) || d > len(p.compressed)-r || plain < r+d {
		return errHybrid
	}
	data := p.compressed[r+d:]
	if !h.IsCompressed.Valid || h.IsCompressed.V {
		if len(data) > 0 || plain > r+d {
			var err error
			if data, err = p.unpack(&p.plain, data, plain-r-d); err != nil {
				return err
			}
		}
	}
	return p.take(int(h.NumValues), p.compressed[:r], p.compressed[r:r+d], h.Encoding, data)
}

// take takes the levels and values of a page apart.
func (p *pages) take(n int, repetitions, definitions []byte, encoding format.Encoding, data []byte) (err error) {
	if n < 0 || int64(n) > p.levels {
		return errLong
	}
	p.levels -= int64(n)
	p.n, p.there, p.encoding, p.data = n, n, encoding, data
	p.repetitions, p.definitions, p.indexes = nil, nil, p.indexes[:0]
	if most := p.of.maxRepetition; most > 0 {
		if p.rows, err = appendHybrid(p.rows[:0], n, bits.Len(uint(most)), repetitions); err != nil {
			return err
		}
		p.repetitions = p.rows
	}
	if most := p.of.maxDefinition; most > 0 {
		if p.nulls, err = appendHybrid(p.nulls[:0], n, bits.Len(uint(most)), definitions); err != nil {
			return err
		}
		p.there = 0
		for _, level := range p.nulls {
			if level == byte(most) {
				p.there++
			}
		}
		if p.there < n {
			p.definitions = p.nulls
		}
	}
	if encoding != plainDictionary && encoding != format.RLEDictionary {
		return nil
	}
	switch {
	case p.there == 0:
		return nil
	case p.dictionary == nil:
		return errors.New("a page has indexes of a dictionary, and there is none")
	case len(data) == 0:
		return errHybrid
	}
	width := int(data[0])
	if len(data) == 1 { // all are 0
		width = 0
	}
	if p.indexes, err = appendHybrid(p.indexes, p.there, width, data[1:]); err != nil {
		return err
	}
	for _, i := range p.indexes {
		if i < 0 || int(i) >= p.entries {
			return fmt.Errorf("a page has the index %d of a dictionary of %d values", i, p.entries)
		}
	}
	return nil
}

// byIndex tells whether the page's values are indexes of the dictionary.
func (p *pages) byIndex() bool {
	return p.encoding == plainDictionary || p.encoding == format.RLEDictionary
}

// decode are values of the column's type in an encoding.
func decode(typ parquet.Type, data []byte, n int, encoding format.Encoding) ([]parquet.Value, error) {
	if n == 0 {
		return nil, nil
	}
	of := parquet.LookupEncoding(encoding)
	memory := typ.NewValues(make([]byte, 0, typ.EstimateDecodeSize(n, data, of)), make([]uint32, 0, n+1))
	values, err := typ.Decode(memory, data, of)
	if err != nil {
		return nil, err
	}
	all := make([]parquet.Value, n)
	if got, err := typ.NewPage(0, n, values).Values().ReadValues(all); got != n {
		return nil, fmt.Errorf("a page has %d values instead of %d (%v)", got, n, err)
	}
	return all, nil
}
