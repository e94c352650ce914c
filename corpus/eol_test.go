package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRecordsAreTheFile: records with their terminators, behind the headers, are the
// input again; between files one LF is added where there is none.
func TestRecordsAreTheFile(t *testing.T) {
	for _, test := range []struct {
		name, want string
		files      []string
		o          Input
	}{
		{"lines", "a\n\nb\r\n\r\nc", []string{"a\n\nb\r\n\r\nc"}, Input{Format: Lines}},
		{"CR at the end", "a\nb\r", []string{"a\nb\r"}, Input{Format: Lines}},
		{"CR at the end of a file", "a\r\nb\r", []string{"a\r", "b\r"}, Input{Format: Lines}},
		{"ends missing", "a\nb\nc", []string{"a", "b\n", "c"}, Input{Format: Lines}},
		{"an empty file behind", "a\n", []string{"a", ""}, Input{Format: Lines}},
		{"csv", "id,text\r\n1,\"a\nb\"\r\n2,c", []string{"id,text\r\n1,\"a\nb\"\r\n2,c"}, Input{Format: CSV}},
		{"csv without records", "id,text", []string{"id,text"}, Input{Format: CSV}},
		{"csv without an end in front", "text,x\ntext,x\na,b", []string{"text,x", "text,x\na,b"}, Input{Format: CSV}},
		{"mark and blank lines in front", "id,text\n1,a\n", []string{bom + "\n \nid,text\n1,a\n"}, Input{Format: CSV}},
		{"tsv by name", "x\tbody\n1\ta\n", []string{"x\tbody\n1\ta\n"}, Input{Format: TSV, TextField: "body"}},
		{"tsv by number", "x\tbody\n1\ta\n", []string{"x\tbody\n1\ta\n"}, Input{Format: TSV, TextField: "2"}},
		{"jsonl", "{\"text\":\"a\"}\n\n {\"text\":\"b\"} ", []string{"{\"text\":\"a\"}\n\n {\"text\":\"b\"} "}, Input{Format: JSONL}},
	} {
		folder := t.TempDir()
		var paths []string
		for i, content := range test.files {
			path := filepath.Join(folder, string(rune('a'+i)))
			must.OK(t, os.WriteFile(path, []byte(content), 0o600))
			paths = append(paths, path)
		}
		test.o.Unlabelled, test.o.Headers = true, true
		r, err := Open(from(paths, nil, test.o))
		must.OK(t, err)
		var got bytes.Buffer
		for chunk, err := r.Next(); err == nil; chunk, err = r.Next() {
			header := chunk.Header()
			got.Write(header)
			documents := chunk.Append(nil)
			if header != nil && len(documents) > 0 {
				t.Errorf("%s: a chunk with a header has records", test.name)
			}
			for _, d := range documents {
				if d.Err != nil {
					t.Errorf("%s: %v", test.name, d.Err)
				}
				got.Write(d.Record)
				got.WriteString(d.EOL)
			}
		}
		r.Close()
		if got.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.String(), test.want)
		}
	}
}
