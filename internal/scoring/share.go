package scoring

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// rank orders the documents of which a share is kept: by score and, where that is equal, by what the record is. It does
// not depend on where a record stands, so that the same are kept of files in any order.
type rank struct {
	score float64
	hash  uint64
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.score, o.score), cmp.Compare(r.hash, o.hash))
}

// Share is what is kept of documents.
type Share struct {
	Documents int64 // that --where keeps, or all
	Kept      int64
	Equal     int64   // further ones, equal to each other, of which only some would be kept: none is
	Least     float64 // the lowest score that is kept

	last rank
}

// String returns the share as messages and records of runs have it.
func (s *Share) String() string {
	if s.Kept == 0 {
		return "0 of " + display.Some(s.Documents, "document")
	}
	return fmt.Sprintf("%s of %s, with scores from %v", display.Count(s.Kept), display.Some(s.Documents, "document"), s.Least)
}

// scoreOf returns what gives the scores of the class whose best documents are kept.
func (s *Scoring) scoreOf() (func(p []nbsvm.Prediction) float64, error) {
	of, class := -1, 0
	for i := range s.row.Of {
		switch show := &s.row.Of[i]; {
		case show.Label != nil:
			of, class = i, show.Label[0]
		case len(s.row.Of) == 1 && len(show.Labels()) == 2 && !show.MultiLabel():
			of, class = i, 1
		}
	}
	if of < 0 {
		return nil, errors.New("--keep-share keeps the documents with the highest scores of one class: name it with --label")
	}
	return func(p []nbsvm.Prediction) float64 { return p[of].Scores[class] }, nil
}

// hashOf returns a hash of the record.
func hashOf(d *corpus.Document) uint64 {
	record := d.Record
	if record == nil { // of Parquet
		record = binary.AppendVarint(slices.Clone(d.Text), d.Line)
	}
	sum := sha256.Sum256(record)
	return binary.LittleEndian.Uint64(sum[:])
}

// ranks collects ranks that were rendered.
type ranks []rank

const rankBytes = 16

func (r *ranks) Write(data []byte) (int, error) {
	for at := range slices.Chunk(data, rankBytes) {
		*r = append(*r, rank{math.Float64frombits(binary.LittleEndian.Uint64(at)), binary.LittleEndian.Uint64(at[8:])})
	}
	return len(data), nil
}

// Rank scores all documents of which a share is to be kept, and finds out which these are, in 16 bytes of memory for
// each; Write then keeps them. It must be called before Write if [Options].KeepShare is set. The function tells of an
// error whether its input is left out.
func (s *Scoring) Rank(
	ctx context.Context, inputs []corpus.Input, o nbsvm.ScoreOptions, leaveOut func(error) bool,
) (*Share, error) {
	scoreOf, err := s.scoreOf()
	if err != nil {
		return nil, err
	}
	o.With = s.others()
	var all ranks
	for _, in := range inputs {
		if in.ReadsStdin() {
			return nil, errors.New("--keep-share reads its input twice, and standard input can't be read again: save it to a file")
		}
		for _, path := range in.Paths {
			if info, err := os.Stat(path); err == nil && in.Files == nil && !info.Mode().IsRegular() {
				return nil, fmt.Errorf("--keep-share reads its input twice, and %s is not a regular file: save it to one", path)
			}
		}
		before := len(all)
		_, err := s.models[0].Score(ctx, in.Again(), o, func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
			if p == nil || !s.matches(p) {
				return dst
			}
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(scoreOf(p)))
			return binary.LittleEndian.AppendUint64(dst, hashOf(d))
		}, &all)
		if err != nil {
			if !leaveOut(err) {
				return nil, err
			}
			all = all[:before]
		}
	}
	share := cut(all, *s.options.KeepShare)
	s.passes = func(d *corpus.Document, p []nbsvm.Prediction) bool {
		if share.Kept == 0 || !s.matches(p) {
			return false
		}
		score := scoreOf(p)
		return score > share.last.score || score == share.last.score && hashOf(d) >= share.last.hash
	}
	return share, nil
}

// cut finds the least of the ranks that are kept. Equal ones, of equal records, are kept all or none.
func cut(all ranks, share float64) *Share {
	slices.SortFunc(all, func(a, b rank) int { return b.compare(a) })
	s := &Share{Documents: int64(len(all))}
	keep := int(math.Round(share * float64(len(all))))
	if 0 < keep && keep < len(all) && all[keep-1] == all[keep] {
		same, end := all[keep], keep
		for end < len(all) && all[end] == same {
			end++
		}
		for keep > 0 && all[keep-1] == same {
			keep--
		}
		s.Equal = int64(end - keep)
	}
	if s.Kept = int64(keep); keep > 0 {
		s.last = all[keep-1]
		s.Least = s.last.score
	}
	return s
}
