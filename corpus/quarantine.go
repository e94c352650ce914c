package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// quarantine is the file of bad records. Each is kept as it came: text as it stands, behind the header of its file, and
// rows of Parquet with all their columns, as Parquet or as JSON lines.
type quarantine struct {
	path    string
	file    *osfile.File
	text    *osfile.Compressor // into the file
	header  []byte             // the last that was written
	inputs  []string           // nil until reading begins
	parquet bool               // the file is Parquet, and has rows of the only input

	rows rowWriter // of a Parquet file; nil between two
	from string    // that file
	last int64     // the row that it got last
}

// rowWriter writes rows of a Parquet file.
type rowWriter interface {
	io.Writer
	Close(err error) error
}

// newQuarantine creates the file under a temporary name.
func newQuarantine(path string) (*quarantine, error) {
	q := &quarantine{path: path}
	var err error
	if q.file, err = osfile.Create(path); err != nil {
		return nil, quarantineError(err)
	}
	if q.text, err = osfile.NewCompressor(q.file, osfile.CompressionOf(path), 1); err != nil {
		q.file.Abort()
		return nil, quarantineError(err)
	}
	return q, nil
}

// begin decides on the format of the file: Parquet if it is named so, or like an input that is Parquet; else text.
func (q *quarantine) begin(o *Input, paths []string) error {
	if q.inputs != nil && slices.Equal(q.inputs, paths) { // another reading
		return nil
	}
	again := q.inputs != nil
	q.inputs = paths
	named := FormatOfName(q.path) == Parquet
	rows := len(paths) == 1 && o.Files == nil && paths[0] != "-" && (FormatOfName(paths[0]) == Parquet || parquetfile.Is(paths[0]))
	like := rows && filepath.Base(q.path) == filepath.Base(paths[0])
	q.parquet = rows && named || like
	switch {
	case !named && !like || o.Files != nil:
		return nil
	case osfile.CompressionOf(q.path) != osfile.Uncompressed && !like:
		return fmt.Errorf("corpus: Input.Bad quarantine=%s: Parquet is compressed internally: name it otherwise", q.path)
	case q.parquet && !again:
		return nil
	}
	return fmt.Errorf("corpus: Input.Bad quarantine=%s is named as Parquet, which takes the bad records of one Parquet file only: name it .jsonl, or otherwise", q.path)
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
	if err := q.startRows(path); err != nil {
		return err
	}
	q.last = row
	if _, err := q.rows.Write(parquetfile.AppendKept(nil, row)); err != nil {
		return q.endRows(err)
	}
	return nil
}

// startRows begins to copy rows of a file, unless it has begun.
func (q *quarantine) startRows(path string) (err error) {
	if q.rows != nil {
		return nil
	}
	q.from, q.last = path, 0
	if q.parquet {
		q.rows, err = parquetfile.NewWriter(q.file, path, parquetfile.Added{})
	} else {
		q.rows, err = parquetfile.NewJSONWriter(q.text, path)
	}
	if err != nil {
		q.rows = nil // not an interface of a nil pointer
	}
	return err
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
	var err error
	if q.parquet {
		err = q.startRows(q.inputs[0]) // of no bad rows, the file is Parquet without rows
	}
	if err == nil {
		err = q.endRows(nil)
	}
	if err == nil && !q.parquet {
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
