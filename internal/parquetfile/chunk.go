package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// chunkWriter encodes a column of a row group: PLAIN values in data pages of version 1. parquet-go's writer does it for
// whole rows, and needs what makes the program 1.8 MB larger.
type chunkWriter struct {
	kind         parquet.Kind
	path         []string
	codec        compress.Codec
	maxRep       int
	maxDef       int
	pages        bytes.Buffer
	uncompressed int64
	total        int64 // values

	// The page that is being filled.
	rep, def []byte
	values   []byte
	bools    int // in values, as bits
	count    int
	memory   []byte
}

const pageBytes = 1 << 20

// add adds a value with its levels. A page that is full ends before the next row.
func (c *chunkWriter) add(v parquet.Value) error {
	if v.RepetitionLevel() == 0 && (len(c.values) >= pageBytes || c.count >= pageBytes) {
		if err := c.endPage(); err != nil {
			return err
		}
	}
	c.rep, c.def = append(c.rep, byte(v.RepetitionLevel())), append(c.def, byte(v.DefinitionLevel()))
	if c.count++; v.DefinitionLevel() == c.maxDef && !v.IsNull() {
		c.value(v)
	}
	return nil
}

func (c *chunkWriter) value(v parquet.Value) {
	switch c.kind {
	case parquet.Boolean:
		if c.bools%8 == 0 {
			c.values = append(c.values, 0)
		}
		if v.Boolean() {
			c.values[len(c.values)-1] |= 1 << (c.bools % 8)
		}
		c.bools++
		return
	case parquet.ByteArray:
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(len(v.ByteArray())))
	}
	c.values = v.AppendBytes(c.values)
}

// endPage writes the page to pages.
func (c *chunkWriter) endPage() error {
	if c.count == 0 {
		return nil
	}
	page := c.memory[:0]
	for _, levels := range []struct {
		most int
		all  []byte
	}{{c.maxRep, c.rep}, {c.maxDef, c.def}} {
		if levels.most == 0 {
			continue
		}
		encoded, err := (&rle.Encoding{BitWidth: bits.Len(uint(levels.most))}).EncodeLevels(nil, levels.all)
		if err != nil {
			return err
		}
		page = append(binary.LittleEndian.AppendUint32(page, uint32(len(encoded))), encoded...)
	}
	page = append(page, c.values...)
	data := page
	if c.codec.CompressionCodec() != format.Uncompressed {
		var err error
		if data, err = c.codec.Encode(nil, page); err != nil {
			return err
		}
	}
	if len(page) > mostPageBytes || len(data) > mostPageBytes {
		return errors.New("a row is too long to be written")
	}
	header, err := thrift.Marshal(&thrift.CompactProtocol{}, &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(data)),
		CRC: int32(crc32.ChecksumIEEE(data)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(c.count), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE,
			RepetitionLevelEncoding: format.RLE,
		}),
	})
	if err != nil {
		return err
	}
	c.pages.Write(header)
	c.pages.Write(data)
	c.uncompressed += int64(len(header) + len(page))
	c.total += int64(c.count)
	c.memory, c.rep, c.def, c.values, c.bools, c.count = page, c.rep[:0], c.def[:0], c.values[:0], 0, 0
	return nil
}

// end ends the column and returns its metadata, as if it stood at the beginning of a file.
func (c *chunkWriter) end() (format.ColumnChunk, error) {
	err := c.endPage()
	return format.ColumnChunk{MetaData: format.ColumnMetaData{
		Type: format.Type(c.kind), Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: c.path,
		Codec: c.codec.CompressionCodec(), NumValues: c.total,
		TotalUncompressedSize: c.uncompressed, TotalCompressedSize: int64(c.pages.Len()),
	}}, err
}

// some encodes the rows of a column that are kept of a row group, by their numbers.
func (f *File) some(group int, of *parquet.Column, kept []int64) (*chunkWriter, error) {
	if err := f.checkCodec(of); err != nil {
		return nil, err
	}
	if err := f.checkPages(group, of); err != nil {
		return nil, err
	}
	meta := &f.Metadata().RowGroups[group].Columns[of.Index()].MetaData
	c := &chunkWriter{
		kind: parquet.Kind(meta.Type), path: meta.PathInSchema, codec: of.Compression(),
		maxRep: of.MaxRepetitionLevel(), maxDef: of.MaxDefinitionLevel(),
	}
	reader := parquet.NewColumnChunkValueReader(f.RowGroups()[group].ColumnChunks()[of.Index()])
	defer reader.Close()
	buffer := make([]parquet.Value, 256)
	row := int64(-1)
	for begun := false; ; {
		n, err := reader.ReadValues(buffer)
		for i := range buffer[:n] {
			if buffer[i].RepetitionLevel() == 0 {
				if row++; begun {
					kept = kept[1:]
				}
				begun = len(kept) > 0 && kept[0] == row
			}
			if begun {
				if err := c.add(buffer[i]); err != nil {
					return nil, err
				}
			}
		}
		switch {
		case err == io.EOF && row+1 != f.Metadata().RowGroups[group].NumRows:
			return nil, errors.New("it has other rows than the footer says; the file is damaged")
		case err == io.EOF:
			return c, nil
		case err != nil:
			return nil, err
		}
	}
}
