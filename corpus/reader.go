package corpus

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

// Reader reads files one after the other. Next, Documents and Close must be called from one goroutine.
type Reader struct {
	o      Input
	paths  []string // still to be read
	stdin  io.Reader
	block  int // chunks' size
	limit  int // records of a chunk
	total  int64
	again  *Replay // of the input, if it is read several times
	done   atomic.Int64
	spare  sync.Pool // chunks' memory
	arenas sync.Pool // memory of what documents have that is not in the file as it is

	interrupted context.Context // done when reading is interrupted
	interrupt   context.CancelFunc

	buffered *bufio.Reader // of the open file
	own      *Input        // the options of the open file: o, but for its class
	src      *source       // the open file; nil between two, and of documents in memory
	file     *file
	cut      *cutter
	contents contents   // nil between two
	legible  doubt.Text // of the open file
	raw      []byte     // what its records begin with
	err      error      // stays
	before   *file      // the first of which the format is known
}

// Open begins to read an input. It reports missing files and folders in the list of paths at once, and other errors
// when the file is reached. Errors about a file name it.
func Open(in Input) (*Reader, error) {
	return open(in, nil)
}

func open(o Input, again *Replay) (*Reader, error) {
	paths := o.Paths
	o.Unlabelled = o.Unlabelled || o.FieldsOnly
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if !o.Unlabelled {
		o.LabelSep = cmp.Or(o.LabelSep, o.Like.LabelSep)
	}
	if len(paths) == 0 && o.Documents == nil {
		paths = []string{"-"}
	}
	r := &Reader{o: o, paths: paths, stdin: o.Stdin, again: again, block: chunkSize, limit: chunkLimit, total: -1}
	r.interrupted, r.interrupt = context.WithCancel(context.Background())
	if o.ChunkRecords > 0 {
		r.limit = min(o.ChunkRecords, chunkLimit)
	}
	if o.Documents != nil {
		if len(paths) > 0 {
			return nil, errMemoryAndFiles
		}
		r.openMemory()
		return r, nil
	}
	var sizes []int64
	var err error
	if again != nil && again.files != nil {
		sizes, r.total = again.sizes, again.total
	} else if sizes, err = o.checkPaths(paths); err != nil {
		return nil, err
	} else {
		r.total = total(sizes)
	}
	if again != nil && again.files == nil {
		again.files, again.sizes, again.total = make([]replayed, len(paths)), sizes, r.total
	}
	return r, nil
}

// Next returns the next chunk, in the order of the input, or io.EOF. After any other error, which names the file,
// nothing more can be read; all whole records before it have been returned.
//
// Chunks of files are about a mebibyte. Those of pipes may be smaller, since records are returned as they arrive.
func (r *Reader) Next() (*Chunk, error) {
	for r.err == nil {
		if r.contents == nil {
			if len(r.paths) == 0 {
				r.err = io.EOF
				if r.again != nil {
					r.again.total = max(r.total, r.done.Load())
				}
				break
			}
			path := r.paths[0]
			r.paths = r.paths[1:]
			if r.err = r.openFile(path); r.err != nil {
				r.closeFile()
				continue
			}
			if r.o.Headers && r.file.header != nil {
				return &Chunk{file: r.file, header: r.file.header}, nil
			}
		}
		records, err := r.contents.next()
		if err == nil {
			err = r.look(r.file, records)
		} else if err == io.EOF {
			err = cmp.Or(r.legibility(r.file, true), err)
		}
		switch {
		case err == nil:
			return &Chunk{file: r.file, records: records}, nil
		case err == io.EOF:
			r.err = r.closeFile()
		default:
			r.err = err
			r.closeFile()
		}
	}
	return nil, r.err
}

// look looks at the texts of records of a file, until it has seen enough of them, and refuses the file if it can't be
// read.
func (r *Reader) look(f *file, of records) error {
	l := &r.legible
	seen := l.Missing() == 0
	if r.own != nil && r.own.textless() { // there are only the bytes of lines to look at, if records are lines
		seen = f.format.parse == nil || len(r.raw) == doubt.Sample
	}
	if seen {
		return nil
	}
	documents, raw := of.first(l.Missing())
	for i := range documents {
		l.Add(documents[i].Text, documents[i].Line)
	}
	r.raw = append(r.raw, raw[:min(len(raw), doubt.Sample-len(r.raw))]...)
	whole := r.cut != nil && r.cut.end == io.EOF && r.cut.start == len(r.cut.buf)
	if whole || l.Enough() || len(r.raw) == doubt.Sample {
		return r.legibility(f, whole)
	}
	return nil
}

// legibility returns the error of a file whose text can't be read, as far as it was looked at; whole says that there is
// no more of it.
func (r *Reader) legibility(f *file, whole bool) error {
	if r.o.Documents != nil {
		if err := r.legible.CheckTexts(); err != nil {
			return refuse(f.path, err)
		}
		return nil
	}
	word := "FILE"
	if r.src != nil {
		word = r.src.word()
	}
	if whole || len(r.raw) == doubt.Sample {
		if err := doubt.CheckWide(r.raw, word); err != nil {
			return refuse(f.path, err)
		}
	}
	if err := r.legible.Check(r.raw, word); err != nil {
		return refuse(f.path, err)
	}
	return nil
}

// Documents ranges over the remaining documents, including bad ones, whose Err is set. An error of Next ends it.
func (r *Reader) Documents() iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for {
			chunk, err := r.Next()
			if err != nil {
				if err != io.EOF {
					yield(Document{}, err)
				}
				return
			}
			for _, d := range chunk.Append(nil) {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func (r *Reader) closeFile() (err error) {
	if r.src != nil {
		err = r.src.Close()
	}
	if c, is := r.contents.(io.Closer); is {
		c.Close()
	}
	if r.cut != nil {
		r.cut.memory.release()
	}
	r.src, r.file, r.cut, r.contents = nil, nil, nil, nil
	r.legible, r.raw = doubt.Text{}, r.raw[:0]
	return err
}

// Progress returns how many bytes of the files have been read, and how many there are; -1 if that is unknown, as with
// pipes. Bytes of compressed files are those of the file. It can be called from any goroutine.
func (r *Reader) Progress() (done, total int64) {
	done = r.done.Load()
	if r.total >= 0 {
		done = min(done, r.total) // a file may have grown
	}
	return done, r.total
}

// Interrupt makes Next return an error, even if it is waiting for bytes of standard input or a pipe, which are then
// lost. It can be called from any goroutine.
func (r *Reader) Interrupt() { r.interrupt() }

// Close closes the current file, but never Input.Stdin. Chunks stay valid.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = errClosed
	}
	return r.closeFile()
}
