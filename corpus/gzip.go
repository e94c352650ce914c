package corpus

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads the members of a gzip file one after the other. The library takes a header that is cut off within its
// name for the end of the file.
type members struct {
	*gzip.Reader
	from  *bufio.Reader
	tape  tape
	out   int64 // bytes that were read
	begin int64 // as many as there were before the member at hand
}

func openGzip(r *bufio.Reader) (io.ReadCloser, error) {
	m := &members{tape: tape{from: r}}
	m.from = bufio.NewReaderSize(&m.tape, readBuffer)
	var err error
	if m.Reader, err = gzip.NewReader(m.from); err != nil {
		return nil, err
	}
	m.Multistream(false)
	return m, nil
}

func (m *members) Read(p []byte) (n int, err error) {
	n, err = m.Reader.Read(p)
	m.out += int64(n)
	if n > 0 && err == io.EOF {
		return n, nil // what follows may be long in coming
	} else if err != io.EOF {
		return n, err
	}
	if _, none := m.from.Peek(1); none != nil {
		return n, none
	}
	if err = m.start(); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close does nothing: there is nothing to close, and what is damaged was said when it was read.
func (m *members) Close() error { return nil }

// start begins a member.
func (m *members) start() error {
	m.begin = m.out
	m.tape.mark(m.from.Buffered())
	err := m.Reset(m.from)
	m.Multistream(false)
	return err
}

// resume goes on behind a damaged member, which may have been read beyond its end: with the next member whose data
// begin as they should. It returns io.EOF if there is none.
func (m *members) resume(beginning string) error {
	const beginsWithin = 4 << 10
	m.tape.rewind()
	m.from.Reset(&m.tape)
	for {
		head, err := m.from.Peek(beginsWithin)
		if len(head) == 0 {
			return err
		}
		if at := bytes.Index(head, []byte("\x1f\x8b\x08")); at != 0 {
			if at < 0 { // the last bytes may be the first of them
				at = max(len(head)-2, 1)
			}
			m.from.Discard(at)
			continue
		}
		begins := make([]byte, len(beginning))
		if m.Reset(bytes.NewReader(head)) == nil {
			io.ReadFull(m.Reader, begins)
		}
		if string(begins) == beginning {
			return m.start()
		}
		m.from.Discard(1)
	}
}

// tape is a reader that can go back to a mark, if that is not too far behind.
type tape struct {
	from  io.Reader
	again []byte // to be read first
	kept  []byte // what was read
	first int    // of kept that is behind the mark
}

// longestTape is more than what is read between the beginning of a member and the place where its damage shows, unless
// it is a large one.
const longestTape = 1 << 20

func (t *tape) Read(p []byte) (n int, err error) {
	if len(t.again) > 0 {
		n = copy(p, t.again)
		t.again = t.again[n:]
	} else {
		n, err = t.from.Read(p)
	}
	if t.first > 0 || len(t.kept) > longestTape {
		t.kept = append(t.kept[:0], t.kept[max(t.first, len(t.kept)-longestTape/2):]...)
		t.first = 0
	}
	t.kept = append(t.kept, p[:n]...)
	return n, err
}

// mark puts the mark as many bytes before the end of what was read.
func (t *tape) mark(before int) { t.first = len(t.kept) - before }

// rewind goes back to the byte behind the mark.
func (t *tape) rewind() {
	t.again = append(t.kept[min(t.first+1, len(t.kept)):], t.again...)
	t.kept, t.first = nil, 0
}
