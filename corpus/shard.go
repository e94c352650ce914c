package corpus

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// maxShards keeps products of numbers of shards within an int64.
const maxShards = 1 << 20

// Shard is one of several parts of an input of files. The parts together are the input, in order.
//
// The bytes of all files are divided into ranges of equal length. A record belongs to the range in which it begins.
// Compressed files and CSV, whose fields may hold line breaks, belong as a whole to the range in which they begin.
type Shard struct {
	Number int // of the part: 1 to Of
	Of     int // number of parts, up to 1048576; 0 for the whole input
}

// UnmarshalText reads a shard such as "2/13". An empty text means the whole input.
func (s *Shard) UnmarshalText(text []byte) error {
	*s = Shard{}
	if len(text) == 0 {
		return nil
	}
	number, of, _ := strings.Cut(string(text), "/")
	var errs [2]error
	s.Number, errs[0] = strconv.Atoi(number)
	s.Of, errs[1] = strconv.Atoi(of)
	if errors.Join(errs[:]...) != nil || s.Of == 0 || s.validate() != nil {
		return fmt.Errorf("corpus: a shard must be I/N, such as 2/13, with I from 1 to N; got %s",
			display.Excerpt(text))
	}
	return nil
}

func (s Shard) validate() error {
	if s.Of != 0 && (s.Of < 1 || s.Of > maxShards || s.Number < 1 || s.Number > s.Of) {
		return fmt.Errorf("corpus: a shard must be 1 to N of N parts, and N at most %d; got %d of %d",
			maxShards, s.Number, s.Of)
	}
	return nil
}

// bounds returns the shard's range of so many bytes.
func (s Shard) bounds(total int64) (lo, hi int64) {
	n := int64(s.Of)
	at := func(k int64) int64 { return total/n*k + total%n*k/n }
	return at(int64(s.Number) - 1), at(int64(s.Number))
}

// share is the range of bytes that a reader's shard has, and where in it the reader is.
type share struct {
	lo, hi  int64
	sizes   []int64 // of the files still to come
	at, end int64   // where the current file begins and ends in the input
}

var errNoSize = errors.New("has no known size, so it has no shards: give files")

// newShare finds a shard's range of files of some sizes.
func newShare(s Shard, paths []string, sizes []int64) (*share, error) {
	for i, size := range sizes {
		if size < 0 {
			path := paths[i]
			if path == "-" {
				path = stdinName
			}
			return nil, &FileError{Path: path, Err: errNoSize}
		}
	}
	sh := &share{sizes: sizes}
	sh.lo, sh.hi = s.bounds(total(sizes))
	return sh, nil
}

// next goes to the next file and tells whether it must be opened. A file without records of
// the shard is opened for its header, with which the headers of later files are compared.
func (s *share) next(header bool) bool {
	s.at, s.end = s.end, s.end+s.sizes[0]
	s.sizes = s.sizes[1:]
	return s.at < s.hi && s.at < s.end && (s.lo < s.end || header)
}

// mayHaveHeader reports whether a header of the file is asked for.
func (o *Input) mayHaveHeader(path string) bool {
	f := o.formatOf(path)
	return o.Headers && (f == nil || f.columns != nil)
}

// enter makes the open file, whose format is known from its beginning, start at the first
// record that the shard has, and end behind the last.
func (r *Reader) enter() error {
	s, f := r.share, r.file
	lo, hi, begin := s.lo-s.at, s.hi-s.at, r.cut.offset
	f.outside = lo > 0
	_, isText := r.contents.(*text)
	if p, is := r.contents.(*parquetRows); is {
		p.lo, p.hi = max(lo, 0), hi
		return nil
	}
	switch whole := !isText || r.src.plain == nil || f.format.quoted; {
	case whole && !f.outside:
		return nil
	case whole || s.lo >= s.end || hi <= begin: // it has none
		r.contents = &text{file: f, cut: &cutter{end: io.EOF}}
		return nil
	}
	c := r.cut
	if lo > begin { // the line that has the byte before begins elsewhere, or ends there
		plain := r.src.plain
		plain.at = lo - 1
		if _, err := plain.file.Seek(plain.at, io.SeekStart); err != nil {
			return &FileError{Path: f.path, Err: cause(err)}
		}
		*c = cutter{
			src: &counter{r: plain, done: &r.done}, plain: true, spare: c.spare, memory: c.memory,
			block: c.block, limit: c.limit, max: c.max, offset: plain.at, skip: true,
		}
		f.lineless = true
	}
	c.hi = hi
	r.src.plain.size = s.end - s.at // by which all shards go
	return nil
}
