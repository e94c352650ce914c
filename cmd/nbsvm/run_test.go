package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/process"
)

func TestExplainExit(t *testing.T) {
	for _, test := range []struct {
		err  error
		code int
		says string
	}{
		{nil, 0, ""},
		{badRecords{3}, 3, ""},
		{fmt.Errorf("wrapped: %w", badRecords{3}), 3, ""},
		{usageError{errors.New("nbsvm: C is NaN")}, 2, "nbsvm: C is NaN\n"},
		{errors.New("corpus: a.tsv:1 (byte 0): no label"), 1, "nbsvm: a.tsv:1 (byte 0): no label\n"},
		{fmt.Errorf("solver: %w", context.Canceled), 1, "nbsvm: interrupted; no output file was written\n"},
		{fmt.Errorf("nbsvm: %w", &corpus.RecordError{Path: "a", Line: 2, Offset: 7, Err: corpus.ErrTooLong}), 1, "nbsvm: a:2 (byte 7): " + corpus.ErrTooLong.Error() + "; --on-bad skip leaves such records out\n"},
		// If the first is bad, all may be.
		{&corpus.RecordError{Path: "a", Line: 1, Err: corpus.ErrTooLong}, 1, "nbsvm: a:1 (byte 0): " + corpus.ErrTooLong.Error() + "; correct it, or choose another --format, --text-field, --label-field or --weight-field\n"},
	} {
		var b strings.Builder
		if code := explainExit(test.err, &b); code != test.code || b.String() != test.says {
			t.Errorf("%v: exit code %d, want %d; says %q, want %q", test.err, code, test.code, b.String(), test.says)
		}
	}
}

// failing is a writer that fails after so many bytes.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, f.err
	}
	f.left -= len(p)
	return len(p), nil
}

// TestRunOutput lets standard output fail in two ways.
func TestRunOutput(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"version"}, streams{strings.NewReader(""), &failing{5, errors.New("disk on fire")}, &stderr})
	if code != exitFailed || stderr.String() != "nbsvm: cannot write to standard output: disk on fire\n" {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	stderr.Reset()
	gone := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	if !process.ReaderGone(gone) {
		t.Skip("this system has other words for a broken pipe")
	}
	code = run(t.Context(), []string{"completion", "bash"}, streams{strings.NewReader(""), &failing{5, gone}, &stderr})
	if code != exitDone || stderr.Len() > 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

// TestRunCancelled ends a command by its context.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never, _ := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int)
	folder := t.TempDir()
	go func() {
		done <- run(ctx, []string{"train", "-o", filepath.Join(folder, "x.nbm")}, streams{never, io.Discard, &stderr})
	}()
	cancel()
	if code := <-done; code != exitFailed || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if got := files(t, folder); got != "" {
		t.Errorf("files left: %s", got)
	}
}
