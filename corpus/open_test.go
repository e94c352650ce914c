package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// numbers is a format that is no text: a file of two columns, one behind the other, of
// labels and texts, which are numbers of 8 bytes.
var numbersFormat = format{
	name: "numbers", extensions: []string{".num"},
	open: func(r *Reader, _ *peeker) (contents, error) {
		if r.src.plain == nil {
			return nil, &FileError{Path: r.file.path, Err: errors.New("is no file: decompress it first")}
		}
		return &numbers{r.src.plain, r.src.plain.size / 16, 0, r.limit}, nil
	},
}

type numbers struct {
	file  *whole
	rows  int64
	at    int64
	limit int
}

// next reads at most three rows of both columns.
func (n *numbers) next() (records, error) {
	rows := min(n.rows-n.at, 3, int64(n.limit))
	if rows == 0 {
		return nil, io.EOF
	}
	labels, texts := make([]byte, 8*rows), make([]byte, 8*rows)
	_, err := n.file.file.ReadAt(labels, 8*n.at)
	_, err2 := n.file.file.ReadAt(texts, 8*(n.rows+n.at))
	n.at += rows
	return numberRows{labels, texts}, errors.Join(err, err2)
}

type numberRows [2][]byte

func (numberRows) first(int) (documents []Document, raw []byte) { return nil, nil }

func (r numberRows) append(dst []Document) []Document {
	for i := 0; i < len(r[0]); i += 8 {
		field := func(column []byte) []byte { return fmt.Append(nil, binary.LittleEndian.Uint64(column[i:])) }
		dst = append(dst, Document{Labels: [][]byte{field(r[0])}, Text: field(r[1]), Weight: 1})
	}
	return dst
}

func (r numberRows) size() int64 { return int64(len(r[0]) + len(r[1])) }

func (r numberRows) release() {}

// TestNoText: a format stored by column is one line of the table, too.
func TestNoText(t *testing.T) {
	before := formats
	defer func() { formats = before }()
	formats = append(formats[:len(formats):len(formats)], &numbersFormat)
	var content []byte
	for _, x := range []uint64{1, 2, 1, 2, 1, 10, 20, 30, 40, 50} {
		content = binary.LittleEndian.AppendUint64(content, x)
	}
	file := writeFile(t, "a.num", string(content))
	paths := []string{writeFile(t, "a.tsv", "x\ty\n"), file}
	replay := NewReplay(Input{Paths: paths}, "")
	for range 2 {
		if p, err := pass(replay, -1); err != nil || brief(p.docs) != "x:y;1:10;2:20;1:30;2:40;1:50" {
			t.Errorf("%+v, error %v", p.docs, err)
		}
	}
	if p, err := pass(NewReplay(Input{Paths: paths, Headers: true}, ""), -1); !IsBadFile(err) || len(p.docs) != 1 {
		t.Errorf("records of two formats are joined: %+v, error %v", p.docs, err)
	}
	r, err := Open(Input{Paths: []string{file}, Format: "numbers", ChunkRecords: 1})
	must.OK(t, err)
	defer r.Close()
	c, err := r.Next()
	must.OK(t, err)
	if got := brief(flatten(c.Append(nil))); got != "1:10" || c.Format() != "numbers" {
		t.Errorf("one record of %s is %s", c.Format(), got)
	}
	c.Release()
	_, err = readWith([]string{writeFile(t, "a.num.gz", gz(t, string(content)))}, nil, Input{}, chunkSize, chunkLimit)
	wantFileError(t, err, "a.num.gz", "decompress it first")
}
