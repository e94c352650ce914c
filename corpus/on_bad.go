package corpus

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// OnBad says what to do with bad records. "fail" stops at the first one, "skip" leaves them out, and "quarantine=FILE"
// leaves them out and writes them to a file, which is compressed if its name ends in .gz or .zst: lines of text as they
// came, behind the header of their file, and paths and numbers of rows of Parquet as JSON lines. The zero value means
// "fail".
type OnBad string

const (
	fail OnBad = "fail"
	skip OnBad = "skip"
)

// Quarantine returns the path of the file for bad records; empty if there is none.
func (o OnBad) Quarantine() string {
	path, _ := strings.CutPrefix(string(o), "quarantine=")
	if path == string(o) {
		return ""
	}
	return path
}

// UnmarshalText checks and sets the policy.
func (o *OnBad) UnmarshalText(text []byte) error {
	on := OnBad(text)
	if on != fail && on != skip && on.Quarantine() == "" {
		return fmt.Errorf("corpus: unknown policy for bad records %s: use fail, skip or quarantine=FILE",
			display.Excerpt(text))
	}
	*o = on
	return nil
}

// maxMessages is how many bad records are reported one by one. More would bury the rest of a log, or fill a disk.
const maxMessages = 10

// BadRecords counts, logs and saves bad records. It is not for concurrent use. A nil *BadRecords stands for the policy
// "fail".
type BadRecords struct {
	on     OnBad
	log    io.Writer
	kept   *quarantine // nil if bad records are not kept
	why    Reasons     // how many bad records have each fault
	passed int64       // lines of fastText without a label
	done   bool
}

// NewBadRecords returns an empty BadRecords; put it into Input.Bad, and call Close when the work is done. Messages go
// to log, one line each; nil discards them. A file for bad records is created at once, under a temporary name that
// Close changes.
func NewBadRecords(on OnBad, log io.Writer) (*BadRecords, error) {
	if log == nil {
		log = io.Discard
	}
	b := &BadRecords{on: on, log: log}
	if on == "" {
		b.on = fail
	}
	if err := b.on.UnmarshalText([]byte(b.on)); err != nil {
		return nil, err
	}
	path := on.Quarantine()
	if path == "" {
		return b, nil
	}
	var err error
	if b.kept, err = newQuarantine(path); err != nil {
		return nil, err
	}
	return b, nil
}

// Report handles a document whose Err is not nil; it ignores others. Under "fail" it returns that error. Otherwise it
// counts the record, logs it if it is among the first ten, and saves it. Lines of FastText that lack a label are only
// counted, since fastText skips them too.
func (b *BadRecords) Report(d Document) error {
	switch {
	case d.Err == nil:
		return nil
	case errors.Is(d.Err, errPassedOver):
		if b != nil {
			b.passed++
		}
		return nil
	case b == nil || b.on == fail:
		return d.Err
	}
	if b.why == nil {
		b.why = Reasons{}
	}
	b.why[ReasonOf(d.Err)]++
	switch count := b.why.Sum(); {
	case count <= maxMessages:
		fmt.Fprintf(b.log, "bad record: %v\n", d.Err)
	case count == maxMessages+1:
		fmt.Fprintf(b.log, "more bad records follow; they are only counted\n")
	}
	if b.kept == nil {
		return nil
	}
	return quarantineError(b.kept.add(&d))
}

// Again returns a BadRecords for another reading of the same input. It skips what was skipped and logs nothing.
func (b *BadRecords) Again() *BadRecords {
	if b == nil || b.on == fail {
		return nil
	}
	return &BadRecords{on: skip, log: io.Discard}
}

// Count returns the number of bad records that were skipped.
func (b *BadRecords) Count() int64 {
	if b == nil {
		return 0
	}
	return b.why.Sum()
}

// Reasons returns how many of the bad records that were skipped have each fault.
func (b *BadRecords) Reasons() Reasons {
	if b == nil {
		return nil
	}
	return maps.Clone(b.why)
}

// Close logs the number of bad records, if there were any. With keep, the file for bad records takes its name, even if
// it is empty, so that it is never the file of an earlier run; otherwise it is removed. A second Close does nothing.
func (b *BadRecords) Close(keep bool) error {
	if b.done {
		return nil
	}
	b.done = true
	fate := "skipped"
	if b.kept != nil {
		fate = "skipped, none quarantined"
		if err := b.kept.close(keep); err != nil {
			return quarantineError(err)
		} else if keep {
			fate = "quarantined in " + b.on.Quarantine()
		}
	}
	if b.passed > 0 {
		fmt.Fprintf(b.log, "%s without a label skipped\n", display.Some(b.passed, "line"))
	}
	if count := b.Count(); count > 0 {
		fmt.Fprintf(b.log, "%s %s: %s\n", display.Some(count, "bad record"), fate, b.why)
	}
	return nil
}
