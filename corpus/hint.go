package corpus

import (
	"bytes"
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// A hint says how to mend a record, or to read it, given the bytes that are to blame. All of them are here.
type hint func(near []byte) string

// jsonFields are hints for a field that a record of JSON lines lacks, or that holds something else.
var jsonFields = [fieldCount]hint{
	textField:   func(record []byte) string { return jsonNames(record, textField) },
	labelField:  func(record []byte) string { return jsonNames(record, labelField) + noneHint },
	weightField: func(record []byte) string { return jsonNames(record, weightField) },
}

// noneHint is for documents without labels.
const noneHint = "; --on-bad skip leaves such records out; --label-sep says that documents may have no label, or several, and speak against every class that they lack"

func maybeNone([]byte) string { return noneHint[2:] }

// jsonNames lists the names that a good record of JSON lines has.
func jsonNames(record []byte, k int) string {
	s := jsonScanner{data: record}
	if s.space(); s.peek() != '{' {
		return "every line must be an object"
	}
	var names []string
	for s.pos++; s.more('}'); {
		key, err := s.key()
		if err == nil {
			_, err = s.value(1)
		}
		if err != nil {
			break
		}
		names = append(names, string(key))
	}
	if len(names) == 0 {
		return "it has no fields"
	}
	name := "id"
	if k >= 0 {
		name = fieldNames[k]
	}
	return fmt.Sprintf("it has %s; --%s-field names the field to take", wording.Excerpts(names), name)
}

func jsonID(record []byte) string { return jsonNames(record, -1) }

// jsonLines is for what is JSON, but not of one line.
func jsonLines(record []byte) string {
	switch record = bytes.Trim(record, blanks); {
	case bytes.HasPrefix(record, []byte("[")):
		return "make an array lines, jq -c '.[]' FILE"
	case len(record) < 2 || record[len(record)-1] != '}':
		return "make objects of several lines one line each, jq -c . FILE"
	}
	return "every line must be an object of its own"
}

func labelsFirst([]byte) string {
	return `put them first, awk '{a=b="";for(i=1;i<=NF;i++)if($i~/^__label__/)a=a$i" ";else b=b$i" ";print a b}' ` + "FILE"
}

func tsvColumns([]byte) string {
	return "--label-field, --delimiter and --format read other columns and files"
}

func columnCount([]byte) string {
	return "a field that holds the separator must be in quotes (CSV); --delimiter names another separator"
}

func tabCount([]byte) string {
	return "every line must have as many tabs; if tabs stand in fields in quotes, --format csv --delimiter tab"
}

func closedQuotes([]byte) string {
	return "quotes in a field that is in quotes are written twice"
}

func openQuotes([]byte) string {
	return "quotes that are text are written twice, and their field is in quotes"
}
