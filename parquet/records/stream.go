package records

import (
	"fmt"
	"io"
	"slices"
	"strings"

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

// appendValue appends a text, or the beginning of a text that is too long.
func appendValue(block, text []byte, most int) []byte {
	if len(text) > most {
		return recordstream.AppendLong(block, text[:headOfLong])
	}
	return recordstream.AppendText(block, text)
}

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
	groups := f.groups(o.From, o.To)
	if of.only, err = f.tests(o.Only); err != nil {
		return err
	}
	groups = slices.DeleteFunc(groups, func(g group) bool {
		chunks := f.RowGroups()[g.at].ColumnChunks()
		return slices.ContainsFunc(of.only, func(t *test) bool { return !t.mayPass(chunks[t.Index()]) })
	})
	if threads := min(o.Threads, len(groups)); threads > 1 {
		return f.sideBySide(groups, of, &o, threads, each)
	}
	var frame []byte
	for _, g := range groups {
		r := f.openGroup(g, of, &o)
		for {
			if frame, err = r.next(frame); err == io.EOF {
				break
			}
			if err == nil {
				err = each(frame)
			}
			if err != nil {
				return err
			}
		}
		r.close()
	}
	return nil
}

// sideBySide reads row groups side by side and hands their blocks on in order.
func (f *File) sideBySide(groups []group, of *fields, o *Options, threads int, each func(frame []byte) error) error {
	type result struct {
		frame []byte
		err   error
	}
	stop := make(chan struct{})
	defer close(stop)
	read := func(g group, to chan<- result) {
		defer close(to)
		r := f.openGroup(g, of, o)
		defer r.close()
		for {
			frame, err := r.next(nil)
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
	reading := make(chan chan result, threads-1)
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
		}
	}
	return nil
}

// groupReader makes blocks of a row group.
type groupReader struct {
	group
	of     *fields
	o      *Options
	row    int64 // of the group, that comes next
	broken error // why no more texts can be read
	text   *column
	label  *column
	weight *column
	keep   []*column
	only   []*column
	mask   []bool // which of the next rows are wanted, as far as that is known; nil if all are
	passes []bool // the memory of the mask
}

func (f *File) openGroup(g group, of *fields, o *Options) *groupReader {
	r := &groupReader{group: g, of: of, o: o, text: f.openColumn(g.at, of.text, o.Beat)}
	if of.label != nil {
		r.label = f.openColumn(g.at, of.label, o.Beat)
	}
	if of.weight != nil {
		r.weight = f.openColumn(g.at, of.weight, o.Beat)
	}
	for _, k := range of.keep {
		r.keep = append(r.keep, f.openColumn(g.at, k, o.Beat))
	}
	for _, t := range of.only {
		r.only = append(r.only, f.openColumn(g.at, t.field, o.Beat))
	}
	return r
}

func (r *groupReader) close() {
	for _, c := range slices.Concat([]*column{r.text, r.label, r.weight}, r.keep, r.only) {
		if c != nil {
			c.close()
		}
	}
}

// next makes the next block in memory of another one, or returns io.EOF.
func (r *groupReader) next(memory []byte) (frame []byte, err error) {
	if r.broken != nil {
		return memory, r.fault(r.text, r.broken)
	}
	if r.row == r.rows {
		if err := r.text.atEnd(); err != nil {
			return memory, r.fault(r.text, err)
		}
		return memory, io.EOF
	}
	const head = recordstream.FrameHeader + recordstream.BlockHeader
	if memory == nil {
		memory = make([]byte, head, head+blockBytes+blockBytes/8)
	}
	frame, at := recordstream.BeginColumn(memory[:head])
	most := int(min(r.rows-r.row, blockRecords))
	if err := r.filter(most); err != nil {
		return frame, err
	}
	n, wanted := 0, 0
	for full := len(frame) + blockBytes; n < most && len(frame) < full; n++ {
		v, err := r.text.next()
		if err != nil {
			if n == 0 {
				return frame, r.fault(r.text, err)
			}
			r.broken = err
			break
		}
		if r.mask != nil && !r.mask[n] {
			continue
		}
		if wanted++; v.IsNull() {
			frame = recordstream.AppendNull(frame)
		} else {
			frame = appendValue(frame, v.ByteArray(), r.o.MaxValue)
		}
	}
	recordstream.EndColumn(frame, at)
	if frame, err = r.appendColumn(frame, n, r.label, r.appendLabels); err != nil {
		return frame, err
	}
	if r.weight != nil {
		if frame, err = r.appendColumn(frame, n, r.weight, r.appendWeight); err != nil {
			return frame, err
		}
	}
	for _, c := range r.keep {
		if frame, err = r.appendColumn(frame, n, c, r.appendKept); err != nil {
			return frame, err
		}
	}
	if r.mask != nil {
		r.mask = r.mask[n:]
	}
	recordstream.Head{
		First: r.first + r.row, RowGroup: r.at, Records: wanted,
		Done: r.begin + int64(float64(r.size)*(float64(r.row+int64(n))/float64(r.rows))),
	}.Put(frame[recordstream.FrameHeader:])
	r.row += int64(n)
	return frame, nil
}

// filter finds out which of the next rows are wanted.
func (r *groupReader) filter(rows int) error {
	if len(r.only) == 0 || len(r.mask) >= rows {
		return nil
	}
	known := copy(r.passes, r.mask)
	r.passes = append(r.passes[:known], slices.Repeat([]bool{true}, rows-known)...)
	for i, c := range r.only {
		for k := known; k < rows; k++ {
			values, err := c.row()
			if err != nil {
				return r.fault(c, err)
			}
			value := parquet.NullValue()
			if len(values) > 0 {
				value = values[0]
			}
			r.passes[k] = r.passes[k] && r.of.only[i].passes(value)
		}
	}
	r.mask = r.passes
	return nil
}

// fault says where an error is.
func (r *groupReader) fault(c *column, err error) error {
	return fmt.Errorf("row group %d, column %s, after row %d: %w",
		r.at+1, wording.Excerpt(strings.Join(c.Path(), ".")), r.first+r.row, err)
}

// appendColumn appends a column of the next n rows, as far as these are wanted. A nil column has no values.
func (r *groupReader) appendColumn(
	frame []byte, n int, c *column, appendRow func(frame []byte, c *column, values []parquet.Value) []byte,
) ([]byte, error) {
	frame, at := recordstream.BeginColumn(frame)
	for i := range n {
		var values []parquet.Value
		if c != nil {
			var err error
			if values, err = c.row(); err != nil {
				return frame, r.fault(c, err)
			}
		}
		if r.mask == nil || r.mask[i] {
			frame = appendRow(frame, c, values)
		}
	}
	recordstream.EndColumn(frame, at)
	return frame, nil
}

func (r *groupReader) appendLabels(frame []byte, c *column, values []parquet.Value) []byte {
	switch {
	case c != nil && c.list:
		frame = recordstream.AppendList(frame, len(values))
	case len(values) == 0:
		return recordstream.AppendNull(frame)
	}
	for _, v := range values {
		if !v.IsNull() && !c.scalar.hasName(v) {
			frame = recordstream.AppendBad(frame, fmt.Sprintf("label %d has no name: the file's metadata (huggingface) "+
				"names %d labels, from 0", v.Int64(), len(c.scalar.names)))
			continue
		}
		isNull := v.IsNull()
		if !isNull {
			c.memory, isNull = c.scalar.appendText(c.memory[:0], v)
		}
		if isNull {
			frame = recordstream.AppendNull(frame)
		} else {
			frame = appendValue(frame, c.memory, r.o.MaxValue)
		}
	}
	return frame
}

// appendWeight appends a weight as a number is written.
func (r *groupReader) appendWeight(frame []byte, c *column, values []parquet.Value) []byte {
	if len(values) == 0 {
		return recordstream.AppendNull(frame)
	}
	c.memory, _ = c.scalar.appendText(c.memory[:0], values[0])
	return recordstream.AppendText(frame, c.memory)
}

// appendKept appends values as JSON.
func (r *groupReader) appendKept(frame []byte, c *column, values []parquet.Value) []byte {
	c.memory = c.memory[:0]
	if c.list {
		c.memory = append(c.memory, '[')
	} else if len(values) == 0 {
		c.memory = append(c.memory, "null"...)
	}
	for i, v := range values {
		if i > 0 {
			c.memory = append(c.memory, ',')
		}
		c.memory = c.scalar.appendJSON(c.memory, v)
	}
	if c.list {
		c.memory = append(c.memory, ']')
	}
	return appendValue(frame, c.memory, r.o.MaxValue)
}
