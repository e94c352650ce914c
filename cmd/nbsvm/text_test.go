package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm"
)

func TestClasses(t *testing.T) {
	if got := classes([]nbsvm.ClassCount{{Label: "neg", Documents: 1200}, {Label: "", Documents: 1}}); got != `2: neg 1,200, "" 1` {
		t.Errorf("two classes: %s", got)
	}
	many := make([]nbsvm.ClassCount, 15)
	for i := range many {
		many[i] = nbsvm.ClassCount{Label: fmt.Sprint("c", i), Documents: 1}
	}
	if got := classes(many); !strings.HasPrefix(got, "15: c0 1, ") || !strings.HasSuffix(got, ", c11 1, and 3 more") {
		t.Errorf("fifteen classes: %s", got)
	}
}

func TestName(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"good film", "good film"}, {"", "(bucket 7)"}, {"a\tb\x1bc", "a␣b␣c"},
	} {
		if got := name(test.text, 7); got != test.want {
			t.Errorf("name(%q) = %s, want %s", test.text, got, test.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		now  nbsvm.Progress
		took time.Duration
		want string
	}{
		{
			nbsvm.Progress{Stage: "read", Done: 50e6, Total: 200e6, Unit: "bytes", Documents: 10000},
			2 * time.Second,
			"read  47.7 MiB  25 MB/s  10,000 documents  5,000/s  25 %  6s left",
		},
		{ // a pipe has no end that is known
			nbsvm.Progress{Stage: "read", Done: 1e6, Total: -1, Unit: "bytes", Documents: 10},
			time.Second,
			"read  976.6 KiB  1 MB/s  10 documents  10/s",
		},
		{
			nbsvm.Progress{Stage: "solve", Done: 3, Total: 20, Unit: "classes", Detail: "gap 0.1"},
			3 * time.Second,
			"solve  3 classes of 20  15 %  17s left  gap 0.1",
		},
		{nbsvm.Progress{Stage: "solve", Done: 0, Total: 20, Unit: "epochs"}, 0, "solve  0 epochs of 20"},
		{nbsvm.Progress{Stage: "solve", Done: 7, Total: 0, Unit: "epochs"}, 0, "solve  7 epochs"},
		{nbsvm.Progress{Stage: "score", Done: 1e6, Total: 2e6, Unit: "bytes", Documents: 10, Text: 5e6}, time.Second, "score  4.8 MiB  5 MB/s  10 documents  10/s  50 %  1s left"},
		{nbsvm.Progress{Stage: "read", Done: 30, Total: 20, Unit: "bytes"}, time.Second, "read  30 B  0 MB/s"}, // it grew
		{nbsvm.Progress{Stage: "solve", Done: 20, Total: 20, Unit: "classes"}, time.Second, "solve  20 classes of 20  100 %  0s left"},
	} {
		if got := progressLine(test.now, test.took); got != test.want {
			t.Errorf("progressLine(%+v, %v)\n= %s\nwant %s", test.now, test.took, got, test.want)
		}
	}
}

// TestProgress shows stages on a terminal that is none.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b}
	p.show(nbsvm.Progress{Stage: "read", Unit: "bytes"})
	p.show(nbsvm.Progress{Stage: "solve", Unit: "epochs"}) // too soon after
	p.clear()
	p.clear()
	if got, want := b.String(), "\r\x1b[Kread  0 B  0 MB/s\r\x1b[K"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	silent := newProgress(&call{streams: streams{err: &b}, common: &common{}})
	b.Reset()
	silent.show(nbsvm.Progress{Stage: "read"})
	silent.clear()
	if b.Len() > 0 {
		t.Errorf("on no terminal it says %q", b.String())
	}
}

func TestFold(t *testing.T) {
	if got := fold("one two  three", 7); !reflect.DeepEqual(got, []string{"one two", "three"}) {
		t.Errorf("%q", got)
	}
	if got := fold("", 7); !reflect.DeepEqual(got, []string{""}) {
		t.Errorf("nothing gives %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, width := rapid.String().Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "width")
		lines := fold(text, width)
		if got, want := strings.Join(strings.Fields(strings.Join(lines, " ")), " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Fatalf("words %q became %q", want, got)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width && strings.Contains(line, " ") {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}

func TestMessage(t *testing.T) {
	if got := message(errors.New("model: x: bad")); got != "nbsvm: x: bad" {
		t.Errorf("message: %s", got)
	}
}
