package corpus

import "bytes"

// CSV is comma-separated values as in RFC 4180: double quotes, and line breaks inside of quotes. The first record is a
// header, unless all needed fields are given by number and the record does not look like one. Semicolons, tabs or bars
// separate columns if Input.Delimiter or the header says so. A quote in the middle of an unquoted field is data.
const CSV Format = "csv"

var csvFormat = format{
	name: CSV, extensions: []string{".csv"}, shape: "comma-separated columns under a header", fields: true,
	sniff:   csvHeader,
	open:    openText,
	parse:   (*parser).columnar,
	columns: csvColumns,
	quoted:  true,

	delimiters: ",;\t|",
}

// csvHeader reports whether a line is a CSV header that has the fields needed.
func csvHeader(line []byte, o *Input) bool {
	for _, delimiter := range []byte(",;|") {
		c := csvColumns(o)
		c.delimiter = delimiter
		if bytes.IndexByte(line, delimiter) >= 0 && c.header && c.resolve(line, o) == nil {
			return true
		}
	}
	return false
}

func csvColumns(o *Input) *columns {
	needed := o.TextField == "" && !o.FieldsOnly || o.LabelField == "" && !o.Unlabelled
	header := needed || o.fieldsNamed()
	if o.Header != nil {
		header = *o.Header
	}
	return &columns{header: header, otherwise: [fieldCount]int{1, -1, -1}, quoted: true}
}

// csvState is where in a record a byte of CSV stands. Cutting and parsing use
// the same machine, so that they cannot disagree about where a record ends.
type csvState uint8

const (
	fieldStart  csvState = iota // also the beginning of a record
	inField                     // without quotes; a quote in it is data
	inQuotes                    //
	behindQuote                 // a quote within quotes: their end, or half of an escaped one
	behindCR                    // a CR behind a closing quote
	broken                      // anything else there: the record is bad and ends with its line
)

// scan reads on until a record ends: it returns the number of bytes, with the
// line feed, and true; or all the bytes and false.
func (s *csvState) scan(data []byte, delimiter byte) (n int, whole bool) {
	quotedField := [2]byte{delimiter, '"'}
	feed := -1 // the next line feed at or behind i, once known; len(data) for none
	for i := 0; i < len(data); {
		switch c := data[i]; *s {
		case fieldStart:
			if *s = inField; c == '"' {
				*s = inQuotes
				i++
			}
		case inField, broken:
			if feed < i {
				if feed = bytes.IndexByte(data[i:], '\n'); feed < 0 {
					feed = len(data)
				} else {
					feed += i
				}
			}
			if *s == inField {
				if q := bytes.Index(data[i:feed], quotedField[:]); q >= 0 {
					i += q + len(quotedField)
					*s = inQuotes
					continue
				}
			}
			if feed < len(data) {
				*s = fieldStart
				return feed + 1, true
			}
			if *s == inField && data[len(data)-1] == delimiter {
				*s = fieldStart
			}
			return len(data), false
		case inQuotes:
			q := bytes.IndexByte(data[i:], '"')
			if q < 0 {
				return len(data), false
			}
			i += q + 1
			*s = behindQuote
		case behindQuote, behindCR:
			switch {
			case c == '\n':
				*s = fieldStart
				return i + 1, true
			case *s == behindCR:
				*s = broken
				continue
			case c == '"':
				*s = inQuotes
			case c == delimiter:
				*s = fieldStart
			case c == '\r':
				*s = behindCR
			default:
				*s = broken
			}
			i++
		}
	}
	return len(data), false
}

// fieldAt reads the field that begins at i, which may be the length of the record; ok is false for quotes that do not
// end, or not the field.
func fieldAt(record []byte, i int, delimiter byte, quoted bool) (f field, ok bool) {
	if !quoted || i == len(record) || record[i] != '"' {
		f.end = len(record)
		if c := bytes.IndexByte(record[i:], delimiter); c >= 0 {
			f.end = i + c
		}
		f.value = record[i:f.end:f.end]
		return f, true
	}
	for k := i + 1; ; k += 2 {
		q := bytes.IndexByte(record[k:], '"')
		if q < 0 {
			return f, false
		}
		k += q
		if k+1 == len(record) || record[k+1] != '"' {
			f.value, f.end = record[i+1:k:k], k+1
			return f, f.end == len(record) || record[f.end] == delimiter
		}
		f.escaped = true
	}
}
