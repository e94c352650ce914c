package tag

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// Reading says how files are read.
type Reading struct {
	Format     Format `json:"format"`
	Column     int    `json:"column"`      // of the tags, from 1; 0 is the last, or in CoNLL-U the fourth, UPOS
	WordColumn int    `json:"word_column"` // of the words; 0 is the first, or in CoNLL-U the second, FORM
}

// Validate checks numbers of columns.
func (o Reading) Validate() error {
	if o.Column < 0 || o.WordColumn < 0 || o.Column > mostColumns || o.WordColumn > mostColumns {
		return fmt.Errorf("tag: columns are numbered from 1 to %d, and not %d and %d", mostColumns, o.Column, o.WordColumn)
	}
	if o.Column > 0 && o.Column == o.WordColumn {
		return fmt.Errorf("tag: column %d can't have both words and tags", o.Column)
	}
	return nil
}

// mostColumns is more than any file has.
const mostColumns = 1000

// Reader reads sentences of files, one after the other.
type Reader struct {
	lines  *corpus.Reader
	chunk  *corpus.Chunk
	docs   []corpus.Document
	at     int
	asked  Reading // by the caller
	like   Reading // of files that say nothing else
	as     Reading // of the file that is being read
	width  int     // columns of its lines; 0 before the first
	tagged bool    // tags are needed
	spans  [][2]int
	ended  error
}

// Open begins to read files, or stdin where a path is "-" or there are none. What is not said of them is as in like. If
// they need not be tagged, CoNLL's last column may be missing.
func Open(paths []string, stdin io.Reader, asked, like Reading, tagged bool) (*Reader, error) {
	lines, err := corpus.Open(corpus.Input{Paths: paths, Stdin: stdin, Format: corpus.Lines, Unlabelled: true})
	if err != nil {
		return nil, err
	}
	return &Reader{lines: lines, asked: asked, like: like, tagged: tagged}, nil
}

// Close closes the files.
func (r *Reader) Close() error {
	if r.chunk != nil {
		r.chunk.Release()
		r.chunk = nil
	}
	return r.lines.Close()
}

// Interrupt lets a call of Next that waits for input return.
func (r *Reader) Interrupt() { r.lines.Interrupt() }

// Progress is how many bytes of the files have been read, and how many there are.
func (r *Reader) Progress() (done, total int64) { return r.lines.Progress() }

// Reading is how the file is read from which the last sentence comes.
func (r *Reader) Reading() Reading { return r.as }

// peek is the next line; nil at the end.
func (r *Reader) peek() (*corpus.Document, error) {
	for r.at == len(r.docs) && r.ended == nil {
		if r.chunk != nil {
			r.chunk.Release()
			r.chunk = nil
		}
		chunk, err := r.lines.Next()
		if err != nil {
			r.ended = err
			break
		}
		r.chunk, r.docs, r.at = chunk, chunk.Append(r.docs[:0]), 0
	}
	if r.at < len(r.docs) {
		d := &r.docs[r.at]
		return d, d.Err
	}
	if r.ended != io.EOF {
		return nil, r.ended
	}
	return nil, nil
}

// Next is the next sentence that has words; io.EOF after the last. What stands behind the last sentence is one without
// words, so that all text of the files is that of some sentence.
func (r *Reader) Next() (*Sentence, error) {
	s := &Sentence{}
	for {
		d, err := r.peek()
		if err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		if d.Line == 1 && len(s.text) > 0 { // another file
			if len(s.slots) > 0 && r.as.Format != Slash && r.as.Format != Words {
				s.text = append(s.text, '\n') // the next sentence is another
			}
			break
		}
		if err := r.begin(s, d); err != nil {
			return nil, err
		}
		at, text := r.at, len(s.text)
		r.at++
		s.text = append(append(s.text, d.Record...), d.EOL...)
		if isBlank(d.Record) {
			if len(s.slots) > 0 {
				break
			}
			continue
		}
		if err := r.line(s, &r.docs[at], text); err != nil {
			return nil, fmt.Errorf("%s:%d (byte %d): %w; it begins with %s", s.Path, d.Line, d.Offset, err, wording.Excerpt(d.Record))
		}
		if len(s.slots) > 0 && (r.as.Format == Slash || r.as.Format == Words) {
			break
		}
	}
	if len(s.text) == 0 {
		return nil, io.EOF
	}
	s.finish(r.as, r.tagged)
	return s, nil
}

// begin finds out how a file is read, and where a sentence begins.
func (r *Reader) begin(s *Sentence, d *corpus.Document) error {
	if s.Path == "" {
		s.Path, s.Line = r.chunk.Path(), d.Line
	}
	if d.Line == 1 {
		r.as, r.width = Reading{}, 0
	}
	if r.as.Format != "" || isBlank(d.Record) {
		return nil
	}
	r.as = r.asked
	if r.as.Format == Auto || r.as.Format == "" {
		r.as.Format = formatOf(s.Path)
	}
	if r.as.Format == Auto {
		if r.as.Format = formatOfLine(d.Record); r.as.Format == CoNLL && r.like.Format == CoNLLU {
			r.as.Format = CoNLLU
		}
	}
	if r.as.Format == r.like.Format {
		if r.as.Column == 0 {
			r.as.Column = r.like.Column
		}
		if r.as.WordColumn == 0 {
			r.as.WordColumn = r.like.WordColumn
		}
	}
	switch {
	case r.as.Format == CoNLLU && r.as.Column == 0:
		r.as.Column = 4
	case r.as.Format == Words && r.tagged:
		return fmt.Errorf("%s: lines of words have no tags: give a file that has, or name its format with --format", s.Path)
	}
	if r.as.WordColumn == 0 {
		r.as.WordColumn = 1
		if r.as.Format == CoNLLU {
			r.as.WordColumn = 2
		}
	}
	return nil
}

// line takes the words of a line, whose text begins there in that of the sentence.
func (r *Reader) line(s *Sentence, d *corpus.Document, at int) error {
	switch r.as.Format {
	case Slash:
		return r.slashes(s, d, at)
	case Words:
		r.spans = cutBlanks(r.spans[:0], d.Record)
		for _, span := range r.spans {
			s.add(d.Line, slot{at + span[1], at + span[1], '/'}, [2]int{at + span[0], at + span[1]})
		}
		return nil
	case CoNLLU:
		if d.Record[0] == '#' {
			return nil
		}
		return r.conllu(s, d, at)
	}
	return r.conll(s, d, at)
}

func (r *Reader) slashes(s *Sentence, d *corpus.Document, at int) error {
	r.spans = cutBlanks(r.spans[:0], d.Record)
	for _, span := range r.spans {
		word := d.Record[span[0]:span[1]]
		slash := bytes.LastIndexByte(word, '/')
		if slash <= 0 || slash == len(word)-1 {
			return fmt.Errorf("%s is not word/TAG; lines of words without tags are read with --format words, columns with --format conll", wording.Excerpt(word))
		}
		from := at + span[0]
		s.add(d.Line, slot{from + slash + 1, at + span[1], 0}, [2]int{from, from + slash}, [2]int{from + slash + 1, at + span[1]})
	}
	return nil
}

func (r *Reader) conllu(s *Sentence, d *corpus.Document, at int) error {
	r.spans = r.spans[:0]
	if bytes.IndexByte(d.Record, '\t') >= 0 {
		r.spans = cut(r.spans, d.Record)
	}
	if len(r.spans) != conlluColumns {
		return fmt.Errorf("CoNLL-U has %d columns between tabs, and here are %d; other columns are read with --format conll", conlluColumns, max(len(r.spans), 1))
	}
	id := d.Record[:r.spans[0][1]]
	if bytes.ContainsAny(id, "-.") { // a token of several words, or an empty node
		return nil
	}
	return r.columns(s, d, at)
}

// docStart begins the lines that stand between documents in the files of CoNLL-2003, which are no words.
var docStart = []byte("-DOCSTART-")

func (r *Reader) conll(s *Sentence, d *corpus.Document, at int) error {
	if bytes.HasPrefix(d.Record, docStart) {
		return nil
	}
	r.spans = cut(r.spans[:0], d.Record)
	if r.width == 0 {
		r.width = len(r.spans)
		if r.as.Column == 0 {
			r.as.Column = r.width
			if r.width == 1 {
				r.as.Column = 2
			}
		}
	}
	if len(r.spans) != r.width {
		return fmt.Errorf("%d columns instead of %d as in the lines before; sentences are separated by blank lines, and lines of words are read with --format words, of word/TAG with --format slash", len(r.spans), r.width)
	}
	return r.columns(s, d, at)
}

// columns takes the word whose columns are found.
func (r *Reader) columns(s *Sentence, d *corpus.Document, at int) error {
	for i := range r.spans {
		r.spans[i][0] += at
		r.spans[i][1] += at
	}
	n := len(r.spans)
	if r.as.WordColumn > n {
		return fmt.Errorf("there is no column %d of words: lines have %d; --word-column says which it is", r.as.WordColumn, n)
	}
	if word := r.spans[r.as.WordColumn-1]; word[0] == word[1] {
		return fmt.Errorf("column %d, that of words, is empty; --word-column says which it is", r.as.WordColumn)
	}
	place := slot{}
	switch column := r.as.Column; {
	case column <= n:
		place = slot{r.spans[column-1][0], r.spans[column-1][1], 0}
		if r.tagged && place.from == place.to {
			return fmt.Errorf("column %d, that of tags, is empty; --column says which it is", column)
		}
	case column == n+1 && !r.tagged:
		place = slot{r.spans[n-1][1], r.spans[n-1][1], ' '}
		if n == 1 || bytes.IndexByte(d.Record, '\t') >= 0 {
			place.lead = '\t'
		}
	default:
		return fmt.Errorf("there is no column %d of tags: lines have %d; --column says which it is", column, n)
	}
	if r.as.Column == r.as.WordColumn {
		return errors.New("words and tags can't be of one column; --column and --word-column say which they are")
	}
	s.add(d.Line, place, r.spans...)
	return nil
}

// add adds a word. Where its columns are is kept until the text is whole.
func (s *Sentence) add(line int64, place slot, columns ...[2]int) {
	s.width = len(columns)
	s.lines, s.slots = append(s.lines, line), append(s.slots, place)
	s.spans = append(s.spans, columns...)
}

// finish makes slices of what was found in the text.
func (s *Sentence) finish(as Reading, tagged bool) {
	n := len(s.slots)
	s.fields = make([][]byte, len(s.spans))
	for i, span := range s.spans {
		s.fields[i] = s.text[span[0]:span[1]:span[1]]
	}
	word := as.WordColumn
	if as.Format == Slash || as.Format == Words {
		word = 1
	}
	s.Words = make([][]byte, n)
	for i := range s.Words {
		s.Words[i] = s.column(i, word)
	}
	if !tagged {
		return
	}
	s.Tags = make([][]byte, n)
	for i, place := range s.slots {
		s.Tags[i] = s.text[place.from:place.to:place.to]
	}
}
