package records

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// A block has about so many bytes of text, and at most so many records.
const (
	blockBytes   = recordstream.BlockBytes
	blockRecords = 1 << 16
)

// headOfLong is how many bytes of a value that is too long are shown.
const headOfLong = 1 << 10

// Stream writes the records of a file as package recordstream has them, in the order of the file: of each the text, the
// label or labels, the weight if there is one, and the fields to keep, as JSON. What is wrong with the file is written to
// the stream, too. The error is that of writing.
func Stream(w io.Writer, path string, o Options) error {
	if _, err := io.WriteString(w, recordstream.Magic); err != nil {
		return err
	}
	f, err := Open(path)
	if err != nil {
		return tell(w, err)
	}
	defer f.Close()
	writing := error(nil)
	err = f.Blocks(o, func(frame []byte) error {
		writing = recordstream.WriteFrame(w, recordstream.Block, frame)
		return writing
	})
	switch {
	case writing != nil:
		return writing
	case err != nil:
		return tell(w, err)
	}
	return recordstream.WriteText(w, recordstream.End, "")
}

// tell writes why there are no more records.
func tell(w io.Writer, err error) error {
	is := recordstream.Damage
	if _, refused := err.(Refused); refused {
		is = recordstream.Refusal
	} else if _, system := errors.AsType[*fs.PathError](err); system {
		is = recordstream.Failure
	}
	return recordstream.WriteText(w, is, err.Error())
}

// Blocks calls a function with the file's records in blocks, in the order of the file. A block is a frame of package
// recordstream whose header is still to be written. Its memory is reused when the function has returned.
func (f *File) Blocks(o Options, each func(frame []byte) error) (err error) {
	defer recovered(&err)
	of, err := f.resolve(&o)
	if err != nil {
		return err
	}
	if o.Beat == nil {
		o.Beat = func() {}
	}
	if o.MaxValue == 0 {
		o.MaxValue = 1<<30 - 1
	}
	tests, err := f.tests(o.Only)
	if err != nil {
		return err
	}
	groups := slices.DeleteFunc(f.groups(o.From, o.To), func(g group) bool {
		chunks := f.RowGroups()[g.at].ColumnChunks()
		return slices.ContainsFunc(tests, func(t *test) bool { return !t.mayPass(chunks[t.Index()]) })
	})
	return f.sideBySide(groups, of, tests, &o, each)
}

// sideBySide reads row groups side by side and hands their blocks on in order.
func (f *File) sideBySide(groups []group, of []*field, tests []*test, o *Options, each func(frame []byte) error) error {
	type result struct {
		frame []byte
		err   error
	}
	var memory sync.Pool // of frames
	stop := make(chan struct{})
	defer close(stop)
	read := func(g group, to chan<- result) {
		defer close(to)
		r := f.openGroup(g, of, tests, o)
		defer r.close()
		for {
			var frame []byte
			if used, _ := memory.Get().(*[]byte); used != nil {
				frame = *used
			}
			frame, err := r.next(frame)
			if err == io.EOF {
				return
			}
			select {
			case to <- result{frame, err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}
	const ahead = 4 // blocks of a row group that may wait
	// A group in the channel is being read, and so is the group that was taken out of it last.
	reading := make(chan chan result, max(o.Threads, 1)-1)
	go func() {
		defer close(reading)
		for _, g := range groups {
			blocks := make(chan result, ahead)
			select {
			case reading <- blocks:
				go read(g, blocks)
			case <-stop:
				return
			}
		}
	}()
	for blocks := range reading {
		for b := range blocks {
			if b.err != nil {
				return b.err
			}
			if err := each(b.frame); err != nil {
				return err
			}
			memory.Put(&b.frame)
		}
	}
	return nil
}

// groupReader makes blocks of a row group.
type groupReader struct {
	group
	o       *Options
	row     int64     // of the group, that comes next
	columns []*column // of records; nil for one that there is not
	tests   []*test
	tested  []*column
	mask    []bool // which of the next rows are wanted, as far as that is known; nil if all are
	broken  error  // why no more texts can be read
	memory  []byte // for values as text
}

func (f *File) openGroup(g group, of []*field, tests []*test, o *Options) *groupReader {
	r := &groupReader{group: g, o: o, tests: tests}
	for _, field := range of {
		r.columns = append(r.columns, f.openColumn(g.at, field))
	}
	for _, t := range tests {
		r.tested = append(r.tested, f.openColumn(g.at, t.field))
	}
	return r
}

func (r *groupReader) close() {
	for _, c := range slices.Concat(r.columns, r.tested) {
		if c != nil {
			_ = c.reader.Close() // which only reads
		}
	}
}

// next makes the next block in memory of another one, or returns io.EOF.
func (r *groupReader) next(memory []byte) (frame []byte, err error) {
	texts := r.columns[0]
	if r.broken != nil {
		return memory, r.fault(texts, r.broken)
	}
	if r.row == r.rows {
		if err := texts.fill(); err != io.EOF {
			return memory, r.fault(texts, cmp.Or(err, errLong))
		}
		return memory, io.EOF
	}
	r.o.Beat()
	const head = recordstream.FrameHeader + recordstream.BlockHeader
	if memory == nil {
		memory = make([]byte, head, head+blockBytes+blockBytes/8)
	}
	most := int(min(r.rows-r.row, blockRecords))
	if err := r.filter(most); err != nil {
		return memory, err
	}
	frame, at := recordstream.BeginColumn(memory[:head])
	n, records := 0, 0 // rows, and those that are wanted
	for full := len(frame) + blockBytes; n < most && len(frame) < full; n++ {
		values, err := texts.row()
		if err != nil {
			if n == 0 {
				return frame, r.fault(texts, err)
			}
			r.broken = err
			break
		}
		if r.mask == nil || r.mask[n] {
			records++
			frame = r.append(frame, texts, values)
		}
	}
	recordstream.EndColumn(frame, at)
	for _, c := range r.columns[1:] {
		frame, at = recordstream.BeginColumn(frame)
		for i := range n {
			var values []parquet.Value
			if c != nil {
				if values, err = c.row(); err != nil {
					return frame, r.fault(c, err)
				}
			}
			if r.mask == nil || r.mask[i] {
				frame = r.append(frame, c, values)
			}
		}
		recordstream.EndColumn(frame, at)
	}
	if r.mask != nil {
		r.mask = r.mask[n:]
	}
	recordstream.Head{
		First: r.first + r.row, RowGroup: r.at, Records: records,
		Done: r.begin + int64(float64(r.size)*(float64(r.row+int64(n))/float64(r.rows))),
	}.Put(frame[recordstream.FrameHeader:])
	r.row += int64(n)
	return frame, nil
}

// filter finds out which of the next rows are wanted.
func (r *groupReader) filter(rows int) error {
	known := len(r.mask)
	if len(r.tests) == 0 || known >= rows {
		return nil
	}
	r.mask = append(slices.Clone(r.mask), slices.Repeat([]bool{true}, rows-known)...)
	for k, c := range r.tested {
		for i := known; i < rows; i++ {
			values, err := c.row()
			if err != nil {
				return r.fault(c, err)
			}
			value := parquet.NullValue()
			if len(values) > 0 {
				value = values[0]
			}
			r.mask[i] = r.mask[i] && r.tests[k].passes(value)
		}
	}
	return nil
}

// fault says where an error is.
func (r *groupReader) fault(c *column, err error) error {
	return fmt.Errorf("row group %d, column %s, after row %d: %w",
		r.at+1, wording.Excerpt(strings.Join(c.Path(), ".")), r.first+r.row, err)
}

// append appends the values of a field of a record. A nil field has none.
func (r *groupReader) append(dst []byte, of *column, values []parquet.Value) []byte {
	if of == nil {
		return recordstream.AppendNull(dst)
	}
	if of.role == kept {
		return r.appendKept(dst, of, values)
	}
	if of.list {
		dst = recordstream.AppendList(dst, len(values))
	} else if len(values) == 0 {
		return recordstream.AppendNull(dst)
	}
	for _, v := range values {
		isNull := v.IsNull()
		switch {
		case of.role == text:
			dst = r.appendValue(dst, v.ByteArray())
			continue
		case !isNull && !of.scalar.hasName(v):
			dst = recordstream.AppendBad(dst, fmt.Sprintf("label %d has no name: the file's metadata (huggingface) "+
				"names %d labels, from 0", v.Int64(), len(of.scalar.names)))
			continue
		case !isNull:
			r.memory, isNull = of.scalar.appendText(r.memory[:0], v)
		}
		if isNull {
			dst = recordstream.AppendNull(dst)
		} else {
			dst = r.appendValue(dst, r.memory)
		}
	}
	return dst
}

// appendKept appends values as JSON.
func (r *groupReader) appendKept(dst []byte, of *column, values []parquet.Value) []byte {
	if !of.list && len(values) == 0 {
		return recordstream.AppendText(dst, "null")
	}
	r.memory = r.memory[:0]
	if of.list {
		r.memory = append(r.memory, '[')
	}
	for i, v := range values {
		if i > 0 {
			r.memory = append(r.memory, ',')
		}
		r.memory = of.scalar.appendJSON(r.memory, v)
	}
	if of.list {
		r.memory = append(r.memory, ']')
	}
	return r.appendValue(dst, r.memory)
}

// appendValue appends a text, or the beginning of a text that is too long.
func (r *groupReader) appendValue(dst, text []byte) []byte {
	if len(text) > r.o.MaxValue {
		return recordstream.AppendLong(dst, text[:min(len(text), headOfLong)])
	}
	return recordstream.AppendText(dst, text)
}
