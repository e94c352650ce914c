package corpus

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestSplit: the documents of single records are those of their chunks.
func TestSplit(t *testing.T) {
	for _, test := range []struct {
		text string
		o    Input
	}{
		{"a\n\nb\r\nc", Input{Format: Lines, Unlabelled: true}},
		{"\n\n\n", Input{Format: Lines, Unlabelled: true}},
		{"x\ta\nno tab\ny\tb\n", Input{Format: TSV}},
		{"label,text\r\nx,\"a\nb\"\r\n\"open,c\nd,e\n", Input{Format: CSV}},
		{"a\nlonger than it may be\nb\n", Input{Format: Lines, Unlabelled: true, MaxRecord: 5}},
		{"1 1:1 # one\n# a comment\n-1 2:1\n", Input{Format: SVMLight}},
	} {
		want := mustRead(t, test.text, test.o)
		test.o.ChunkRecords = 1
		r, err := Open(from(nil, strings.NewReader(test.text), test.o))
		must.OK(t, err)
		var got []Document
		for one, err := r.Next(); err == nil; one, err = r.Next() {
			before := len(got)
			if got = one.Append(got); len(got) > before+1 {
				t.Errorf("%q: %d records in one", test.text, len(got)-before)
			}
		}
		if !reflect.DeepEqual(flatten(got), want) {
			t.Errorf("%q: %+v\nwant %+v", test.text, flatten(got), want)
		}
	}
}

// TestStream: a record that came through a pipe can be read before the next one
// is written, down to the first byte.
func TestStream(t *testing.T) {
	for _, records := range [][]string{{"P\n", "B\n", "\n", "(\n"}, {"\xef\n", "x\r\n"}} {
		in, out := io.Pipe()
		r, err := Open(from(nil, in, unlabelled(Auto)))
		must.OK(t, err)
		chunks := make(chan *Chunk)
		go func() {
			defer close(chunks)
			for {
				c, err := r.Next()
				if err != nil {
					return
				}
				chunks <- c
			}
		}()
		var kept []Document // views must survive later reads
		for _, record := range records {
			if _, err := io.WriteString(out, record); err != nil {
				t.Fatal(err)
			}
			select {
			case c := <-chunks:
				kept = c.Append(kept)
			case <-time.After(10 * time.Second):
				t.Fatalf("record %q did not come", record)
			}
		}
		out.Close()
		if _, more := <-chunks; more {
			t.Error("more chunks than records")
		}
		for i, record := range records {
			if got := string(kept[i].Text); got != string(trimEOL([]byte(record))) {
				t.Errorf("document %d is %q, want %q", i, got, record)
			}
		}
	}
}
