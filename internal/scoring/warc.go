package scoring

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// asJSON writes records of WARC as lines of JSON, and others as they are.
func asJSON(write nbsvm.Render) nbsvm.Render {
	members := [][2]string{{"id", "WARC-Record-ID"}, {"url", "WARC-Target-URI"}, {"date", "WARC-Date"}}
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		if _, is := d.WARCHeader(""); !is {
			return write(dst, d, p)
		}
		line := *d
		line.Record = display.AppendJSON([]byte(`{"text":`), d.Text)
		for _, member := range members {
			if value, _ := d.WARCHeader(member[1]); value != nil {
				line.Record = append(line.Record, `,"`+member[0]+`":`...)
				line.Record = display.AppendJSON(line.Record, value)
			}
		}
		line.Record, line.EOL = append(line.Record, '}'), "\n"
		dst = write(dst, &line, p)
		d.Err = line.Err
		return dst
	}
}

// namedWARC reports whether a file is named as WARC.
func namedWARC(path string) bool { return corpus.FormatOfName(path) == corpus.WARC }

// asNamed returns what writes records as the name of their output says: lines of JSON; or of WARC in gzip a member for
// each record, without which most readers of WARC stop behind the first, and the output is not compressed again.
func (t *Output) asNamed(write nbsvm.Render) nbsvm.Render {
	switch {
	case t.Of == corpus.JSONL:
		return asJSON(write)
	case t.Of == corpus.WARC && t.Kind == osfile.Gzip:
		t.Kind = osfile.Uncompressed
		return inMembers(write)
	}
	return write
}

// inMembers compresses each record as a member of gzip.
func inMembers(write nbsvm.Render) nbsvm.Render {
	type member struct {
		bytes.Buffer
		*gzip.Writer
	}
	members := sync.Pool{New: func() any { return &member{Writer: gzip.NewWriter(nil)} }}
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		start := len(dst)
		dst = write(dst, d, p)
		if len(dst) == start {
			return dst
		}
		m := members.Get().(*member)
		defer members.Put(m)
		m.Buffer.Reset()
		m.Writer.Reset(&m.Buffer)
		m.Writer.Write(dst[start:]) // to memory, which takes it
		m.Writer.Close()
		return append(dst[:start], m.Bytes()...)
	}
}
