package corpus

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/compressed"
)

// OnBad is what becomes of bad records: "fail" stops at the first, "skip" leaves them out,
// "quarantine=FILE" writes them to a file besides, compressed if its name ends in .zst or .gz. The zero value is "fail".
type OnBad string

const (
	fail OnBad = "fail"
	skip OnBad = "skip"
)

// Quarantine is the path of the file, empty if there is none.
func (o OnBad) Quarantine() string {
	path, _ := strings.CutPrefix(string(o), "quarantine=")
	if path == string(o) {
		return ""
	}
	return path
}

// UnmarshalText takes only what OnBad can be.
func (o *OnBad) UnmarshalText(text []byte) error {
	on := OnBad(text)
	if on != fail && on != skip && on.Quarantine() == "" {
		return fmt.Errorf("corpus: unknown policy for bad records %s: use fail, skip or quarantine=FILE", wording.Excerpt(text))
	}
	*o = on
	return nil
}

// maxMessages is how many bad records are reported one by one. More would bury the rest of a log, or fill a disk.
const maxMessages = 10

// BadRecords deals with bad records, in the order in which they are reported.
// It is not for concurrent use.
type BadRecords struct {
	on     OnBad
	log    io.Writer
	file   *atomicfile.File   // of the quarantine, else nil
	press  *compressed.Writer // into the file, nil if it is not compressed
	count  int64
	passed int64 // lines of fastText without a label
	done   bool
}

// NewBadRecords begins with none. Messages go to log, one line each; nil is
// nowhere. The quarantine file is begun, so that a path that cannot be written
// is known at once, but takes its name only with Close.
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
	if path := on.Quarantine(); path != "" {
		var err error
		if b.file, err = atomicfile.Create(path); err != nil {
			return nil, fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
		}
		if kind := compressed.Of(path); kind != compressed.None {
			if b.press, err = compressed.NewWriter(b.file, kind, 1); err != nil {
				b.file.Abort()
				return nil, fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
			}
		}
	}
	return b, nil
}

// Report deals with a document whose Err is not nil: under "fail" it returns that
// error, else it counts the record, writes a message if it is among the first ten, and quarantines it. A good
// document changes nothing. Lines of fastText's format without a label, where one is needed, are only counted, as
// fastText passes over them. A nil receiver is "fail".
func (b *BadRecords) Report(d Document) error {
	switch {
	case d.Err == nil:
		return nil
	case errors.Is(d.Err, errPassedOver):
		if b != nil {
			b.passed++
		}
		return nil
	case b == nil:
		return d.Err
	}
	if b.on == fail {
		return d.Err
	}
	switch b.count++; {
	case b.count <= maxMessages:
		fmt.Fprintf(b.log, "bad record: %v\n", d.Err)
	case b.count == maxMessages+1:
		fmt.Fprintf(b.log, "more bad records follow; they are only counted\n")
	}
	if b.file == nil || len(d.Record) == 0 {
		return nil
	}
	var w io.Writer = b.file
	if b.press != nil {
		w = b.press
	}
	_, err := w.Write(d.Record)
	if err == nil {
		_, err = w.Write(lineFeed)
	}
	if err != nil {
		return fmt.Errorf("corpus: cannot quarantine a bad record: %w", err)
	}
	return nil
}

// Again deals with the records of an input that is read once more, when all that is to be told of them was told: it
// skips what was skipped. That of a nil receiver is nil.
func (b *BadRecords) Again() *BadRecords {
	if b == nil || b.on == fail {
		return nil
	}
	return &BadRecords{on: skip, log: io.Discard}
}

// Count is how many bad records were reported, apart from one that failed. It is 0 for a nil
// receiver.
func (b *BadRecords) Count() int64 {
	if b == nil {
		return 0
	}
	return b.count
}

// commit has the quarantine file take its name.
func (b *BadRecords) commit() error {
	defer b.file.Abort()
	if b.press != nil {
		if err := b.press.Close(); err != nil {
			return err
		}
	}
	return b.file.Commit()
}

// Close prints how many bad records there were, if there were any. With keep the
// quarantine file takes its name, empty if there was nothing to quarantine, so
// that it is never that of an earlier run; without, it is given up. A second
// Close does nothing.
func (b *BadRecords) Close(keep bool) error {
	if b.done {
		return nil
	}
	b.done = true
	fate := "skipped"
	if b.file != nil {
		if !keep {
			b.file.Abort()
			fate = "skipped, none quarantined"
		} else if err := b.commit(); err != nil {
			return fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
		} else {
			fate = "quarantined in " + b.on.Quarantine()
		}
	}
	switch {
	case b.passed == 1:
		fmt.Fprintf(b.log, "1 line without a label passed over\n")
	case b.passed > 1:
		fmt.Fprintf(b.log, "%d lines without a label passed over\n", b.passed)
	}
	switch {
	case b.count == 1:
		fmt.Fprintf(b.log, "1 bad record %s\n", fate)
	case b.count > 1:
		fmt.Fprintf(b.log, "%d bad records %s\n", b.count, fate)
	}
	return nil
}
