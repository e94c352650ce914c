package corpus

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// Policy is what becomes of bad records.
type Policy uint8

const (
	Fail       Policy = iota // stop at the first
	Skip                     // leave them out
	Quarantine               // leave them out and write them to a file
)

// OnBad is a policy with the file of Quarantine. The zero value is Fail.
type OnBad struct {
	Policy Policy
	Path   string
}

// ParseOnBad reads "fail", "skip" or "quarantine=FILE".
func ParseOnBad(text string) (OnBad, error) {
	if path, ok := strings.CutPrefix(text, "quarantine="); ok && path != "" {
		return OnBad{Quarantine, path}, nil
	}
	switch text {
	case "fail":
		return OnBad{}, nil
	case "skip":
		return OnBad{Policy: Skip}, nil
	}
	return OnBad{}, fmt.Errorf("corpus: unknown policy for bad records %s: use fail, skip or quarantine=FILE", excerpt(text))
}

// String is what ParseOnBad reads.
func (o OnBad) String() string {
	switch o.Policy {
	case Fail:
		return "fail"
	case Skip:
		return "skip"
	case Quarantine:
		return "quarantine=" + o.Path
	}
	return fmt.Sprintf("Policy(%d)", uint8(o.Policy))
}

// maxMessages is how many bad records are told of one by one. More would bury
// the rest of a log, or fill a disk.
const maxMessages = 20

// BadRecords deals with bad records, in the order in which they are reported.
// It is not for concurrent use.
type BadRecords struct {
	on    OnBad
	log   io.Writer
	file  *atomicfile.File // of the quarantine, else nil
	count int64
	done  bool
}

// NewBadRecords begins with none. Messages go to log, one line each; nil is
// nowhere. The quarantine file is begun, so that a path that cannot be written
// is known at once, but takes its name only with Close.
func NewBadRecords(on OnBad, log io.Writer) (*BadRecords, error) {
	if log == nil {
		log = io.Discard
	}
	b := &BadRecords{on: on, log: log}
	switch on.Policy {
	case Fail, Skip:
		return b, nil
	case Quarantine:
		var err error
		if b.file, err = atomicfile.Create(on.Path); err != nil {
			return nil, fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
		}
		return b, nil
	}
	return nil, fmt.Errorf("corpus: there is no policy %d for bad records: use corpus.Fail, corpus.Skip or corpus.Quarantine", on.Policy)
}

// Report deals with a document whose Err is not nil: under Fail it returns that
// error, else it counts the record, tells of it if it is among the first twenty,
// and quarantines it. A good document is none of its business.
func (b *BadRecords) Report(d Document) error {
	if d.Err == nil {
		return nil
	}
	if b.on.Policy == Fail {
		return d.Err
	}
	b.count++
	switch {
	case b.count <= maxMessages:
		fmt.Fprintf(b.log, "bad record: %v\n", d.Err)
	case b.count == maxMessages+1:
		fmt.Fprintf(b.log, "more bad records follow; they are only counted\n")
	}
	if b.file == nil {
		return nil
	}
	if _, err := b.file.Write(d.Record); err != nil {
		return fmt.Errorf("corpus: cannot quarantine a bad record: %w", err)
	}
	if _, err := b.file.Write([]byte{'\n'}); err != nil {
		return fmt.Errorf("corpus: cannot quarantine a bad record: %w", err)
	}
	return nil
}

// Count is how many bad records were reported, apart from one that failed.
func (b *BadRecords) Count() int64 { return b.count }

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
		} else if err := b.file.Commit(); err != nil {
			return fmt.Errorf("corpus: cannot quarantine bad records: %w", err)
		} else {
			fate = "quarantined in " + b.on.Path
		}
	}
	switch {
	case b.count == 1:
		fmt.Fprintf(b.log, "1 bad record %s\n", fate)
	case b.count > 1:
		fmt.Fprintf(b.log, "%d bad records %s\n", b.count, fate)
	}
	return nil
}
