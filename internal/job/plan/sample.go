package plan

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/jsonstring"
	"github.com/seed-167f963f/nbsvm/internal/file/compressed"
)

// sample is some documents, in files of their own.
type sample struct {
	in corpus.Input
	// Of the sample and, as far as its part of the files tells, of all: bytes are those of records, decompressed.
	documents, bytes       int64
	allDocuments, allBytes float64
	stored                 float64 // bytes of all files as they are
}

const (
	// sampleFiles is how many files a sample has at least: parts of corpora are merged from them.
	sampleFiles = 4
	// mostPlaces is at how many places samples are taken, in files and within them: documents may be sorted.
	mostPlaces = 64
	// mostCompressed is of how many compressed files, which are read from their beginning.
	mostCompressed = 8
)

// generate makes a sample of generated documents.
func generate(ctx context.Context, folder string, c bench.Corpus, threads int) (*sample, error) {
	s := &sample{documents: int64(c.Documents)}
	for i := range sampleFiles {
		part := c
		part.Documents = c.Documents*(i+1)/sampleFiles - c.Documents*i/sampleFiles
		part.Seed += uint64(i)
		path := filepath.Join(folder, fmt.Sprintf("sample-%d.tsv", i))
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		err = part.WriteTSV(ctx, f, threads)
		info, statErr := f.Stat()
		if err = errors.Join(err, statErr, f.Close()); err != nil {
			return nil, err
		}
		s.bytes += info.Size()
		s.in.Paths = append(s.in.Paths, path)
	}
	s.allDocuments, s.allBytes = float64(s.documents), float64(s.bytes)
	s.stored = s.allBytes
	return s, nil
}

// take takes a sample of so many bytes of records, or all if there are fewer, from as many places as possible.
func take(ctx context.Context, folder string, in corpus.Input, want int64) (s *sample, err error) {
	var places []*place
	defer func() {
		for _, p := range places {
			err = errors.Join(err, p.close())
		}
	}()
	chosen, stored, err := choose(in.Paths)
	if err != nil {
		return nil, err
	}
	var outputs []*output
	defer func() {
		for _, o := range outputs {
			err = errors.Join(err, o.close())
		}
	}()
	ways := (sampleFiles + len(chosen) - 1) / len(chosen)
	s = &sample{in: in.Again(), stored: float64(stored)}
	s.in.Paths = nil
	for _, path := range chosen {
		first := len(outputs)
		for w := range ways {
			o, err := newOutput(filepath.Join(folder, fmt.Sprintf("%d-%d-%s", first, w, filepath.Base(path))))
			if err != nil {
				return nil, err
			}
			outputs = append(outputs, o)
		}
		shards, err := shardsOf(path, max(1, mostPlaces/len(chosen)))
		if err != nil {
			return nil, err
		}
		for _, shard := range shards {
			p, err := open(in, path, shard, outputs[first:])
			if err != nil {
				return nil, err
			}
			places = append(places, p)
		}
	}
	for open := spread(places); len(open) > 0 && s.bytes < want; {
		var still []*place
		for _, p := range open {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if s.bytes >= want {
				break
			}
			documents, size, err := p.next(in)
			s.documents, s.bytes = s.documents+documents, s.bytes+size
			switch err {
			case nil:
				still = append(still, p)
			case io.EOF:
			default:
				return nil, err
			}
		}
		open = still
	}
	if s.documents == 0 {
		return nil, errors.New("nbsvm: no documents in " + in.Describe() + ": is that the right input?")
	}
	for _, o := range outputs {
		if o.documents > 0 {
			s.in.Paths = append(s.in.Paths, o.path)
		}
	}
	if err := s.asLines(places); err != nil {
		return nil, err
	}
	s.reckonAll(places)
	return s, nil
}

// choose chooses files to take documents from, and adds up the sizes of all.
func choose(paths []string) (chosen []string, stored int64, err error) {
	most := mostPlaces
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, 0, err
		case !info.Mode().IsRegular():
			return nil, 0, fmt.Errorf("nbsvm: %s is not a regular file: a plan reads documents several times and needs the sizes of files", path)
		}
		stored += info.Size()
		if compressed.Of(path) != compressed.None {
			most = mostCompressed
		}
	}
	n := min(len(paths), most)
	for i := range n {
		chosen = append(chosen, paths[i*len(paths)/n])
	}
	return chosen, stored, nil
}

// leastPlace is how many bytes a file has for each place in it.
const leastPlace = 1 << 20

// shardsOf are the shards of a file that begin at its places. What is compressed has one.
func shardsOf(path string, most int) (shards []corpus.Shard, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	parts := min(most, int(info.Size()/leastPlace))
	if parts < 2 || compressed.Of(path) != compressed.None {
		return []corpus.Shard{{}}, nil
	}
	for i := range parts {
		shards = append(shards, corpus.Shard{Number: i + 1, Of: parts})
	}
	return shards, nil
}

// spread puts places in an order in which each is far from those before it, as not all may be needed.
func spread(places []*place) (order []*place) {
	rest := slices.Clone(places)
	for at := 0; len(rest) > 0; {
		at = (at + len(rest)*5/8) % len(rest)
		order = append(order, rest[at])
		rest = slices.Delete(rest, at, at+1)
	}
	return order
}

// place is where documents are taken from, one chunk after the other.
type place struct {
	reader  *corpus.Reader
	outputs []*output // in turns
	turn    int

	compressed bool   // or Parquet, which is
	rows       bool   // of Parquet, which become JSON lines
	ended      bool   // all was read
	marks      []mark // behind each chunk
	line       []byte // scratch memory
}

// mark is how much was read where.
type mark struct {
	stored int64 // bytes of the file, compressed if it is
	bytes  int64 // of records
}

func open(in corpus.Input, path string, shard corpus.Shard, outputs []*output) (*place, error) {
	o := in
	o.Shard, o.Headers = shard, true
	reader, err := corpus.Open(o.With(path))
	if err != nil {
		return nil, err
	}
	isCompressed := compressed.Of(path) != compressed.None
	return &place{reader: reader, outputs: outputs, compressed: isCompressed, marks: []mark{{}}}, nil
}

func (p *place) close() error { return p.reader.Close() }

// next writes the good documents of the next chunk to a file of the sample.
func (p *place) next(in corpus.Input) (documents, size int64, err error) {
	chunk, err := p.reader.Next()
	if err != nil {
		p.ended = err == io.EOF
		return 0, 0, err
	}
	defer chunk.Release()
	if header, _ := chunk.Header(); header != nil {
		for _, o := range p.outputs {
			o.header = append([]byte(nil), header...)
		}
		return 0, 0, nil
	}
	if chunk.Format() == corpus.Parquet {
		p.rows, p.compressed = true, true
	}
	out := p.outputs[p.turn%len(p.outputs)]
	p.turn++
	for _, d := range chunk.Append(nil) {
		if d.Err != nil {
			if err := in.Bad.Report(d); err != nil {
				return 0, 0, err
			}
			continue
		}
		if p.rows {
			p.line = appendLine(p.line[:0], &d, in.LabelSep)
			d.Record = p.line
		}
		if err := out.write(&d); err != nil {
			return 0, 0, err
		}
		documents++
		size += int64(len(d.Record) + 1)
	}
	all := p.marks[len(p.marks)-1].bytes + size
	stored := all
	if p.compressed {
		stored, _ = p.reader.Progress()
	}
	p.marks = append(p.marks, mark{stored, all})
	return documents, size, nil
}

// reckonAll reckons what all files hold, from what the sample's share of their bytes does. What readers have read ahead
// is at the beginning of a file as much as later on: the second half of what was read is free of it.
func (s *sample) reckonAll(places []*place) {
	var stored, bytes float64
	for _, p := range places {
		last, half := p.marks[len(p.marks)-1], p.marks[(len(p.marks)-1)/2]
		if last.stored == half.stored || p.ended {
			half = mark{}
		}
		stored, bytes = stored+float64(last.stored-half.stored), bytes+float64(last.bytes-half.bytes)
	}
	s.allBytes = max(s.stored*bytes/max(stored, 1), float64(s.bytes))
	s.allDocuments = max(s.allBytes/float64(s.bytes)*float64(s.documents), float64(s.documents))
}

// appendLine appends a document as JSON, whose fields have their usual names.
func appendLine(dst []byte, d *corpus.Document, labelSep string) []byte {
	dst = append(dst, `{"label":`...)
	if labelSep != "" || len(d.Labels) == 1 {
		dst = jsonstring.Append(dst, bytes.Join(d.Labels, []byte(labelSep)))
	} else {
		for i, label := range d.Labels {
			dst = jsonstring.Append(append(dst, "[,"[min(i, 1)]), label)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"weight":`...)
	dst = strconv.AppendFloat(dst, float64(d.Weight), 'g', -1, 32)
	dst = jsonstring.Append(append(dst, `,"text":`...), d.Text)
	return append(dst, '}')
}

// asLines has the sample read as JSON lines, if it is of Parquet files.
func (s *sample) asLines(places []*place) error {
	rows := slices.ContainsFunc(places, func(p *place) bool { return p.rows })
	if !rows {
		return nil
	}
	if slices.ContainsFunc(places, func(p *place) bool { return !p.rows && p.marks[len(p.marks)-1].bytes > 0 }) {
		return errors.New("nbsvm: some files are Parquet and others are not: make a plan for files of one format")
	}
	weighed := s.in.WeightField != ""
	s.in.Format, s.in.TextField, s.in.LabelField, s.in.WeightField, s.in.Header = corpus.JSONL, "", "", "", nil
	if weighed {
		s.in.WeightField = "weight"
	}
	return nil
}

// output is a file of a sample.
type output struct {
	path   string
	file   *os.File
	w      *bufio.Writer
	frames io.Closer // nil, or compresses, as the file is that the records are of
	header []byte    // nil, or to be written in front of the first record

	documents int
}

func newOutput(path string) (*output, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	o := &output{path: path, file: f, w: bufio.NewWriterSize(f, 1<<16)}
	if kind := compressed.Of(path); kind != compressed.None {
		frames, err := compressed.NewWriter(f, kind, 1)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		o.w, o.frames = bufio.NewWriterSize(frames, 1<<16), frames
	}
	return o, nil
}

func (o *output) write(d *corpus.Document) error {
	o.documents++
	o.w.Write(o.header)
	o.header = nil
	o.w.Write(d.Record)
	return o.w.WriteByte('\n') // which tells of earlier errors, too
}

func (o *output) close() error {
	o.w.Write(o.header) // of a file without records
	err := o.w.Flush()
	if o.frames != nil {
		err = errors.Join(err, o.frames.Close())
	}
	return errors.Join(err, o.file.Close())
}
