package doubt

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// ListRemedy says what to do about lists that were written as text.
const ListRemedy = "write lists as arrays of JSON lines (pandas: df.to_json('out.jsonl', orient='records', lines=True)), or join their labels and give Input.LabelSep (df['label'].str.join(','))"

// IsVector reports whether labels are a vector with a number for each class: of 0 and 1, of false and true, or of
// shares. A list of labels has neither of these twice.
func IsVector(labels [][]byte) bool {
	if len(labels) < 2 {
		return false
	}
	sum, shares := 0.0, false
	first, _ := portion(labels[0])
	for _, label := range labels {
		s, ok := portion(label)
		if !ok {
			return false
		}
		sum += s
		shares = shares || s != 0 && s != 1
	}
	return len(labels) > 2 || 2*first == sum || shares && math.Abs(sum-1) < 1e-3
}

// portion returns what a label says if it is 0, 1, between these, false or true.
func portion(label []byte) (s float64, ok bool) {
	switch string(label) {
	case "0", "false", "False":
		return 0, true
	case "1", "true", "True":
		return 1, true
	}
	if len(label) < 2 || len(label) > 24 || !Numeric(label, "") {
		return 0, false
	}
	s, err := strconv.ParseFloat(string(label), 64)
	return s, err == nil && s >= 0 && s <= 1
}

// brackets are around lists that programs write.
var brackets = []string{"[]", "()", "{}"}

// inBrackets returns what stands within the brackets of a field that has them around it, and nowhere else, but for a
// name as Python writes array([0, 1]) and frozenset({'a'}).
func inBrackets(field []byte) (inside []byte, opening byte, ok bool) {
	field = bytes.Trim(field, blanks)
	if call := bytes.IndexByte(field, '('); call > 0 && field[len(field)-1] == ')' && len(bytes.Trim(field[:call], "abcdefghijklmnopqrstuvwxyz.")) == 0 { // array([…], dtype=object)
		if end := bytes.LastIndexAny(field, "]}"); end > call {
			field = field[call+1 : end+1]
		}
	}
	for _, b := range brackets {
		if n := len(field) - 1; n > 0 && field[0] == b[0] && bytes.IndexByte(field, b[1]) == n &&
			bytes.LastIndexByte(field, b[0]) == 0 {
			return bytes.Trim(field[1:n], blanks), b[0], true
		}
	}
	return nil, 0, false
}

// isQuoted reports whether text begins and ends with quotes.
func isQuoted(text []byte) bool {
	n := len(text)
	return n > 1 && (text[0] == '\'' || text[0] == '"') && (text[n-1] == '\'' || text[n-1] == '"')
}

// IsWrittenList reports whether a field that is to be split at sep is a list in brackets, which would be torn apart.
func IsWrittenList(field []byte, sep string) bool {
	inside, _, ok := inBrackets(field)
	return ok && (len(inside) == 0 || isQuoted(inside) || bytes.Contains(inside, []byte(sep)))
}

// looksLikeList reports whether a label looks like a list of labels.
func looksLikeList(label string) bool {
	inside, opening, ok := inBrackets([]byte(label))
	return ok && (isQuoted(inside) || opening != '(' && (len(inside) == 0 || bytes.IndexByte(inside, ',') >= 0) ||
		opening == '[' && Numeric(inside, " ."))
}

// looksLikeVector reports whether a label looks like a vector with a number for each class.
func looksLikeVector(label string) bool {
	if label == "" || !strings.ContainsRune("01.tfTF", rune(label[0])) {
		return false
	}
	return IsVector(bytes.FieldsFunc([]byte(label), func(r rune) bool { return strings.ContainsRune(" \t,;|", r) }))
}

// Label says that labels look like something else than the names of classes.
type Label struct {
	Kind    string   // "lists-as-text", "vectors", "joined-labels" or "quoted-labels"
	Message string   // follows the name of the input
	Labels  []string // that look so
}

// labelDoubts are what labels may look like. The first that holds of a label counts.
var labelDoubts = []struct {
	kind, look, remedy string
	holds              func(label string, known map[string]bool) bool
}{
	{
		"lists-as-text", "lists written as text", ListRemedy,
		func(label string, _ map[string]bool) bool { return looksLikeList(label) },
	},
	{
		"vectors", "vectors with a number for each class",
		"write the names of the classes that are set instead, and give Input.LabelSep",
		func(label string, _ map[string]bool) bool { return looksLikeVector(label) },
	},
	{
		"joined-labels", "several that are joined",
		"separate those of fastText by spaces, __label__x __label__y, and in other formats give Input.LabelSep ,",
		func(label string, known map[string]bool) bool {
			return strings.Contains(label, "__label__") || joins(label, known)
		},
	},
	{
		"quoted-labels", "fields of CSV in their quotes", "if the file is CSV with tabs, give Input.Format csv and Input.Delimiter tab (also Input.LabelField 1 and Input.TextField 2 if it has no header), or else remove the quotes",
		func(label string, _ map[string]bool) bool { return isQuoted([]byte(label)) },
	},
}

// Labels returns what the labels of an input look like, if that is not the names of classes. at has the places where
// labels stand first, as far as they are known.
func Labels(labels []string, at map[string]string) (doubts []Label) {
	known := make(map[string]bool, len(labels))
	for _, label := range labels {
		known[label] = true
	}
	looking := make([][]string, len(labelDoubts))
	for _, label := range labels {
		for k, doubt := range labelDoubts {
			if doubt.holds(label, known) {
				looking[k] = append(looking[k], label)
				break
			}
		}
	}
	for k, doubt := range labelDoubts {
		if len(looking[k]) == 0 {
			continue
		}
		which := display.Excerpts(looking[k])
		if place := at[looking[k][0]]; place != "" {
			which += ", the first in " + place
		}
		message := fmt.Sprintf("has labels that look like %s, each a class of its own: %s: %s",
			doubt.look, which, doubt.remedy)
		doubts = append(doubts, Label{doubt.kind, message, looking[k]})
	}
	return doubts
}

// MayBe reports whether a label has what Labels looks for, whatever others there are.
func MayBe(label string) bool {
	return strings.ContainsAny(label, ",;|") || strings.Contains(label, "__label__") || looksLikeList(label) ||
		looksLikeVector(label) || isQuoted([]byte(label))
}

// Numeric reports whether a text has nothing but what numbers are written with, and the characters in more.
func Numeric(text []byte, more string) bool {
	return len(bytes.Trim(text, "0123456789+-.eE"+more)) == 0
}

// blanks stand around fields.
const blanks = " \t\r"

// joins reports whether a label is other labels with commas, semicolons or bars between or behind them.
func joins(label string, known map[string]bool) bool {
	for _, sep := range []string{",", ";", "|"} {
		if !strings.Contains(label, sep) {
			continue
		}
		parts, all := 0, true
		for part := range strings.SplitSeq(label, sep) {
			if part = strings.TrimSpace(part); part != "" {
				parts++
				all = all && known[part]
			}
		}
		if parts > 0 && all {
			return true
		}
	}
	return false
}
