package corpus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// some are ten more records.
var some = strings.Repeat("pos\tgood\nneg\tbad\n", 5)

func no() *bool  { b := false; return &b }
func yes() *bool { b := true; return &b }

// TestHeaders: which first records are headers, and which are refused.
func TestHeaders(t *testing.T) {
	csv := strings.ReplaceAll(some, "\t", ",")
	for _, test := range []struct {
		name, content string
		o             Input
		records       int    // in front of the others, -1 if refused
		says          string // in the note or the error
	}{
		{"a.tsv", "label\ttext\n" + some, Input{}, 0, "names the columns"},
		{"a.tsv", "\n Label \tTEXT\r\n" + some, Input{}, 0, "names the columns"},
		{"a.tsv", "label\ttext\n" + some, Input{Unlabelled: true}, 0, "Input.Header false"},
		{"a", "category\treview\n" + some, Input{}, 0, "names the columns"},
		{"a.tsv", "label\ttext\n" + some, Input{Header: no()}, 1, ""},
		{"a.tsv", "label\ttext\n" + some, Input{Header: yes()}, 0, ""},
		{"a.tsv", "id\ttext\n" + some, Input{Unlabelled: true}, 0, "names the columns"},
		{"a.tsv", "id\ttext\n" + some, Input{}, -1, "say which to take"},
		{"a.tsv", "text\tlabel\n" + some, Input{}, -1, "say which to take"},
		{"a.tsv", "id\tlabel\ttext\n", Input{}, -1, "say which to take"},
		{"a.tsv", "Review Text\tsentence\tlabel\n", Input{}, -1, "say which to take"},
		{"a.tsv", "\"class\"\t\"review\"\tid\n", Input{}, -1, "say which to take"},
		// These may be records.
		{"a.tsv", "pos\ttext\n" + some, Input{}, 1, ""},
		{"a.tsv", "sentiment_2\ttext\nx\ty\n", Input{}, 1, ""},
		{"a.tsv", "category\tthis is a text\n" + some, Input{}, 1, ""},
		{"a.tsv", "topic\tgood\n" + some, Input{}, 1, ""},
		{"a.tsv", "pos\tgood text\n" + some, Input{}, 1, ""},
		{"a.tsv", "category\tgood\n" + some + "category\tbad\n", Input{}, 1, ""},
		{"a.tsv", "other\ttext\n" + some, Input{Unlabelled: true}, 1, ""},
		// Columns by number.
		{"a.csv", "label,text\n" + csv, Input{LabelField: "1", TextField: "2"}, 0, "names the columns"},
		{"a.csv", "label,text\n" + csv, Input{LabelField: "1", TextField: "2", Header: no()}, 1, ""},
		{"a.csv", "a,b\n" + csv, Input{LabelField: "1", TextField: "2", Header: yes()}, 0, ""},
		{"a.csv", "pos,text\n" + csv, Input{LabelField: "1", TextField: "2"}, 1, ""},
		{"a.csv", "text,id\n" + csv, Input{TextField: "2", Unlabelled: true}, 0, "names the columns"},
		{"a.tsv", "text\tlabel\n" + some, Input{LabelField: "2", TextField: "1"}, 0, "names the columns"},
		{"a.csv", csv, Input{Header: no()}, -1, "Input.LabelField N and Input.TextField N"},
	} {
		t.Run(fmt.Sprintf("%s %.30q %+v", test.name, test.content, test.o.fields()), func(t *testing.T) {
			note := ""
			test.o.Note = func(path, what string) { note += path + ": " + what + "; " }
			all, err := readWith([]string{writeFile(t, test.name, test.content)}, nil, test.o, chunkSize, chunkLimit)
			if test.records < 0 {
				wantFileError(t, err, test.says)
				return
			}
			lines := strings.Count(strings.TrimSpace(test.content), "\n") // those behind the first
			if err != nil || len(all) != lines+test.records || !strings.Contains(note, test.says) {
				t.Errorf("%d records of %d lines, want %d with the first, %v; it says %q", len(all), lines, test.records, err, note)
			}
			for _, d := range all {
				if d.Err != nil {
					t.Error(d.Err)
				}
			}
		})
	}
}

// TestHeaderOptions that contradict others.
func TestHeaderOptions(t *testing.T) {
	for _, o := range []Input{
		{Header: no(), TextField: "text"},
		{Header: yes(), Format: JSONL},
		{Header: no(), Format: FastText},
		{Header: no(), Format: CSV},
		{Delimiter: ';', Format: TSV},
		{Delimiter: '"'},
		{Delimiter: '\n'},
		{Delimiter: 0x80},
	} {
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestHeaderOfEach: every file of several has its header, and with them come the headers that are asked for.
func TestHeaderOfEach(t *testing.T) {
	content := "label\ttext\n" + some
	paths := []string{writeFile(t, "a.tsv", content), writeFile(t, "b.tsv", some), writeFile(t, "c", content)}
	all, err := readWith(paths, nil, Input{Unlabelled: true}, 32, 3)
	must.OK(t, err)
	for _, d := range all {
		if text := string(d.Text); text != "good" && text != "bad" {
			t.Errorf("text %q", text)
		}
	}
	if len(all) != 30 {
		t.Errorf("%d records of 30", len(all))
	}
	r, err := Open(Input{Paths: paths, Unlabelled: true, Headers: true})
	must.OK(t, err)
	defer r.Close()
	var headers []string
	for c, err := r.Next(); err == nil; c, err = r.Next() {
		if header := c.Header(); header != nil {
			headers = append(headers, string(header))
		}
	}
	if fmt.Sprint(headers) != fmt.Sprint([]string{"label\ttext\n", "label\ttext\n"}) {
		t.Errorf("headers %q", headers)
	}
}
