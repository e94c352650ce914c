package corpus

import (
	"bytes"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// Hints say how to mend a record, or how to read it otherwise.
const (
	noneHint     = "--on-bad skip leaves such records out; --label-sep says that documents may have no label, or several, and speak against every class that they lack"
	labelsFirst  = `put them first, awk '{a=b="";for(i=1;i<=NF;i++)if($i~/^__label__/)a=a$i" ";else b=b$i" ";print a b}' FILE`
	tsvColumns   = "--label-field, --delimiter and --format read other columns and files"
	columnCount  = "a field that holds the separator must be in quotes (CSV); --delimiter names another separator"
	tabCount     = "every line must have as many tabs; if tabs stand in fields in quotes, --format csv --delimiter tab"
	closedQuotes = "quotes in a field that is in quotes are written twice"
	openQuotes   = "quotes that are text are written twice, and their field is in quotes"
)

// jsonNames lists the names that a good record of JSON lines has, and says which option names the field to take.
func jsonNames(record []byte, field string) string {
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
	return "it has " + wording.Excerpts(names) + "; --" + field + "-field names the field to take"
}

// jsonLines is the hint for what is JSON, but not of one line.
func jsonLines(record []byte) string {
	switch record = bytes.Trim(record, blanks); {
	case bytes.HasPrefix(record, []byte("[")):
		return "make an array lines, jq -c '.[]' FILE"
	case len(record) < 2 || record[len(record)-1] != '}':
		return "make objects of several lines one line each, jq -c . FILE"
	}
	return "every line must be an object of its own"
}
