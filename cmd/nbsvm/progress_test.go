package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
)

func TestProgressText(t *testing.T) {
	for _, test := range []struct {
		now  corpus.Progress
		took time.Duration
		want string
	}{
		{
			corpus.Progress{Stage: "read", Done: 50e6, Total: 200e6, Unit: "bytes", Documents: 10000},
			2 * time.Second,
			"read  47.7 MiB  25 MB/s  10,000 documents  5,000/s  25 %  6s left",
		},
		{ // a pipe has no end that is known
			corpus.Progress{Stage: "read", Done: 1e6, Total: -1, Unit: "bytes", Documents: 10},
			time.Second,
			"read  976.6 KiB  1 MB/s  10 documents  10/s",
		},
		{
			corpus.Progress{Stage: "solve", Done: 3, Total: 20, Unit: "classes", Detail: "gap 0.1"},
			3 * time.Second,
			"solve  3 classes of 20  15 %  17s left  gap 0.1",
		},
		{corpus.Progress{Stage: "solve", Done: 0, Total: 20, Unit: "epochs"}, 0, "solve  0 epochs of 20"},
		{corpus.Progress{Stage: "solve", Done: 7, Total: 0, Unit: "epochs"}, 0, "solve  7 epochs"},
		{corpus.Progress{Stage: "score", Done: 1e6, Total: 2e6, Unit: "bytes", Documents: 10, Text: 5e6}, time.Second, "score  4.8 MiB  5 MB/s  10 documents  10/s  50 %  1s left"},
		{corpus.Progress{Stage: "read", Done: 30, Total: 20, Unit: "bytes"}, time.Second, "read  30 B  0 MB/s"}, // it grew
		{corpus.Progress{Stage: "solve", Done: 20, Total: 20, Unit: "classes"}, time.Second, "solve  20 classes of 20  100 %  0s left"},
	} {
		if got := progressText(test.now, test.took); got != test.want {
			t.Errorf("progressText(%+v, %v)\n= %s\nwant %s", test.now, test.took, got, test.want)
		}
	}
}

// TestLine shows stages on a terminal that is none.
func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	p := &progressDisplay{w: &b}
	p.Show(corpus.Progress{Stage: "read", Unit: "bytes"})
	p.Show(corpus.Progress{Stage: "solve", Unit: "epochs"}) // too soon after
	p.Clear()
	p.Clear()
	if got, want := b.String(), "\r\x1b[Kread  0 B  0 MB/s\r\x1b[K"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
}
