package corpus

import (
	"io"
	"testing"
	"time"
)

// TestStream: a record that came through a pipe can be read before the next one
// is written, down to the first byte.
func TestStream(t *testing.T) {
	for _, records := range [][]string{{"P\n", "B\n", "\n", "(\n"}, {"\xef\n", "x\r\n"}} {
		in, out := io.Pipe()
		r, err := Open(nil, in, unlabelled(Auto))
		if err != nil {
			t.Fatal(err)
		}
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
