package corpus

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

// Format is how a file's records are written. The zero value is Auto.
type Format uint8

const (
	// Auto takes the format from the file's name or else from its first record.
	Auto Format = iota
	TSV
	CSV
	JSONL
	FastText
	Lines
	SVMLight
)

var formatNames = [...]string{
	Auto: "auto", TSV: "tsv", CSV: "csv", JSONL: "jsonl",
	FastText: "fasttext", Lines: "lines", SVMLight: "svmlight",
}

// String is the format's name: auto, tsv, csv, jsonl, fasttext, lines or svmlight.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// MarshalText is the name; a value that is no format is an error.
func (f Format) MarshalText() ([]byte, error) {
	if int(f) >= len(formatNames) {
		return nil, fmt.Errorf("corpus: there is no format %d: use corpus.Auto to corpus.SVMLight", uint8(f))
	}
	return []byte(formatNames[f]), nil
}

// UnmarshalText reads a name as String writes it.
func (f *Format) UnmarshalText(text []byte) error {
	for i, name := range formatNames {
		if string(text) == name {
			*f = Format(i)
			return nil
		}
	}
	return fmt.Errorf("corpus: unknown format %s: use one of %s", excerpt(text), strings.Join(formatNames[:], ", "))
}

// named tells whether a format's fields have names or numbers.
func (f Format) named() bool { return f == TSV || f == CSV || f == JSONL }

// formatByName is what a file's name says; Auto if it says nothing. Text files
// with labels come in every format, so .txt means lines only where labels are
// not needed.
func formatByName(path string, unlabelled bool) Format {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".tsv":
		return TSV
	case ".csv":
		return CSV
	case ".jsonl", ".ndjson", ".json":
		return JSONL
	case ".svm", ".svmlight", ".libsvm":
		return SVMLight
	case ".ft", ".fasttext":
		return FastText
	case ".txt":
		if unlabelled {
			return Lines
		}
	}
	return Auto
}

// formatByContent is what a first record looks like; Auto if like nothing.
func formatByContent(line []byte, o *Options) Format {
	trimmed := trimBlanks(line)
	switch {
	case bytes.HasPrefix(trimmed, []byte("{")):
		return JSONL
	case bytes.HasPrefix(trimmed, fastTextPrefix):
		return FastText
	case svmlightLine(line):
		return SVMLight
	case bytes.IndexByte(line, '\t') >= 0:
		return TSV
	case csvHeader(line, o):
		return CSV
	case o.Unlabelled && !o.fieldsGiven():
		return Lines
	}
	return Auto
}

// csvHeader tells whether a line is a CSV header that has the fields needed.
func csvHeader(line []byte, o *Options) bool {
	if bytes.IndexByte(line, ',') < 0 {
		return false
	}
	c := newColumns(CSV, o)
	return c.header && c.resolve(line, o) == nil
}

// plausible tells whether a line can be a record of a format at all. Files of
// which no early line can are refused; a lesser fault is a bad record.
func plausible(f Format, line []byte, o *Options) bool {
	switch f {
	case JSONL:
		return bytes.HasPrefix(trimBlanks(line), []byte("{"))
	case FastText:
		return o.Unlabelled || o.LabelSep != "" || bytes.HasPrefix(trimBlanks(line), fastTextPrefix)
	case TSV:
		return o.Unlabelled || bytes.IndexByte(line, '\t') >= 0
	case SVMLight:
		return svmlightShape(line)
	}
	return true
}

// shapes are what records of the formats look like, for messages.
var shapes = [...]string{
	TSV:      "label<TAB>text",
	CSV:      "comma-separated columns under a header",
	JSONL:    "one JSON object a line",
	FastText: "__label__x text",
	Lines:    "text",
	SVMLight: "label index:value index:value",
}
