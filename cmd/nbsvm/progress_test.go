package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestProgressObject(t *testing.T) {
	for _, test := range []struct {
		now  corpus.Progress
		want string
	}{
		{
			corpus.Progress{Stage: "score", Done: 50e6, Total: 200e6, Unit: "bytes", Documents: 10000},
			`{"stage":"score","done":50000000,"total":200000000,"unit":"bytes","documents":10000,"bad":0,"seconds":2,"mb_per_s":25,"eta_s":6}`,
		},
		{ // the rate is that of the text, as in summaries, not of the compressed file
			corpus.Progress{Stage: "score", Done: 50e6, Total: 200e6, Unit: "bytes", Documents: 10000, Text: 150e6},
			`{"stage":"score","done":50000000,"total":200000000,"unit":"bytes","documents":10000,"bad":0,"seconds":2,"mb_per_s":75,"eta_s":6}`,
		},
		{
			corpus.Progress{Stage: "score", Done: 5, Total: 5, Unit: "classes", Documents: 10, Bad: corpus.Reasons{"no text": 2, "empty text": 1}},
			`{"stage":"score","done":5,"total":5,"unit":"classes","documents":10,"bad":3,"bad_reasons":{"empty text":1,"no text":2},"seconds":2,"mb_per_s":null,"eta_s":0}`,
		},
		{ // a pipe has no end that is known
			corpus.Progress{Stage: "read", Done: 1e6, Total: -1, Unit: "bytes", Documents: 10},
			`{"stage":"read","done":1000000,"total":null,"unit":"bytes","documents":10,"bad":0,"seconds":2,"mb_per_s":0.5,"eta_s":null}`,
		},
		{
			corpus.Progress{Stage: "solve", Done: 3, Total: 12, Unit: "classes", Detail: "gap 0.1"},
			`{"stage":"solve","done":3,"total":12,"unit":"classes","documents":0,"bad":0,"seconds":2,"mb_per_s":null,"eta_s":6,"detail":"gap 0.1"}`,
		},
	} {
		got, err := json.Marshal(describeProgress(test.now, 2*time.Second))
		if err != nil || string(got) != test.want {
			t.Errorf("%+v\n= %s, %v\nwant %s", test.now, got, err, test.want)
		}
	}
}

// TestProgressJSON: every stage is told of, at the latest when it ends, and then no more.
func TestProgressJSON(t *testing.T) {
	var b bytes.Buffer
	p := &progressDisplay{w: &b, json: true}
	p.Show(corpus.Progress{Stage: "read", Done: 1, Unit: "bytes"})
	p.Show(corpus.Progress{Stage: "read", Done: 2, Unit: "bytes"}) // too soon after
	p.Say(io.Discard, "a note")
	p.Show(corpus.Progress{Stage: "solve", Done: 1, Unit: "epochs"})
	p.last = p.last.Add(-time.Second)
	p.Show(corpus.Progress{Stage: "solve", Done: 2, Unit: "epochs"})
	p.Show(corpus.Progress{Stage: "solve", Done: 3, Unit: "epochs"})
	p.Clear()
	p.Clear()
	var told []string
	for line := range strings.Lines(b.String()) {
		var now progressObject
		must.OK(t, json.Unmarshal([]byte(line), &now))
		told = append(told, now.Stage+strings.Repeat("+", int(now.Done)))
	}
	if got := strings.Join(told, " "); got != "read++ solve++ solve+++" {
		t.Errorf("told %s", got)
	}
}

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
