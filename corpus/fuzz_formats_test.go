package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// readFuzzed reads a text, and skips one that is refused because most of its letters can't be read, or as damaged.
func readFuzzed(t *testing.T, text string, o Input) []Document {
	t.Helper()
	all, err := readString(text, o)
	for _, refusal := range []string{"is not UTF-8", "has lost most of its letters", errHole.Error()} {
		if err != nil && strings.Contains(err.Error(), refusal) {
			t.Skip(err)
		}
	}
	if err != nil {
		t.Fatalf("reading %q: %v", text, err)
	}
	return all
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
