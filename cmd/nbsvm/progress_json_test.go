package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"
)

func TestDescribeProgress(t *testing.T) {
	for _, test := range []struct {
		now  nbsvm.Progress
		want string
	}{
		{
			nbsvm.Progress{Stage: "score", Done: 50e6, Total: 200e6, Unit: "bytes", Documents: 10000},
			`{"stage":"score","done":50000000,"total":200000000,"unit":"bytes","documents":10000,"seconds":2,"mb_per_s":25,"eta_s":6}`,
		},
		{ // the rate is that of the text, as in summaries, not of the compressed file
			nbsvm.Progress{Stage: "score", Done: 50e6, Total: 200e6, Unit: "bytes", Documents: 10000, Text: 150e6},
			`{"stage":"score","done":50000000,"total":200000000,"unit":"bytes","documents":10000,"seconds":2,"mb_per_s":75,"eta_s":6}`,
		},
		{ // a pipe has no end that is known
			nbsvm.Progress{Stage: "read", Done: 1e6, Total: -1, Unit: "bytes", Documents: 10},
			`{"stage":"read","done":1000000,"total":null,"unit":"bytes","documents":10,"seconds":2,"mb_per_s":0.5,"eta_s":null}`,
		},
		{
			nbsvm.Progress{Stage: "solve", Done: 3, Total: 12, Unit: "classes", Detail: "gap 0.1"},
			`{"stage":"solve","done":3,"total":12,"unit":"classes","documents":0,"seconds":2,"mb_per_s":null,"eta_s":6,"detail":"gap 0.1"}`,
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
	p := newProgress(&call{streams: streams{err: &b}, common: &common{Progress: "json", Quiet: true}})
	p.show(nbsvm.Progress{Stage: "read", Done: 1, Unit: "bytes"})
	p.show(nbsvm.Progress{Stage: "read", Done: 2, Unit: "bytes"})
	end := p.stop
	p.stop = func() { t.Error("a line for users ends the ticking") }
	p.say(io.Discard, "a plan")
	p.stop = end
	p.show(nbsvm.Progress{Stage: "solve", Done: 1, Unit: "epochs"})
	p.write() // as the ticker does
	p.show(nbsvm.Progress{Stage: "solve", Done: 2, Unit: "epochs"})
	p.clear()
	p.clear()
	var told []string
	for line := range strings.Lines(b.String()) {
		var now progressJSON
		if err := json.Unmarshal([]byte(line), &now); err != nil {
			t.Fatal(err)
		}
		told = append(told, now.Stage+strings.Repeat("+", int(now.Done)))
	}
	if got := strings.Join(told, " "); got != "read++ solve+ solve++" {
		t.Errorf("told %s", got)
	}
}

func TestTicker(t *testing.T) {
	beats := make(chan bool, 1)
	stop := tick(time.Millisecond, func() {
		select {
		case beats <- true:
		default:
		}
	})
	<-beats
	stop()
	stop()
	for len(beats) > 0 {
		<-beats
	}
	time.Sleep(20 * time.Millisecond)
	if len(beats) > 0 {
		t.Error("it ticks after it was stopped")
	}
}
