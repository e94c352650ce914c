package corpus

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// quarantine is the file of bad records: text as it stands, behind the header of its file, and rows of Parquet with all
// their columns as JSON lines.
type quarantine struct {
	file   *osfile.File
	text   *osfile.Compressor // into the file
	header []byte             // the last that was written

	rows *parquetfile.JSONWriter // of a Parquet file; nil between two
	from string                  // that file
	last int64                   // the row that it got last
}

// newQuarantine creates the file under a temporary name.
func newQuarantine(path string) (*quarantine, error) {
	if FormatOfName(path) == Parquet {
		return nil, fmt.Errorf("corpus: Input.Bad quarantine=%s is named as Parquet, but bad records are text, rows of Parquet JSON lines: name it .jsonl, or otherwise", path)
	}
	q, err := new(quarantine), error(nil)
	if q.file, err = osfile.Create(path); err != nil {
		return nil, quarantineError(err)
	}
	if q.text, err = osfile.NewCompressor(q.file, osfile.CompressionOf(path), 1); err != nil {
		q.file.Abort()
		return nil, quarantineError(err)
	}
	return q, nil
}

// add keeps a bad record.
func (q *quarantine) add(d *Document) error {
	if e, is := errors.AsType[*RecordError](d.Err); is && e.RowGroup > 0 {
		return q.addRow(e.Path, d.Line)
	} else if len(d.Record) == 0 {
		return nil
	} else if is && e.header != nil && !bytes.Equal(e.header, q.header) {
		q.header = e.header
		if err := q.addLine(trimEOL(e.header)); err != nil {
			return err
		}
	}
	return q.addLine(d.Record)
}

func (q *quarantine) addLine(record []byte) error {
	if err := q.endRows(nil); err != nil {
		return err
	}
	_, err := q.text.Write(record)
	if err == nil {
		_, err = q.text.Write(lineFeed)
	}
	return err
}

// addRow keeps a row of a Parquet file.
func (q *quarantine) addRow(path string, row int64) error {
	if path != q.from || row <= q.last { // the next file, or the same once more
		if err := q.endRows(nil); err != nil {
			return err
		}
	}
	if q.rows == nil {
		rows, err := parquetfile.NewJSONWriter(q.text, path)
		if err != nil {
			return err
		}
		q.rows, q.from = rows, path
	}
	q.last = row
	if _, err := q.rows.Write(parquetfile.AppendKept(nil, row)); err != nil {
		return q.endRows(err)
	}
	return nil
}

// endRows ends copying rows, with or without an error, which it returns.
func (q *quarantine) endRows(err error) error {
	if q.rows == nil {
		return err
	}
	err = q.rows.Close(err)
	q.rows = nil
	return err
}

var errAborted = errors.New("the quarantine is given up")

// close gives the file its name, or removes it.
func (q *quarantine) close(keep bool) error {
	defer q.file.Abort()
	if !keep {
		_ = q.endRows(errAborted)
		return nil
	}
	err := q.endRows(nil)
	if err == nil {
		err = q.text.Close()
	}
	if err == nil {
		err = q.file.Commit()
	}
	return err
}

// quarantineError is an error of the file for bad records, if it is one.
func quarantineError(err error) error {
	if err != nil {
		err = fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
	}
	return err
}
