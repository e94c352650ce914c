package corpus

import (
	"cmp"
	"errors"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Reason is a kind of fault that records have: "no text", "null text", "text not a string", "no label",
// "bad label", "bad weight", "no id", "not valid JSON", "wrong columns", "unclosed quote", "too long", "bad features",
// "files joined", "damaged", "bad coding" or "other". Summaries count bad records by reason; the names stay as they are.
type Reason string

const (
	noText        Reason = "no text"           // the record lacks the field
	nullText      Reason = "null text"         // the field is null
	wrongText     Reason = "text not a string" // it is a number, object or the like
	noLabel       Reason = "no label"          // there is none where one is needed, or it is null
	wrongLabel    Reason = "bad label"         // it is no label, not valid UTF-8, or stands elsewhere
	wrongWeight   Reason = "bad weight"        // it is missing, or out of range
	noID          Reason = "no id"             // it is missing, empty, null or an object
	notJSON       Reason = "not valid JSON"    // or no object
	wrongColumns  Reason = "wrong columns"     // too many or too few, or text behind a closing quote
	openQuote     Reason = "unclosed quote"    // of CSV
	longRecord    Reason = "too long"          // see Input.MaxRecord
	wrongFeatures Reason = "bad features"      // ready-made ones
	filesJoined   Reason = "files joined"      // the header in mid-file
	damagedRecord Reason = "damaged"           // a record of WARC: its header, its length or its member of gzip
	wrongCoding   Reason = "bad coding"        // an HTTP response in a coding that is unknown, or damaged
	otherReason   Reason = "other"             // anything else, such as a field that can't be added
)

// Reasons count bad records.
type Reasons map[Reason]int64

// String lists the reasons, the most frequent first, such as "12 null text, 1 too long".
func (r Reasons) String() string { return display.Counts(r) }

// Add adds other counts and returns the sum, which is nil only if there are none.
func (r Reasons) Add(of Reasons) Reasons {
	for reason, n := range of {
		if r == nil {
			r = Reasons{}
		}
		r[reason] += n
	}
	return r
}

// Without takes other counts away and returns the difference.
func (r Reasons) Without(of Reasons) Reasons {
	for reason, n := range of {
		if r[reason] -= n; r[reason] == 0 {
			delete(r, reason)
		}
	}
	return r
}

// Sum returns the number of all records.
func (r Reasons) Sum() (sum int64) {
	for _, n := range r {
		sum += n
	}
	return sum
}

// ReasonOf returns the reason for which a record is bad, given the Err of its [Document].
func ReasonOf(err error) Reason {
	if record, is := errors.AsType[*RecordError](err); is && record.Reason != "" {
		return record.Reason
	}
	if of, is := errors.AsType[*fault](err); is {
		return cmp.Or(of.reason, otherReason)
	}
	if _, is := errors.AsType[*sparse.FeatureError](err); is {
		return wrongFeatures
	}
	return otherReason
}
