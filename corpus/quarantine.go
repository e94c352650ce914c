package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// quarantine is the file of bad records: text as it stands, behind the header of its file, and where rows of Parquet
// are, as JSON lines.
type quarantine struct {
	file   *osfile.File
	text   io.WriteCloser // into the file
	header []byte         // the last that was written
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

// quarantined says where a row of Parquet is, which has no text of its own.
type quarantined struct {
	Path   string `json:"path"`
	Row    int64  `json:"row"` // from 1
	Reason Reason `json:"reason"`
}

// add keeps a bad record.
func (q *quarantine) add(d *Document) error {
	record := d.Record
	e, is := errors.AsType[*RecordError](d.Err)
	switch {
	case is && e.RowGroup > 0:
		var err error
		if record, err = json.Marshal(quarantined{e.Path, d.Line, e.Reason}); err != nil {
			return err
		}
	case len(record) == 0:
		return nil
	case is && e.header != nil && !bytes.Equal(e.header, q.header):
		q.header = e.header
		if err := q.addLine(trimEOL(e.header)); err != nil {
			return err
		}
	}
	if d.EOL == warcEnd {
		_, err := q.text.Write(append(slices.Clip(record), warcEnd...))
		return err
	}
	return q.addLine(record)
}

func (q *quarantine) addLine(record []byte) error {
	_, err := q.text.Write(record)
	if err == nil {
		_, err = q.text.Write(lineFeed)
	}
	return err
}

// close gives the file its name, or removes it.
func (q *quarantine) close(keep bool) error {
	defer q.file.Abort()
	err := q.text.Close()
	if !keep {
		return nil
	}
	if err != nil {
		return err
	}
	return q.file.Commit()
}

// quarantineError returns an error of the file for bad records, if it is one.
func quarantineError(err error) error {
	if err != nil {
		err = fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
	}
	return err
}
