package records

import (
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// A block has about so many bytes of text, and at most so many records.
const (
	blockBytes   = recordstream.BlockBytes
	blockRecords = 1 << 16
)

// headOfLong is how much is shown of a value that is too long.
const headOfLong = 1 << 10

// appendValue appends a text, or of one that is too long the beginning.
func appendValue(block, text []byte, most int) []byte {
	if len(text) > most {
		return recordstream.AppendLong(block, text[:headOfLong])
	}
	return recordstream.AppendText(block, text)
}

// Stream writes the records of a file as package recordstream has them, in the order of the file: of each the text, the
// label or labels, the weight if one is asked for, and the fields to keep, as JSON. What is wrong with the file comes
// through the stream, too. The error is that of writing.
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
		writing = o.Slots.WriteBlock(w, frame)
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

// Blocks gives the file's records in blocks to a function, in the order of the file. A block is a frame of package
// recordstream, of which the header is still to be written. It is used again when the function has returned.
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
		return slices.ContainsFunc(of.only, func(t *test) bool { return !t.mayPass(chunks[t.leaf]) })
	})
	if threads := min(o.Threads, len(groups)); threads > 1 {
		return f.side(groups, of, &o, threads, each)
	}
	var frame []byte
	for _, g := range groups {
		r := f.openGroup(g, of, &o)
		for {
			if o.Slots != nil {
				frame = o.Slots.Room()
			}
			if frame, err = r.next(frame); err == io.EOF {
				r.close()
				break
			}
			if err == nil {
				err = each(frame)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// groupReader makes blocks of a row group.
type groupReader struct {
	group
	f      *File
	of     *fields
	o      *Options
	row    int64 // of the group, that comes next
	broken error // why there are no more texts
	texts  *texts
	label  *column
	weight *column
	keep   []*column
	only   []*column
	mask   []bool // which of the next rows are wanted, as far as is known; nil if all are
	passes []bool // all of that memory
}

func (f *File) openGroup(g group, of *fields, o *Options) *groupReader {
	r := &groupReader{group: g, f: f, of: of, o: o}
	open := func(of *field) *column {
		if of == nil {
			return nil
		}
		return f.openColumn(g.at, of, o.Beat)
	}
	r.texts = &texts{pages: f.pages(g.at, of.text, o.Beat)}
	r.label, r.weight = open(of.label), open(of.weight)
	for _, k := range of.keep {
		r.keep = append(r.keep, open(k))
	}
	for _, t := range of.only {
		r.only = append(r.only, open(t.field))
	}
	return r
}

func (r *groupReader) close() {
	r.texts.close()
	for _, c := range slices.Concat([]*column{r.label, r.weight}, r.keep, r.only) {
		if c != nil {
			c.close()
		}
	}
}

// next makes the next block in memory of another one, or returns io.EOF.
func (r *groupReader) next(memory []byte) (frame []byte, err error) {
	if r.broken != nil {
		return memory, r.fault(r.of.text, r.broken)
	}
	if r.row == r.rows {
		if err := r.texts.atEnd(); err != nil {
			return memory, r.fault(r.of.text, err)
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
	frame, n, err := r.texts.append(frame, blockBytes, most, r.o.MaxValue, r.mask)
	if r.broken = err; err != nil && n == 0 {
		return frame, r.fault(r.of.text, err)
	}
	recordstream.EndColumn(frame, at)
	if frame, err = r.labels(frame, n); err != nil {
		return frame, r.fault(r.of.label.node, err)
	}
	if r.weight != nil {
		if frame, err = r.weights(frame, n); err != nil {
			return frame, r.fault(r.of.weight.node, err)
		}
	}
	for i, c := range r.keep {
		if frame, err = r.kept(frame, n, c); err != nil {
			return frame, r.fault(r.of.keep[i].node, err)
		}
	}
	wanted := n
	if r.mask != nil {
		wanted = 0
		for _, is := range r.mask[:n] {
			if is {
				wanted++
			}
		}
		r.mask = r.mask[n:]
	}
	recordstream.Head{
		First: r.first + r.row, RowGroup: r.at, Records: wanted,
		Done: r.begin + int64(float64(r.size)*(float64(r.row+int64(n))/float64(r.rows))),
	}.Put(frame[recordstream.FrameHeader:])
	r.row += int64(n)
	return frame, nil
}

// filter finds out which of the next rows are wanted, so many at least.
func (r *groupReader) filter(rows int) error {
	if len(r.only) == 0 || len(r.mask) >= rows {
		return nil
	}
	known := copy(r.passes, r.mask)
	r.passes = append(r.passes[:known], slices.Repeat([]bool{true}, rows-known)...)
	for i, c := range r.only {
		for k := known; k < rows; k++ {
			value := parquet.NullValue()
			if err := c.row(func(v parquet.Value) { value = v }); err != nil {
				return r.fault(c.of.node, err)
			}
			r.passes[k] = r.passes[k] && r.of.only[i].passes(value)
		}
	}
	r.mask = r.passes
	return nil
}

// wanted tells whether the i-th of the next rows is, and goes past the row of a column if it is not.
func (r *groupReader) wanted(i int, c *column) (bool, error) {
	if r.mask == nil || r.mask[i] {
		return true, nil
	}
	return false, c.row(func(parquet.Value) {})
}

// fault says where an error is.
func (r *groupReader) fault(n *node, err error) error {
	return faultAt(r.at, n, fmt.Errorf("behind row %d: %w", r.first+r.row, err))
}

func faultAt(group int, n *node, err error) error {
	return fmt.Errorf("row group %d, column %s: %w", group+1, wording.Excerpt(n.name), err)
}

// labels appends the labels of so many rows.
func (r *groupReader) labels(frame []byte, n int) ([]byte, error) {
	frame, at := recordstream.BeginColumn(frame)
	defer func() { recordstream.EndColumn(frame, at) }()
	if r.label == nil {
		for i := range n {
			if r.mask == nil || r.mask[i] {
				frame = recordstream.AppendNull(frame)
			}
		}
		return frame, nil
	}
	c := r.label
	s := &c.of.scalar
	value := func(v parquet.Value) {
		if v.IsNull() {
			frame = recordstream.AppendNull(frame)
			return
		}
		if !s.hasName(v) {
			frame = recordstream.AppendBad(frame, fmt.Sprintf("label %d has no name: the file's metadata (huggingface) names %d labels, from 0", v.Int64(), len(s.names)))
			return
		}
		text, isNull := s.appendText(c.memory[:0], v)
		if c.memory = text; isNull {
			frame = recordstream.AppendNull(frame)
		} else {
			frame = appendValue(frame, text, r.o.MaxValue)
		}
	}
	for i := range n {
		if is, err := r.wanted(i, c); err != nil {
			return frame, err
		} else if !is {
			continue
		}
		if !c.of.list {
			there := false
			if err := c.row(func(v parquet.Value) { there = true; value(v) }); err != nil {
				return frame, err
			}
			if !there {
				frame = recordstream.AppendNull(frame)
			}
			continue
		}
		begin, count := len(frame), 0
		frame = recordstream.AppendList(frame, 0)
		if err := c.row(func(v parquet.Value) { count++; value(v) }); err != nil {
			return frame, err
		}
		recordstream.AppendList(frame[:begin], count)
	}
	return frame, nil
}

// weights appends the weights of so many rows, as numbers are written.
func (r *groupReader) weights(frame []byte, n int) ([]byte, error) {
	frame, at := recordstream.BeginColumn(frame)
	defer func() { recordstream.EndColumn(frame, at) }()
	c := r.weight
	for i := range n {
		if is, err := r.wanted(i, c); err != nil {
			return frame, err
		} else if !is {
			continue
		}
		there := false
		err := c.row(func(v parquet.Value) {
			there = true
			c.memory, _ = c.of.scalar.appendText(c.memory[:0], v)
			frame = recordstream.AppendText(frame, c.memory)
		})
		if err != nil {
			return frame, err
		}
		if !there {
			frame = recordstream.AppendNull(frame)
		}
	}
	return frame, nil
}

// kept appends the values of so many rows, as JSON.
func (r *groupReader) kept(frame []byte, n int, c *column) ([]byte, error) {
	frame, at := recordstream.BeginColumn(frame)
	defer func() { recordstream.EndColumn(frame, at) }()
	for i := range n {
		if is, err := r.wanted(i, c); err != nil {
			return frame, err
		} else if !is {
			continue
		}
		c.memory = c.memory[:0]
		count := 0
		err := c.row(func(v parquet.Value) {
			if count++; count > 1 {
				c.memory = append(c.memory, ',')
			}
			c.memory = c.of.scalar.appendJSON(c.memory, v)
		})
		switch {
		case err != nil:
			return frame, err
		case c.of.list:
			c.memory = append(append([]byte{'['}, c.memory...), ']')
		case count == 0:
			c.memory = append(c.memory, "null"...)
		}
		frame = appendValue(frame, c.memory, r.o.MaxValue)
	}
	return frame, nil
}

// side reads row groups side by side, and hands their blocks on in order.
func (f *File) side(groups []group, of *fields, o *Options, threads int, each func(frame []byte) error) error {
	const ahead = 4 // blocks of a group that may wait
	type result struct {
		frame []byte
		err   error
	}
	results := make([]chan result, len(groups))
	for i := range results {
		results[i] = make(chan result, ahead)
	}
	stop := make(chan struct{})
	defer close(stop)
	free := make(chan []byte, threads*ahead)
	slots := make(chan struct{}, threads)
	read := func(g group, to chan result) {
		defer func() { <-slots }()
		defer close(to)
		err := error(nil)
		send := func(r result) bool {
			select {
			case to <- r:
				return true
			case <-stop:
				return false
			}
		}
		defer func() {
			if err != nil && err != io.EOF {
				send(result{err: err})
			}
		}()
		defer recovered(&err)
		r := f.openGroup(g, of, o)
		defer r.close()
		for {
			var frame []byte
			select {
			case frame = <-free:
			default:
			}
			if frame, err = r.next(frame); err != nil || !send(result{frame: frame}) {
				return
			}
		}
	}
	go func() {
		for i, g := range groups {
			select {
			case slots <- struct{}{}:
				go read(g, results[i])
			case <-stop:
				return
			}
		}
	}()
	for _, from := range results {
		for r := range from {
			if r.err != nil {
				return r.err
			}
			if err := each(r.frame); err != nil {
				return err
			}
			select {
			case free <- r.frame:
			default:
			}
		}
	}
	return nil
}
