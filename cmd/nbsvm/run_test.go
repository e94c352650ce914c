package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
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
