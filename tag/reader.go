package tag

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Reading says how files are read. The zero value detects the format and takes its usual columns.
type Reading struct {
	Format Format `json:"format"` // "" means Auto
	// Column has the tags, from 1. 0 means the last column, or UPOS, the fourth, in CoNLL-U.
	Column int `json:"column"`
	// WordColumn has the words, from 1. 0 means the first column, or FORM, the second, in CoNLL-U.
	WordColumn int `json:"word_column"`
}

// Validate reports an unknown format, or a column that is out of range, or is used for both words and tags.
func (o Reading) Validate() error {
	if o.Format != "" && o.Format != Auto && !slices.Contains(formats(), o.Format) {
		all := append([]Format{Auto}, formats()...)
		return fmt.Errorf("tag: unknown format %s: use one of %q", display.Excerpt(string(o.Format)), all)
	}
	for _, c := range []struct {
		name   string
		number int
	}{{"column", o.Column}, {"word column", o.WordColumn}} {
		if c.number < 0 || c.number > mostColumns {
			return fmt.Errorf("tag: %s must be from 1 to %d, or 0 for the default, got %d",
				c.name, mostColumns, c.number)
		}
	}
	if o.Column > 0 && o.Column == o.WordColumn {
		return fmt.Errorf("tag: column %d can't have both words and tags", o.Column)
	}
	return nil
}

// Input says which sentences a [Reader] reads, and how.
type Input struct {
	Paths []string  // files; "-" is Stdin, and so is an empty list
	Stdin io.Reader // may be nil if no path asks for it
	Reading
	// Like is used where neither Reading nor the file says how it is read: give a model's Meta.Input to read files like
	// those that it was trained on.
	Like Reading
	// Untagged reads words only. Tags need not be there, and are not returned.
	Untagged bool
}

// mostColumns is more than any file has.
const mostColumns = 1000

// Reader reads sentences from files, one after the other. It must not be used by several goroutines at once.
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

// NewReader opens an input. Close the reader when done. Compressed files, .gz and .zst, are decompressed.
func NewReader(in Input) (*Reader, error) {
	if err := in.Reading.Validate(); err != nil {
		return nil, err
	}
	lines, err := corpus.Open(corpus.Input{Paths: in.Paths, Stdin: in.Stdin, Format: corpus.Lines, Unlabelled: true})
	if err != nil {
		return nil, err
	}
	return &Reader{lines: lines, asked: in.Reading, like: in.Like, tagged: !in.Untagged}, nil
}

// Close closes the files.
func (r *Reader) Close() error {
	if r.chunk != nil {
		r.chunk.Release()
		r.chunk = nil
	}
	return r.lines.Close()
}

// interrupt makes a call of Next that waits for input return an error. It may be called by any goroutine.
func (r *Reader) interrupt() { r.lines.Interrupt() }

// peek returns the next line, nil at the end.
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

// Next returns the next sentence, and io.EOF after the last one. Errors name the file, line and byte. Text behind the
// last sentence of a file, such as comments, is returned as a sentence without words, so that [Sentence.AppendText]
// gives back all of the file.
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
			return nil, fmt.Errorf("%s:%d (byte %d): %w; it begins with %s",
				s.Path, d.Line, d.Offset, err, display.Excerpt(d.Record))
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

// batchSize is the number of sentences in the unit of work of a thread.
const batchSize = 256

// batch reads n sentences with words, or fewer before an error.
func (r *Reader) batch(n int) (list []*Sentence, err error) {
	for len(list) < n {
		s, err := r.Next()
		if err != nil {
			return list, err
		}
		if len(s.Words) > 0 {
			list = append(list, s)
		}
	}
	return list, nil
}

// begin notes where a sentence begins and, at the first line of a file, detects how the file is read.
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
		return fmt.Errorf("%s: lines of words have no tags: give a tagged file, or name its format with Input.Format",
			s.Path)
	}
	if r.as.WordColumn == 0 {
		r.as.WordColumn = 1
		if r.as.Format == CoNLLU {
			r.as.WordColumn = 2
		}
	}
	return nil
}

// docStart begins the lines that stand between documents in the files of CoNLL-2003, which are no words.
var docStart = []byte("-DOCSTART-")

// line adds the words of a line to the sentence, in whose text the line begins at a byte offset.
func (r *Reader) line(s *Sentence, d *corpus.Document, at int) error {
	switch r.as.Format {
	case Slash, Words:
		return r.words(s, d, at)
	case CoNLLU:
		if d.Record[0] == '#' {
			return nil
		}
		if r.spans = cut(r.spans[:0], d.Record); len(r.spans) != conlluColumns || bytes.IndexByte(d.Record, '\t') < 0 {
			return fmt.Errorf("CoNLL-U has %d columns separated by tabs, and this line has %d; use Input.Format conll for other "+
				"columns", conlluColumns, bytes.Count(d.Record, []byte("\t"))+1)
		}
		if id := d.Record[:r.spans[0][1]]; bytes.ContainsAny(id, "-.") { // a token of several words, or an empty node
			return nil
		}
	default:
		if bytes.HasPrefix(d.Record, docStart) {
			return nil
		}
		r.spans = cut(r.spans[:0], d.Record)
		if r.width == 0 {
			if r.width = len(r.spans); r.as.Column == 0 {
				r.as.Column = max(r.width, 2)
			}
		}
		if len(r.spans) != r.width {
			return fmt.Errorf("%d columns instead of %d as in the lines before; sentences are separated by blank lines; use "+
				"Input.Format words for lines of words, and Input.Format slash for word/TAG", len(r.spans), r.width)
		}
	}
	return r.columns(s, d, at)
}

// words adds the words of a line that is a whole sentence. In the format Slash, each has a tag after a slash.
func (r *Reader) words(s *Sentence, d *corpus.Document, at int) error {
	r.spans = cutBlanks(r.spans[:0], d.Record)
	for _, span := range r.spans {
		from, end := at+span[0], at+span[1]
		if r.as.Format == Words {
			s.add(d.Line, slot{end, end, '/'}, [2]int{from, end})
			continue
		}
		word := d.Record[span[0]:span[1]]
		slash := bytes.LastIndexByte(word, '/')
		if slash <= 0 || slash == len(word)-1 {
			return fmt.Errorf("%s is not word/TAG; use Input.Format words for lines of words without tags, and Input.Format conll for "+
				"columns", display.Excerpt(word))
		}
		tag := from + slash + 1
		s.add(d.Line, slot{tag, end, 0}, [2]int{from, tag - 1}, [2]int{tag, end})
	}
	return nil
}

// columns adds the word of a line whose columns have been found.
func (r *Reader) columns(s *Sentence, d *corpus.Document, at int) error {
	n, column := len(r.spans), r.as.Column
	if r.as.WordColumn > n {
		return fmt.Errorf("there is no column %d of words: lines have %d columns; give the right one with Input.WordColumn",
			r.as.WordColumn, n)
	}
	if column == r.as.WordColumn {
		return errors.New("words and tags can't be in one column; give them with Input.Column and Input.WordColumn")
	}
	for i := range r.spans {
		r.spans[i][0] += at
		r.spans[i][1] += at
	}
	if word := r.spans[r.as.WordColumn-1]; word[0] == word[1] {
		return fmt.Errorf("column %d, the word, is empty; give the right one with Input.WordColumn", r.as.WordColumn)
	}
	place := slot{}
	switch {
	case column <= n:
		place = slot{r.spans[column-1][0], r.spans[column-1][1], 0}
		if r.tagged && place.from == place.to {
			return fmt.Errorf("column %d, the tag, is empty; give the right one with Input.Column", column)
		}
	case column == n+1 && !r.tagged:
		place = slot{r.spans[n-1][1], r.spans[n-1][1], ' '}
		if n == 1 || bytes.IndexByte(d.Record, '\t') >= 0 {
			place.lead = '\t'
		}
	default:
		return fmt.Errorf("there is no column %d of tags: lines have %d columns; give the right one with Input.Column",
			column, n)
	}
	s.add(d.Line, place, r.spans...)
	return nil
}

// add adds a word, as offsets: the text of the sentence still grows.
func (s *Sentence) add(line int64, place slot, columns ...[2]int) {
	s.width = len(columns)
	s.lines, s.slots = append(s.lines, line), append(s.slots, place)
	s.spans = append(s.spans, columns...)
}

// finish turns the offsets into slices of the text.
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

// Sentence is a sequence of words that a [Reader] has read.
type Sentence struct {
	Path  string   // of the file
	Line  int64    // where the sentence begins, from 1
	Words [][]byte // none of them empty
	Tags  [][]byte // one for each word; nil if the input is untagged

	fields [][]byte // the columns of all words, one word after the other
	width  int      // columns of a word
	lines  []int64  // of each word
	spans  [][2]int // of fields in the text
	text   []byte   // the sentence as it stands in the file, with comments and the line that ends it
	slots  []slot   // where the words' tags are
}

// slot is the place of a tag in the text of a sentence, or where one is to be inserted.
type slot struct {
	from, to int
	lead     byte // what goes before a tag that the text lacks; 0 where it has one
}

// column returns a column of a word, counted from 1; nil if there is none.
func (s *Sentence) column(word, column int) []byte {
	if column > s.width {
		return nil
	}
	return s.fields[word*s.width+column-1]
}

// AppendText appends the text of the sentence in its file to dst, with other tags: one for each word. Words beyond the
// end of tags keep the tag that they have in the file.
func (s *Sentence) AppendText(dst []byte, tags []string) []byte {
	at := 0
	for i, place := range s.slots[:min(len(s.slots), len(tags))] {
		dst = append(dst, s.text[at:place.from]...)
		if place.lead != 0 {
			dst = append(dst, place.lead)
		}
		dst = append(dst, tags[i]...)
		at = place.to
	}
	return append(dst, s.text[at:]...)
}
