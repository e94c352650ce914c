package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/base/jsonstring"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// memoryVariable says how much memory nbsvm-parquet may have.
const memoryVariable = "NBSVM_PARQUET_MEMORY"

// programRecords are the records of a file that a program reads. It is started by the first call of next.
type programRecords struct {
	r      *Reader
	file   *file
	lo, hi int64 // of the bytes in which the records begin; hi is 0 for the end

	started bool
	command *exec.Cmd
	keep    io.Closer // the program's standard input: it ends when that does
	from    *bufio.Reader
	stderr  tail
	ended   chan struct{} // closed when the program was ended by nbsvm
	end     sync.Once
	done    int64
	row     int64 // that follows those read, from 0
	spare   spareBuffers
}

// openProgram is how formats are opened that a program reads.
func openProgram(r *Reader, _ *peeker) (contents, error) {
	return &programRecords{r: r, file: r.file}, nil
}

// checkProgram looks at a file whose first bytes say that a program reads it.
func (r *Reader) checkProgram(of *format) error {
	f := r.file
	switch given := r.o.format(); {
	case given != nil && given != of:
		return refuse(f.path, fmt.Errorf("is %s, not %s: leave --format and --delimiter out", of.shape, given.name))
	case r.src.plain == nil:
		return refuse(f.path, errors.New(parquetStream))
	case r.o.Header != nil:
		f.note("is %s, whose columns have names: --header and --no-header have no effect", of.shape)
	}
	f.format = of
	f.likeOthers(&r.o)
	return nil
}

// start starts the program.
func (p *programRecords) start() error {
	p.started = true
	path, err := recordstream.FindProgram()
	if err != nil {
		return refuse(p.file.path, fmt.Errorf("is %s: %w; or convert the file first, "+convertParquet, p.file.format.shape, err, p.r.src.word()))
	}
	o := p.file.o
	args := []string{"records", "--max-record=" + strconv.Itoa(o.maxRecord())}
	add := func(name, value string) {
		if value != "" {
			args = append(args, "--"+name+"="+value)
		}
	}
	add("text-field", o.TextField)
	add("label-field", o.LabelField)
	if o.Unlabelled {
		args = append(args, "--unlabelled")
	} else {
		add("weight-field", o.WeightField)
	}
	for _, field := range p.file.keeps {
		args = append(args, "--keep="+field)
	}
	if p.lo > 0 || p.hi > 0 {
		args = append(args, fmt.Sprintf("--range=%d:%d", p.lo, p.hi))
	}
	p.command = exec.Command(path, append(args, "--", p.r.src.path)...)
	p.command.Stderr = &p.stderr
	p.ended = make(chan struct{})
	input, err := p.command.StdinPipe()
	if err != nil {
		return err
	}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.keep, p.from = input, bufio.NewReaderSize(output, readBuffer)
	if err := p.command.Start(); err != nil {
		p.command = nil
		return refuse(p.file.path, fmt.Errorf("is %s, and the program that reads it can't be started: %w", p.file.format.shape, err))
	}
	go func() {
		select {
		case <-p.r.stop:
			p.command.Process.Kill()
		case <-p.ended:
		}
	}()
	if err := recordstream.ReadMagic(p.from); err == recordstream.ErrVersion {
		return refuse(p.file.path, fmt.Errorf("is %s, and %s can't hand on its records: %w; install both of one version", p.file.format.shape, path, err))
	} else if err != nil {
		return p.died(err)
	}
	return nil
}

// Close ends the program.
func (p *programRecords) Close() error {
	p.end.Do(func() {
		if p.command != nil {
			close(p.ended)
			p.command.Process.Kill()
			p.keep.Close()
			p.command.Wait()
		}
	})
	return nil
}

// died is the error of a program that ended before the records did.
func (p *programRecords) died(err error) error {
	select {
	case <-p.r.stop:
		return errInterrupted
	default:
	}
	p.keep.Close()
	if waited := p.command.Wait(); waited != nil {
		err = waited
	}
	p.end.Do(func() { close(p.ended) })
	why := p.stderr.first(p.file.format.program)
	if why == "" || strings.Contains(why, "panic") {
		why = cmp.Or(why, err.Error()) + ", as if the file were damaged, or made to do harm"
	}
	if strings.Contains(why, "out of memory") {
		why += "; if you trust the file, give it more than its 4 GiB, " + memoryVariable + "=16GiB"
	}
	return p.damage(fmt.Errorf("%s could not read on: %s", p.file.format.program, why))
}

// damage is a file of which the rest is lost.
func (p *programRecords) damage(err error) error {
	return &damage{err: err, row: p.row + 1}
}

// next is the next block, or io.EOF.
func (p *programRecords) next() (records, error) {
	if !p.started {
		if err := p.start(); err != nil {
			return nil, err
		}
	}
	const usual = recordstream.BlockBytes + recordstream.BlockBytes/4
	var memory *buffer
	is, payload, err := recordstream.ReadFrame(p.from, func(n int) []byte {
		memory = p.spare.get(max(n, usual), n <= usual)
		return memory.room
	})
	if err != nil {
		return nil, p.died(err)
	}
	switch is {
	case recordstream.Block:
		block, err := p.file.block(payload, memory)
		if err != nil {
			return nil, p.damage(err)
		}
		p.row = block.head.First + int64(block.records)
		p.advance(block.head.Done - p.lo)
		return block, nil
	case recordstream.Refusal:
		return nil, refuse(p.file.path, errors.New(string(payload)))
	case recordstream.Damage:
		return nil, p.damage(errors.New(string(payload)))
	case recordstream.End:
		if p.hi == 0 {
			p.advance(p.r.src.plain.size)
		} else {
			p.advance(min(p.hi, p.r.src.plain.size) - p.lo)
		}
		if p.r.src.plain.first != nil {
			if err := p.r.src.plain.unchanged(); err != nil {
				return nil, &fileError{Path: p.file.path, Err: err}
			}
		}
		return nil, io.EOF
	}
	return nil, p.damage(fmt.Errorf("%s sent what nbsvm does not know: install both of one version", p.file.format.program))
}

// advance says how much of the file, or of the shard's part of it, was read.
func (p *programRecords) advance(to int64) {
	if to > p.done {
		p.r.done.Add(to - p.done)
		p.done = to
	}
}

// tail is the beginning of what a program writes to standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(text []byte) (int, error) {
	const most = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text[:min(len(text), most-len(t.text))]...)
	return len(text), nil
}

// first is the first line, as a message of the program has it.
func (t *tail) first(program string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, _, _ := bytes.Cut(t.text, []byte{'\n'})
	return strings.TrimPrefix(string(line), program+": ")
}

// programBlock is records of a program's file, which it gives documents from.
type programBlock struct {
	file    *file
	head    recordstream.Head
	records int
	columns [][]byte // the values of text, label, weight if it is asked for, and the fields to keep
	memory  *buffer
}

// block makes records of a block's bytes.
func (f *file) block(payload []byte, memory *buffer) (*programBlock, error) {
	head, rest, err := recordstream.ParseHead(payload)
	b := &programBlock{file: f, head: head, records: head.Records, memory: memory}
	for range b.fields() {
		if err != nil {
			return nil, err
		}
		var column []byte
		column, rest, err = recordstream.NextColumn(rest)
		b.columns = append(b.columns, column)
	}
	if err == nil {
		err = b.check()
	}
	return b, err
}

// weighted tells whether there is a column of weights.
func (f *file) weighted() bool { return !f.o.Unlabelled && f.o.WeightField != "" }

func (b *programBlock) fields() int {
	n := 2 + len(b.file.keeps)
	if b.file.weighted() {
		n++
	}
	return n
}

// check tells whether every column has a value of each record, so that append need not ask.
func (b *programBlock) check() error {
	for _, rest := range b.columns {
		for range b.records {
			v, behind, err := recordstream.Next(rest)
			for k := 0; err == nil && v.Kind == recordstream.List && k < v.Count; k++ {
				_, behind, err = recordstream.Next(behind)
			}
			if err != nil {
				return err
			}
			rest = behind
		}
		if len(rest) > 0 {
			return errors.New("a block of records has more values than records")
		}
	}
	return nil
}

func (b *programBlock) release() { b.memory.release() }

func (b *programBlock) append(dst []Document) []Document {
	f := b.file
	p := &parser{file: f, labels: make([][]byte, 0, b.records)}
	columns := append([][]byte(nil), b.columns...)
	take := func(k int) recordstream.Value {
		v, behind, err := recordstream.Next(columns[k])
		if err != nil { // which check has ruled out
			return recordstream.Value{Kind: recordstream.Bad, Bytes: []byte(err.Error())}
		}
		columns[k] = behind
		return v
	}
	var row programRow
	for i := range b.records {
		dst = append(dst, Document{Weight: 1, EOL: "\n", Line: b.head.First + int64(i) + 1})
		d := &dst[len(dst)-1]
		row.text, row.label, row.labels = take(0), take(1), row.labels[:0]
		for k := 0; row.label.Kind == recordstream.List && k < row.label.Count; k++ {
			row.labels = append(row.labels, take(1))
		}
		k := 2
		if f.weighted() {
			row.weight = take(k)
			k++
		}
		row.kept = row.kept[:0]
		for ; k < len(columns); k++ {
			row.kept = append(row.kept, take(k))
		}
		if err := row.fill(p, d); err != nil {
			d.Record = row.json(f)
			f.spoil(d, err)
			d.Err.(*RecordError).RowGroup = b.head.RowGroup + 1
		}
	}
	return dst
}

// programRow are the values of a record.
type programRow struct {
	text, label, weight recordstream.Value
	labels, kept        []recordstream.Value
}

// fill makes a document of the values.
func (r *programRow) fill(p *parser, d *Document) error {
	o := p.file.o
	field := func(k int) string { return wording.Excerpt(cmp.Or(o.fields()[k], fieldNames[k])) }
	usable := func(v recordstream.Value) error {
		switch v.Kind {
		case recordstream.Bad:
			return errors.New(string(v.Bytes))
		case recordstream.Long:
			_, err := tooLong(v.Bytes, o.maxRecord())
			return err
		}
		return nil
	}
	if err := usable(r.text); err != nil {
		return err
	}
	if r.text.Kind != recordstream.Text {
		return errors.New("column " + field(textField) + " (text) is null")
	}
	d.Text = r.text.Bytes
	if p.file.weighted() {
		if r.weight.Kind != recordstream.Text {
			return errors.New("column " + field(weightField) + " (weight) is null")
		}
		if err := p.weight(d, r.weight.Bytes); err != nil {
			return err
		}
	}
	if len(r.kept) > 0 {
		d.Kept = p.keep(len(r.kept))
		for i, v := range r.kept {
			if err := usable(v); err != nil {
				return err
			}
			d.Kept[i].raw = v.Bytes
		}
		if err := p.checkID(d, r.text.Bytes); err != nil {
			return err
		}
	}
	start := len(p.labels)
	for _, label := range append(r.labels, r.label) {
		switch err := usable(label); {
		case err != nil:
			return err
		case label.Kind == recordstream.Null && label.Bytes == nil && len(r.labels) > 0 && !o.Unlabelled:
			return errors.New("a label in column " + field(labelField) + " is null")
		}
	}
	if r.label.Kind == recordstream.Text {
		return p.field(d, r.label.Bytes, d.Text)
	}
	for _, label := range r.labels {
		if len(label.Bytes) > 0 {
			p.labels = append(p.labels, label.Bytes)
		}
	}
	return p.finish(d, start, d.Text)
}

// json is a bad record as an object of JSON, which may stand beside others to be mended.
func (r *programRow) json(f *file) []byte {
	o := f.o
	dst := []byte{'{'}
	add := func(name string, v recordstream.Value, raw bool) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsonstring.Append(dst, name), ':')
		switch {
		case v.Kind == recordstream.List:
			dst = append(dst, '[')
			for i, label := range r.labels {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = appendField(dst, label, false)
			}
			dst = append(dst, ']')
		default:
			dst = appendField(dst, v, raw)
		}
	}
	add(cmp.Or(o.TextField, fieldNames[textField]), r.text, false)
	add(cmp.Or(o.LabelField, fieldNames[labelField]), r.label, false)
	if f.weighted() {
		add(o.WeightField, r.weight, true)
	}
	for i, v := range r.kept {
		add(f.keeps[i], v, true)
	}
	return append(dst, '}')
}

// appendField appends a value that is text, or JSON already (raw).
func appendField(dst []byte, v recordstream.Value, raw bool) []byte {
	switch {
	case v.Kind == recordstream.Text && raw:
		return append(dst, v.Bytes...)
	case v.Kind == recordstream.Text || v.Kind == recordstream.Long:
		return jsonstring.Append(dst, v.Bytes)
	}
	return append(dst, "null"...)
}
