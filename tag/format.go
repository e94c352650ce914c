package tag

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Format is a file format for sentences.
type Format string

const (
	// Auto detects the format by the file's name, then by its first line.
	Auto Format = "auto"
	// CoNLL has one word per line, in columns separated by tabs or spaces. A blank line ends a sentence.
	CoNLL Format = "conll"
	// CoNLLU is the format of Universal Dependencies: ten columns separated by tabs, and comments.
	CoNLLU Format = "conllu"
	// Slash has one sentence per line: word/TAG word/TAG.
	Slash Format = "slash"
	// Words has one sentence per line, words separated by spaces, without tags.
	Words Format = "words"
)

// formats returns all formats but Auto.
func formats() []Format { return []Format{CoNLL, CoNLLU, Slash, Words} }

// formatOf tells the format of a file by its name; Auto if that says nothing.
func formatOf(path string) Format {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".conllu":
		return CoNLLU
	case ".conll", ".iob", ".iob2", ".bio":
		return CoNLL
	}
	return Auto
}

// formatOfLine tells the format by the first line that is not blank.
func formatOfLine(line []byte) Format {
	if bytes.HasPrefix(line, []byte("# ")) && bytes.Contains(line, []byte(" = ")) {
		return CoNLLU
	}
	if bytes.HasPrefix(line, []byte("1\t")) && bytes.Count(line, []byte("\t")) == conlluColumns-1 {
		return CoNLLU
	}
	if bytes.IndexByte(line, '\t') >= 0 {
		return CoNLL
	}
	for field := range bytes.FieldsSeq(line) {
		if at := bytes.LastIndexByte(field, '/'); at <= 0 || at == len(field)-1 {
			return CoNLL
		}
	}
	return Slash
}

// conlluColumns are the columns of CoNLL-U: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC.
const conlluColumns = 10

// cut appends where the columns of a line are: between tabs if it has any, else between blanks.
func cut(spans [][2]int, line []byte) [][2]int {
	if bytes.IndexByte(line, '\t') < 0 {
		return cutBlanks(spans, line)
	}
	from := 0
	for i, c := range line {
		if c == '\t' {
			spans, from = append(spans, [2]int{from, i}), i+1
		}
	}
	return append(spans, [2]int{from, len(line)})
}

// cutBlanks appends where the words of a line are.
func cutBlanks(spans [][2]int, line []byte) [][2]int {
	from := -1
	for i, c := range line {
		switch blank := c == ' ' || c == '\t'; {
		case blank && from >= 0:
			spans, from = append(spans, [2]int{from, i}), -1
		case !blank && from < 0:
			from = i
		}
	}
	if from >= 0 {
		spans = append(spans, [2]int{from, len(line)})
	}
	return spans
}

// isBlank reports whether there is nothing in a line.
func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }
