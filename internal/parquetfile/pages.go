package parquetfile

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a page, within which parquet-go makes room before it knows whether the page is what its header says.
const (
	mostPageBytes  = 1<<30 + 1<<16
	mostPageValues = 1 << 26
)

// checkPages walks over the headers of a column's pages in a row group, and refuses pages beyond the limits.
func (f *File) checkPages(group int, of *parquet.Column) error {
	lo, hi := extent(&f.Metadata().RowGroups[group].Columns[of.Index()].MetaData)
	const usual = 512 // of a header, with statistics
	b := bufio.NewReaderSize(nil, usual)
	for at := lo; at < hi; {
		section := io.NewSectionReader(f.data, at, hi-at)
		b.Reset(section)
		var header format.PageHeader
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(b)).Decode(&header); unreadable(err) {
			return err
		} else if err != nil {
			return nil // parquet-go says so when it comes here, after the rows before
		}
		read, _ := section.Seek(0, io.SeekCurrent)
		n := int64(max(header.UncompressedPageSize, header.CompressedPageSize))
		values := max(header.DataPageHeader.V.NumValues, header.DataPageHeaderV2.V.NumValues,
			header.DictionaryPageHeader.V.NumValues)
		switch {
		case header.CompressedPageSize < 0:
			return nil
		case n > mostPageBytes:
			return fmt.Errorf("a page has %d bytes, more than %d; the file is damaged, or must be written with smaller pages", n, int64(mostPageBytes))
		case values > mostPageValues:
			return fmt.Errorf("a page has %d values, more than %d; the file is damaged, or must be written with smaller pages", values, mostPageValues)
		}
		at += read - int64(b.Buffered()) + int64(header.CompressedPageSize)
	}
	return nil
}
