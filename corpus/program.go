package corpus

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// programRecords are the records of a file that a program reads. It is started by the first call of next.
type programRecords struct {
	r      *Reader
	file   *file
	lo, hi int64 // of the bytes in which the records begin; hi is 0 for the end

	command *exec.Cmd // nil before the start
	keep    io.Closer // the program's standard input: it ends when that does
	from    *bufio.Reader
	stderr  head
	done    int64
	row     int64 // that follows those read, from 0
	spare   sync.Pool
	columns int // that the program hands on
}

// The first columns of blocks. That of weights, if they are asked for, and the fields to keep follow.
const (
	textColumn = iota
	labelColumn
	firstOther
)

// openProgram is how formats are opened that a program reads.
func openProgram(r *Reader, _ *peeker) (contents, error) {
	f := r.file
	p := &programRecords{r: r, file: f, columns: firstOther + len(f.keeps)}
	if f.weighted() {
		p.columns++
	}
	return p, nil
}

// weighted tells whether there is a column of weights.
func (f *file) weighted() bool { return !f.o.Unlabelled && f.o.WeightField != "" }

// checkProgram looks at a file whose first bytes say that a program reads it.
func (r *Reader) checkProgram(of *format) error {
	f := r.file
	switch given := r.o.format(); {
	case given != nil && given != of && (of != &folderFormat || given != &jsonlFormat):
		return refuse(f.path, fmt.Errorf("is %s, not %s: leave --format and --delimiter out", of.shape, given.name))
	case of == &parquetFormat && r.src.plain == nil:
		return refuse(f.path, errors.New(parquetStream))
	case r.o.Header != nil:
		f.note("is %s: --header and --no-header have no effect", of.shape)
	}
	f.format = of
	f.likeOthers(&r.o)
	return nil
}

// start starts the program.
func (p *programRecords) start() error {
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
	command := exec.CommandContext(p.r.interrupted, path, append(args, "--", p.r.src.path)...)
	command.Stderr = &p.stderr
	input, err := command.StdinPipe()
	if err != nil {
		return err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return refuse(p.file.path, fmt.Errorf("is %s, and the program that reads it can't be started: %w", p.file.format.shape, err))
	}
	p.command, p.keep, p.from = command, input, bufio.NewReaderSize(output, readBuffer)
	if err := recordstream.ReadMagic(p.from); err == recordstream.ErrVersion {
		return refuse(p.file.path, fmt.Errorf("is %s, and %s can't hand on its records: %w; install both of one version", p.file.format.shape, path, err))
	} else if err != nil {
		return p.died(err)
	}
	return nil
}

// Close ends the program.
func (p *programRecords) Close() error {
	if p.command != nil {
		p.command.Process.Kill()
		p.keep.Close()
		p.command.Wait()
	}
	return nil
}

// died is the error of a program that ended before the records did.
func (p *programRecords) died(err error) error {
	if p.r.interrupted.Err() != nil {
		return errInterrupted
	}
	p.keep.Close()
	if waited := p.command.Wait(); waited != nil {
		err = waited
	}
	if how := err.Error(); how == "signal: killed" || how == "signal: terminated" {
		// Another attempt may succeed: a system that is short of memory kills good programs, too.
		return &FileError{Path: p.file.path, Err: fmt.Errorf("%s was stopped: %w", p.file.format.program, err)}
	}
	line, _, _ := strings.Cut(string(p.stderr), "\n")
	why := strings.TrimPrefix(line, p.file.format.program+": ")
	if why == "" || strings.Contains(why, "panic") {
		why = cmp.Or(why, err.Error()) + ", as if the file were damaged, or made to do harm"
	}
	if strings.Contains(why, "out of memory") {
		return refuse(p.file.path, fmt.Errorf("%s could not read on: %s; if you trust the file, give it more than its 4 GiB, NBSVM_PARQUET_MEMORY=16GiB", p.file.format.program, why))
	}
	return p.damage(fmt.Errorf("%s could not read on: %s", p.file.format.program, why))
}

// damage returns the error of a file of which the rest is lost.
func (p *programRecords) damage(err error) error {
	return &FileError{Path: p.file.path, Row: p.row + 1, Damaged: true, Err: err}
}

// next is the next block, or io.EOF.
func (p *programRecords) next() (records, error) {
	if p.command == nil {
		if err := p.start(); err != nil {
			return nil, err
		}
	}
	const usual = recordstream.BlockBytes + recordstream.BlockBytes/4
	var memory *buffer
	is, payload, err := recordstream.ReadFrame(p.from, func(n int) []byte {
		memory = newBuffer(&p.spare, max(n, usual), n <= usual)
		return memory.room
	})
	if err != nil {
		return nil, p.died(err)
	}
	switch is {
	case recordstream.Block:
		block, err := p.block(payload, memory)
		if err != nil {
			return nil, p.damage(err)
		}
		p.row = block.head.First + int64(block.head.Records)
		p.advance(block.head.Done - p.lo)
		return block, nil
	case recordstream.Refusal:
		return nil, refuse(p.file.path, errors.New(string(payload)))
	case recordstream.Damage:
		return nil, p.damage(errors.New(string(payload)))
	case recordstream.Failure:
		return nil, &FileError{Path: p.file.path, Err: errors.New(string(payload))}
	case recordstream.End:
		p.advance(min(cmp.Or(p.hi, p.r.src.plain.size), p.r.src.plain.size) - p.lo)
		if p.r.src.plain.first != nil {
			if err := p.r.src.plain.unchanged(); err != nil {
				return nil, &FileError{Path: p.file.path, Err: err}
			}
		}
		return nil, io.EOF
	}
	return nil, refuse(p.file.path, fmt.Errorf("%s sent what nbsvm does not know: install both of one version", p.file.format.program))
}

// advance says how much of the file, or of the shard's part of it, was read.
func (p *programRecords) advance(to int64) {
	if to > p.done {
		p.r.done.Add(to - p.done)
		p.done = to
	}
}

// head is the beginning of what a program writes to standard error.
type head []byte

func (h *head) Write(text []byte) (int, error) {
	const most = 8 << 10
	*h = append(*h, text[:min(len(text), most-len(*h))]...)
	return len(text), nil
}

// programBlock is records of a program's file, which it gives documents from.
type programBlock struct {
	*programRecords
	head   recordstream.Head
	values [][]byte // of each column
	memory *buffer
}

// block makes records of a block's bytes.
func (p *programRecords) block(payload []byte, memory *buffer) (*programBlock, error) {
	head, rest, err := recordstream.ParseHead(payload)
	b := &programBlock{programRecords: p, head: head, values: make([][]byte, p.columns), memory: memory}
	for k := range b.values {
		if err == nil {
			b.values[k], rest, err = recordstream.NextColumn(rest)
		}
		// Every field is looked at, so that append, whose errors are those of records, can't meet one of the block.
		var field []recordstream.Value
		for i, column := 0, b.values[k]; i < head.Records && err == nil; i++ {
			field, column, err = recordstream.NextField(field[:0], column)
		}
	}
	return b, err
}

func (b *programBlock) size() int64 {
	n := int64(b.head.Records) * documentBytes
	for _, column := range b.values {
		n += int64(len(column))
	}
	return n
}

func (b *programBlock) release() { b.memory.release() }

func (b *programBlock) first(int) (documents []Document, raw []byte) { return b.append(nil), nil }

func (b *programBlock) append(dst []Document) []Document {
	p := &parser{file: b.file, labels: make([][]byte, 0, b.head.Records)}
	row, rest := make([][]recordstream.Value, b.columns), slices.Clone(b.values)
	for i := range b.head.Records {
		dst = append(dst, Document{Weight: 1, EOL: "\n", Line: b.head.First + int64(i) + 1})
		d := &dst[len(dst)-1]
		for k := range row {
			row[k], rest[k], _ = recordstream.NextField(row[k][:0], rest[k])
		}
		if err := p.row(d, row); err != nil {
			b.file.spoil(d, err)
			d.Err.(*RecordError).RowGroup = b.head.RowGroup + 1
		}
	}
	return dst
}

// row fills in a document from the values of each column: several of a list of labels, else one.
func (p *parser) row(d *Document, row [][]recordstream.Value) error {
	o, start := p.file.o, len(p.labels)
	d.Kept = p.keep(len(p.file.keeps))
	for i, values := range row[len(row)-len(d.Kept):] {
		if values[0].Kind == recordstream.Text {
			d.Kept[i].raw = values[0].Bytes
		}
	}
	for _, values := range row {
		for _, v := range values {
			switch v.Kind {
			case recordstream.Bad:
				return faulty(WrongLabel, "%s", v.Bytes)
			case recordstream.Long:
				_, err := tooLong(v.Bytes, o.maxRecord())
				return err
			}
		}
	}
	null := func(k int, reason Reason) error {
		return faulty(reason, "column %s (%s) is null", wording.Excerpt(cmp.Or(o.fields()[k], fieldNames[k])), fieldNames[k])
	}
	text := row[textColumn][0]
	if text.Kind != recordstream.Text {
		return null(textField, NullText)
	}
	d.Text = text.Bytes
	if p.file.weighted() {
		weight := row[firstOther][0]
		if weight.Kind != recordstream.Text {
			return null(weightField, WrongWeight)
		}
		if err := p.weight(d, weight.Bytes); err != nil {
			return err
		}
	}
	if err := p.file.checkID(d, d.Text); err != nil {
		return err
	}
	labels := row[labelColumn]
	if labels[0].Kind == recordstream.Text {
		return p.field(d, labels[0].Bytes, d.Text)
	}
	for _, label := range labels[1:] { // behind the head of a list
		if label.Kind == recordstream.Null && !o.Unlabelled {
			return faulty(NoLabel, "a label in column %s is null", wording.Excerpt(cmp.Or(o.LabelField, "label")))
		}
		if len(label.Bytes) > 0 {
			p.labels = append(p.labels, label.Bytes)
		}
	}
	return p.finish(d, start, d.Text)
}
