package tune

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/build"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/regular"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
)

// header is the first line of a log. What it has must be the same for results to hold again.
type header struct {
	Format  string `json:"format"`
	Version string `json:"version"`
	Input   string `json:"input"` // checksum of what is read, and how
	Valid   string `json:"valid"` // likewise
	Folds   int    `json:"folds"`
	Seed    uint64 `json:"seed"`
	Base    string `json:"base"` // options that are not searched
}

func (s *search) header(ctx context.Context) (header, error) {
	base := s.o.Base
	h := header{
		Format: logFormat, Version: build.ID(), Folds: s.folds, Seed: base.Seed,
		Base: fmt.Sprintf("%s, %d bits, %+v", base.Text, base.Text.Bits, settingOf(base, "")),
	}
	if base.Hierarchy != (train.Hierarchy{}) {
		h.Base += fmt.Sprintf(", labels are paths: %+v", base.Hierarchy)
	}
	if base.PlainFolds {
		h.Base += ", plain folds"
	}
	if s.kinds != nil {
		h.Base += fmt.Sprintf(", of %v", s.kinds)
	}
	var err error
	if h.Input, err = fingerprint(ctx, s.in); err == nil && s.o.Valid != nil {
		h.Valid, err = fingerprint(ctx, *s.o.Valid)
	}
	return h, err
}

// fingerprint is another for other files, other contents, and what is read otherwise.
func fingerprint(ctx context.Context, in corpus.Input) (string, error) {
	sum := sha256.New()
	header := "as it looks"
	if in.Header != nil {
		header = fmt.Sprint(*in.Header)
	}
	fmt.Fprintf(sum, "%q %q %q %q %q %d %q %d %d\n", in.Format, in.TextField, in.LabelField, in.WeightField, header, in.Delimiter, in.LabelSep, in.MaxRecord, len(in.Paths))
	for _, path := range in.Paths {
		f, err := regular.Open(path) // it is read several times
		if err != nil {
			return "", err
		}
		n, err := io.Copy(sum, interruptible{ctx, f})
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%d bytes\n", n)
	}
	if in.Documents != nil {
		for d := range in.Documents {
			fmt.Fprintf(sum, "%q %q %g\n", d.Labels, d.Text, d.Weight)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
}

// interruptible reads until its context ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

const logFormat = "nbsvm tune 1"

// mostLog is how many bytes a log may have, a million results and more.
const mostLog = 1 << 30

// Result is what came of a setting on one fold.
type Result struct {
	Setting   Setting            `json:"setting"`
	Share     int                `json:"share"` // one in so many of the documents was trained on
	Fold      int                `json:"fold"`
	Documents int                `json:"documents"` // that were evaluated
	Metrics   map[string]float64 `json:"metrics"`
	Bytes     int64              `json:"bytes"`   // of the model
	Speed     float64            `json:"speed"`   // of scoring, in bytes of text a second; 0 where it was not measured
	Seconds   float64            `json:"seconds"` // about how long it took
}

// openLog opens the log of a search to append results, and returns those that it has. Without a path it is nil. The last
// line may be cut off: it was being written when the search ended.
func openLog(path string, h header) (*os.File, []Result, error) {
	if path == "" {
		return nil, nil, nil
	}
	data, err := regular.Read(path, mostLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, nil, err
	}
	found, results, good, err := parseLog(path, data)
	if found != nil && !bytes.Equal(found, head) {
		return nil, nil, fmt.Errorf("nbsvm: %s is the log of another search, %s: remove it, or name another file with --log", path, h.difference(found))
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	if err = f.Truncate(int64(good)); err == nil && good == 0 {
		_, err = f.Write(append(head, '\n'))
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, results, nil
}

// difference says in what a search differs from that whose log begins with a line.
func (h *header) difference(line []byte) string {
	var other header
	_ = json.Unmarshal(line, &other) // what is no JSON differs
	switch {
	case other.Format != h.Format:
		return "which this program does not know"
	case other.Version != h.Version:
		return fmt.Sprintf("by nbsvm %s, not %s", wording.Excerpt(other.Version), h.Version)
	case other.Input != h.Input || other.Valid != h.Valid:
		return "of other documents"
	}
	return "with other options"
}

// ReadLog reads the results of a search, and how many folds a split of its documents has. Folds of that number and above
// are of further splits, on which only finalists were tried.
func ReadLog(path string) (folds int, results []Result, err error) {
	data, err := regular.Read(path, mostLog)
	if err != nil {
		return 0, nil, err
	}
	head, results, _, err := parseLog(path, data)
	var h header
	if json.Unmarshal(head, &h) != nil || h.Format != logFormat {
		return 0, nil, fmt.Errorf("nbsvm: %s is not a log of nbsvm tune", path)
	}
	return h.Folds, results, err
}

// parseLog returns the first line, the results, and how many bytes are of whole lines.
func parseLog(path string, data []byte) (head []byte, results []Result, good int, err error) {
	for k := 1; ; k++ {
		line, _, whole := bytes.Cut(data[good:], []byte("\n"))
		if !whole {
			return head, results, good, nil
		}
		good += len(line) + 1
		if k == 1 {
			head = line
			continue
		}
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			return head, nil, 0, fmt.Errorf("nbsvm: %s: line %d is not a result of a search: %w: remove the file, or name another with --log", path, k, err)
		}
		results = append(results, r)
	}
}
