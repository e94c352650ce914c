package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Parquet is a Parquet file. Fields are text and label unless Input names others; dots descend into groups.
const Parquet Format = "parquet"

var parquetFormat = format{
	name: Parquet, extensions: []string{".parquet", ".pq"}, shape: "a Parquet file", fields: true, open: openParquet,
}

const (
	notParquet    = "does not begin as Parquet files do: it is something else, or damaged or encrypted; Input.Format says what it is"
	innerParquet  = "is a Parquet file that was compressed as a whole, and it is read from its end: decompress it first, gzip -d or zstd -d %[1]s"
	parquetStream = "is a Parquet file, which is read from its end, not from a pipe or an archive: save it as a file first"
)

// parquetRows are the rows of a file, which is opened by the first call of next.
type parquetRows struct {
	r    *Reader
	file *file

	blocks *parquetfile.Blocks // nil before the file is open
	done   int64
	row    int64     // that follows those read, from 0
	spare  sync.Pool // of blocks
}

func openParquet(r *Reader, _ *peeker) (contents, error) {
	return &parquetRows{r: r, file: r.file}, nil
}

// weighted reports whether there is a column of weights.
func (f *file) weighted() bool { return !f.o.scored() && f.o.WeightField != "" }

// checkKnown looks at a file whose format is beyond doubt.
func (r *Reader) checkKnown(of *format) error {
	f := r.file
	switch given := r.o.format(); {
	case given != nil && given != of:
		return refuse(f.path, fmt.Errorf("is %s, not %s: give Input.Format %s, or leave Input.Format and Input.Delimiter out",
			of.shape, given.name, of.name))
	case of == &parquetFormat && r.src.plain == nil:
		return refuse(f.path, errors.New(parquetStream))
	case of.noLabels && !r.own.Unlabelled:
		return refuse(f.path, fmt.Errorf("is %s, which has no labels: give the label of all its records with Input.Classes, or label a sample of them, as JSON lines", of.shape))
	case of.ownText && r.own.fields() != [fieldCount]string{}:
		f.note("is %s, which has a single text and no labels: Input.TextField, Input.LabelField and Input.WeightField have no effect", of.shape)
	case r.o.Header != nil:
		f.note("is %s: Input.Header has no effect", of.shape)
	}
	f.format = of
	f.likeOthers(r.own)
	return nil
}

// open reads the footer and finds the columns.
func (p *parquetRows) open() error {
	plain, o := p.r.src.plain, p.file.o
	weight := o.WeightField
	if o.scored() {
		weight = ""
	}
	f, err := parquetfile.OpenAt(plain.file, plain.info.Size())
	if err == nil {
		p.blocks, err = f.Blocks(parquetfile.Options{
			Text: o.TextField, Label: o.fields()[labelField], Weight: weight, Unlabelled: o.Unlabelled, Keep: p.file.keeps,
			Numbers: o.Numbers, FieldsOnly: o.FieldsOnly, MaxValue: o.maxRecord(),
		})
	}
	return err
}

// Close ends reading.
func (p *parquetRows) Close() error {
	if p.blocks != nil {
		p.blocks.Close()
	}
	return nil
}

// next returns the next block, or io.EOF.
func (p *parquetRows) next() (records, error) {
	if p.r.interrupted.Err() != nil {
		return nil, errInterrupted
	}
	if p.blocks == nil {
		if err := p.open(); err != nil {
			return nil, p.failed(err)
		}
	}
	b, ok := p.spare.Get().(*parquetBlock)
	if !ok {
		b = &parquetBlock{}
	}
	b.parquetRows = p
	switch err := p.blocks.Next(&b.Block); {
	case err == io.EOF:
		p.advance(p.r.src.plain.size)
		if p.r.src.plain.first != nil {
			if err := p.r.src.plain.unchanged(); err != nil {
				return nil, &FileError{Path: p.file.path, Err: err}
			}
		}
		return nil, io.EOF
	case err != nil:
		return nil, p.failed(err)
	}
	p.row = b.First + int64(b.Rows)
	p.advance(b.Done)
	return b, nil
}

// failed returns the error of a file that can't be read on.
func (p *parquetRows) failed(err error) error {
	if parquetfile.IsRefusal(err) {
		return refuse(p.file.path, err)
	} else if _, system := errors.AsType[*fs.PathError](err); system {
		return &FileError{Path: p.file.path, Err: cause(err)}
	}
	return &FileError{Path: p.file.path, Row: p.row + 1, Damaged: true, Err: err}
}

// advance counts how much of the file was read.
func (p *parquetRows) advance(to int64) {
	if to > p.done {
		p.r.done.Add(to - p.done)
		p.done = to
	}
}

// parquetBlock is a run of rows, which it gives documents from.
type parquetBlock struct {
	*parquetRows
	parquetfile.Block
}

func (b *parquetBlock) size() int64 {
	n := int64(b.Rows) * documentBytes
	for i := range b.Columns {
		n += int64(b.Columns[i].Size())
	}
	return n
}

func (b *parquetBlock) release() { b.spare.Put(b) }

func (b *parquetBlock) first(int) (documents []Document, raw []byte) { return b.append(nil), nil }

func (b *parquetBlock) append(dst []Document) []Document {
	p := &parser{file: b.file, labels: make([][]byte, 0, b.Rows)}
	fields := make([][]parquetfile.Value, len(b.Columns))
	for i := range b.Rows {
		dst = append(dst, Document{Weight: 1, EOL: "\n", Line: b.First + int64(i) + 1})
		d := &dst[len(dst)-1]
		for k := range fields {
			fields[k] = b.Columns[k].Row(fields[k][:0], i)
		}
		if b.file.labels != nil { // whatever the label is
			fields[parquetfile.LabelColumn] = []parquetfile.Value{{}}
		}
		if err := p.row(d, fields, b.Columns[parquetfile.LabelColumn].IsList()); err != nil {
			b.file.spoil(d, err)
			d.Err.(*RecordError).RowGroup = b.RowGroup + 1
		} else if b.file.labels != nil {
			d.Labels = b.file.labels
		}
	}
	return dst
}

// row fills in a document from the values of each column: of labels any number if they are lists, else one.
func (p *parser) row(d *Document, row [][]parquetfile.Value, lists bool) error {
	o, start := p.file.o, len(p.labels)
	d.Kept = p.keep(len(p.file.keeps))
	for i, values := range row[len(row)-len(d.Kept):] {
		if values[0].Kind == parquetfile.Text {
			d.Kept[i].raw = values[0].Bytes
		}
	}
	for _, values := range row {
		for _, v := range values {
			switch v.Kind {
			case parquetfile.Bad:
				return &fault{reason: wrongLabel, what: string(v.Bytes)}
			case parquetfile.Long:
				_, err := tooLong(v.Bytes, o.maxRecord())
				return err
			}
		}
	}
	null := func(k int, reason Reason) error {
		return &fault{reason: reason, what: fmt.Sprintf("column %s (%s) is null",
			display.Excerpt(cmp.Or(o.fields()[k], fieldNames[k])), o.fieldName(k))}
	}
	if o.textless() {
		return p.file.checkID(d, nil)
	}
	text := row[parquetfile.TextColumn][0]
	if text.Kind != parquetfile.Text {
		return null(textField, nullText)
	}
	d.Text = text.Bytes
	if p.file.weighted() {
		weight := row[parquetfile.FirstOther][0]
		if weight.Kind != parquetfile.Text {
			return null(weightField, wrongWeight)
		}
		if err := p.weight(d, weight.Bytes); err != nil {
			return err
		}
	}
	if err := p.file.checkID(d, d.Text); err != nil {
		return err
	}
	labels := row[parquetfile.LabelColumn]
	if !lists && labels[0].Kind == parquetfile.Text {
		return p.field(d, labels[0].Bytes, d.Text)
	}
	for _, label := range labels {
		if lists && label.Kind == parquetfile.Null && !o.Unlabelled {
			return &fault{reason: noLabel, what: fmt.Sprintf("a label in column %s is null",
				display.Excerpt(cmp.Or(o.fields()[labelField], "label")))}
		}
		if len(label.Bytes) > 0 {
			p.labels = append(p.labels, label.Bytes)
		}
	}
	return p.finish(d, start, d.Text)
}
