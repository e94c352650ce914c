package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

// recordLines are the lines of a text as the naive references see them: no
// blank ones, no terminators.
func recordLines(text string, blank func(string) bool) (lines []string) {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if !blank(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// vector tells whether labels are a vector with a number for each class.
func vector(labels []string) bool {
	var fields [][]byte
	for _, label := range labels {
		fields = append(fields, []byte(label))
	}
	return doubt.IsVector(fields)
}

// once leaves out labels that come again.
func once(labels []string) (different []string) {
	for _, label := range labels {
		if !slices.Contains(different, label) {
			different = append(different, label)
		}
	}
	return different
}

// readFuzzed reads a text, and skips one that is refused because most of its letters can't be read, or as damaged.
func readFuzzed(t *testing.T, text string, o Input) []Document {
	t.Helper()
	all, err := readString(text, o)
	for _, refusal := range []string{"is not UTF-8", "was encoded twice", "has lost most of its letters", errHole.Error()} {
		if err != nil && strings.Contains(err.Error(), refusal) {
			t.Skip(err)
		}
	}
	if err != nil {
		t.Fatalf("reading %q: %v", text, err)
	}
	return all
}

// compareBrief reads text behind a first good record, which keeps it from being
// refused, and compares with the reference's documents.
func compareBrief(t *testing.T, first, text string, o Input, want []string) {
	t.Helper()
	all := flatten(readFuzzed(t, first+text, o))
	if got, want := brief(all[1:]), strings.Join(want, ";"); got != want {
		t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
	}
}

func FuzzTSV(f *testing.F) {
	f.Add("a\tb\nc\n\td\r\n \n")
	f.Add(" \tx\nlabel\ttext\n")
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		for _, line := range recordLines(text, func(s string) bool { return strings.Trim(s, " ") == "" }) {
			label, rest, ok := strings.Cut(line, "\t")
			if !ok || strings.Trim(label, blanks) == "" || !utf8.ValidString(label) {
				want = append(want, "ERR")
			} else {
				want = append(want, label+":"+rest)
			}
		}
		compareBrief(t, "first\trecord\n", text, labelled(TSV), want)
	})
}

func FuzzFastText(f *testing.F) {
	f.Add("__label__a __label__b c d\n\tx __label__y\n__label__ z\n__label__q")
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		for _, line := range recordLines(text, func(s string) bool { return strings.Trim(s, " \t\r") == "" }) {
			const blanks = " \t\v\f\r\x00"
			rest := strings.TrimLeft(line, blanks)
			var labels []string
			bad := false
			for strings.HasPrefix(rest, "__label__") {
				word := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(blanks, r) })[0]
				labels = append(labels, word[len("__label__"):])
				bad = bad || word == "__label__" || !utf8.ValidString(word)
				rest = strings.TrimLeft(rest[len(word):], blanks)
			}
			within := strings.ContainsFunc(blanks, func(r rune) bool { return strings.Contains(rest, string(r)+"__label__") })
			if bad || labels == nil || within || vector(labels) {
				want = append(want, "ERR")
			} else {
				want = append(want, strings.Join(once(labels), "|")+":"+rest)
			}
		}
		compareBrief(t, "__label__first record\n", text, labelled(FastText), want)
	})
}

func FuzzSVMLight(f *testing.F) {
	f.Add("\u00a0\n\u0085")
	f.Add("+1 1:2 # x\n1,2 qid:7 3:4\n# c\n 1:1\nx\n")
	f.Fuzz(func(t *testing.T, text string) {
		var want []string
		for _, line := range recordLines(text, func(s string) bool { return false }) {
			line, _, _ = strings.Cut(line, "#")
			line = strings.Trim(line, " \t\r")
			if line == "" {
				continue
			}
			fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
			p := parser{file: &file{}}
			var labels []string
			if !strings.Contains(fields[0], ":") {
				for _, label := range strings.Split(fields[0], ",") {
					if label = strings.Trim(label, " \t\r"); label != "" {
						labels = append(labels, string(p.number([]byte(label))))
					}
				}
				line = strings.TrimLeft(line[len(fields[0]):], " \t")
				fields = fields[1:]
			}
			for len(fields) > 0 && strings.HasPrefix(fields[0], "qid:") {
				line = strings.TrimLeft(line[len(fields[0]):], " \t")
				fields = fields[1:]
			}
			if labels == nil || !utf8.ValidString(strings.Join(labels, "|")) || vector(labels) {
				want = append(want, "ERR")
			} else {
				want = append(want, strings.Join(once(labels), "|")+":"+line)
			}
		}
		compareBrief(t, "1 1:1\n", text, labelled(SVMLight), want)
	})
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\n\n\x00b\xff\r")
	f.Fuzz(func(t *testing.T, text string) {
		want := recordLines(text, func(string) bool { return false })
		for i := range want {
			want[i] = ":" + want[i]
		}
		if strings.HasSuffix(text, "\n") || text == "" {
			want = want[:len(want)-1]
		}
		compareBrief(t, "first\n", text, unlabelled(Lines), want)
	})
}

// FuzzCSV compares with encoding/csv wherever that one takes the text, with several delimiters and headers.
func FuzzCSV(f *testing.F) {
	f.Add("a;\"b;\"\"\";\n\"c;\n\"\n")
	f.Add("a\n\"b \"\"c\"\"\r\nd\"\n\n\"\"\ne,f\n")
	f.Add("\"a\nb\"\r\n\"c")
	f.Fuzz(func(t *testing.T, text string) {
		compareCSV(t, text, 0, "text\n")
		compareCSV(t, text, ';', "text\n")
		compareCSV(t, text, '\t', "text\n")
		compareCSV(t, text, '|', "\"text\"\r\n")
		compareCSV(t, text, 0, "\n\nTEXT\n")
	})
}

func compareCSV(t *testing.T, text string, delimiter byte, header string) {
	t.Helper()
	reference := csv.NewReader(strings.NewReader(text))
	reference.FieldsPerRecord = -1
	if delimiter != 0 {
		reference.Comma = rune(delimiter)
	}
	rows, err := reference.ReadAll()
	all := readFuzzed(t, header+text, Input{Format: CSV, Unlabelled: true, Delimiter: delimiter})
	if err != nil {
		return // a quote within an unquoted field, or a record that is bad for us, too
	}
	k := 0
	for _, d := range all {
		if len(d.Record) == 0 {
			continue // encoding/csv skips blank lines
		}
		row := rows[k]
		k++
		if bad := len(row) != 1; bad != (d.Err != nil) {
			t.Fatalf("%q: record %q has %d columns, error %v", text, d.Record, len(row), d.Err)
		}
		if got := strings.ReplaceAll(string(d.Text), "\r\n", "\n"); d.Err == nil && got != row[0] {
			t.Fatalf("%q: text %q, want %q", text, got, row[0])
		}
	}
	if k != len(rows) {
		t.Fatalf("%q: %d records, want %d", text, k, len(rows))
	}
}

// FuzzJSONL compares with encoding/json, which is as strict.
func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a\u00e4\ud83d\ude00\ud83d","label":["x",1.50,true]}`, `{"text":"a","text":"b"}`, `{"a":[1,{"b":null}],"text":"\"\\\/\b\f\n\r\t"}`,
		`{"text":"` + "\xff\x00" + `"}`, `{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1e+}`, `{,}`, `{"a":1,}`, `{"a" 1}`, `{"a":[1,]}`, `{"a":nul}`, `{"text":[]}`, `{"text":1}`, ` {} x`, `[]`, `{"\u0074ext":"x"}`,
		`{"text":"a","label":" "}`, `{"text":"a","label":["\ud800"," b "]}`, `{"a":"12345678\"` + "\x1f" + `"}`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":tru`, `{"a":"`, `{"a":"\`, `{"a":"\u1`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r") || strings.Count(line, "[")+strings.Count(line, "{") > 500 {
			t.Skip("several lines, or nested so deep that only our reader has a limit")
		}
		all := flatten(readFuzzed(t, "{}\n"+line+"\n", unlabelled(JSONL)))
		got := all[1]
		var object map[string]json.RawMessage
		if strings.Trim(line, " \t\r") == "" {
			if got.Err != "" {
				t.Fatalf("blank %q: %s", line, got.Err)
			}
			return
		}
		if err := json.Unmarshal([]byte(line), &object); err != nil || object == nil {
			if !strings.Contains(got.Err, "no JSON: ") {
				t.Fatalf("%q: %v in encoding/json, %q here", line, err, got.Err)
			}
			return
		}
		if strings.Contains(got.Err, "no JSON: ") {
			t.Fatalf("%q is JSON: %s", line, got.Err)
		}
		var text *string
		if err := json.Unmarshal(object["text"], &text); err != nil || text == nil {
			if got.Err == "" {
				t.Fatalf("%q has no text, yet it is %q", line, got.Text)
			}
			return
		}
		// encoding/json puts U+FFFD for every invalid byte.
		if decoded := string([]rune(got.Text)); got.Err == "" && decoded != *text {
			t.Fatalf("%q: text %q, want %q", line, decoded, *text)
		}
		checkJSONLabels(t, line, object["label"], got)
	})
}

func checkJSONLabels(t *testing.T, line string, raw json.RawMessage, got doc) {
	var value any
	if d := json.NewDecoder(bytes.NewReader(raw)); raw != nil {
		d.UseNumber()
		if err := d.Decode(&value); err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	elements, isArray := value.([]any)
	if !isArray {
		elements = []any{value}
	}
	var want []string
	for _, e := range elements {
		p := parser{file: &file{}}
		switch e := e.(type) {
		case string:
			want = append(want, e)
		case json.Number:
			want = append(want, string(p.number([]byte(e))))
		case bool:
			want = append(want, map[bool]string{true: "true", false: "false"}[e])
		case nil:
			if isArray {
				want = append(want, "ERR")
			}
		default:
			want = append(want, "ERR")
		}
	}
	joined := strings.Join(want, "\x00")
	if strings.Contains(joined, "ERR") {
		return // a label may be called so, too
	}
	if got.Err != "" {
		t.Fatalf("%q: %s", line, got.Err)
	}
	var filled []string
	for _, w := range want {
		if strings.Trim(w, blanks) != "" {
			filled = append(filled, w)
		}
	}
	if labels := string([]rune(got.Labels)); labels != strings.Join(filled, "|") {
		t.Fatalf("%q: labels %q, want %q", line, labels, filled)
	}
}
