package scored

import (
	"bufio"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/parquet/records"
)

// WriteJSON writes the rows of a file that come as JSON lines, with all their columns. Beat is called whenever writing
// has got further.
func WriteJSON(w io.Writer, path string, beat func(), rows *recordstream.RowReader) error {
	f, err := records.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	out := bufio.NewWriter(w)
	var next recordstream.Row
	var line []byte
	err = rows.Next(&next)
	row := int64(0) // before the row group
	for g := range f.Metadata().RowGroups {
		end := row + f.Metadata().RowGroups[g].NumRows
		wanted := func() bool { return next.Kind != recordstream.NoMore && next.Number <= end }
		if err == nil && wanted() {
			err = f.EachRow(g, func(of parquet.Row) (err error) {
				beat()
				if row++; !wanted() || next.Number != row {
					return nil
				}
				if line, err = f.AppendJSON(line[:0], of); err != nil {
					return err
				}
				if _, err = out.Write(append(line, '\n')); err != nil {
					return err
				}
				return rows.Next(&next)
			})
		}
		row = end
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case next.Kind != recordstream.NoMore:
		return fmt.Errorf("%s: row %d is wanted, but the file has %d rows", path, next.Number, row)
	}
	return out.Flush()
}
