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
	"strings"

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

// group is a group of documents, of which a share is kept.
type group struct {
	key   string
	ranks []rank // of its documents, until the last that is kept is found

	documents int64 // that --where keeps, or all
	kept      int64
	equal     int64 // further ones, equal to each other, of which only some would be kept: none is
	last      rank  // the lowest that is kept
}

// String returns what is kept as messages and records of runs have it.
func (g *group) String() string {
	kept := keptOf([]*group{g})
	if g.kept > 0 {
		kept += fmt.Sprintf(", with scores from %v", g.last.score)
	}
	return kept
}

// keptOf tells how many documents of groups are kept.
func keptOf(groups []*group) string {
	var documents, kept int64
	for _, g := range groups {
		documents, kept = documents+g.documents, kept+g.kept
	}
	return display.Count(kept) + " of " + display.Some(documents, "document")
}

// Share is what is kept of the documents of each group; of all together, without --by.
type Share struct {
	Equal int64 // documents, equal to others of their group, of which only some would be kept: none is

	by     []string
	groups []*group // those with most documents first
}

// Lines returns what is kept, with a line for each of the largest groups.
func (s *Share) Lines() []string {
	const most = 10
	if len(s.by) == 0 {
		return []string{s.groups[0].String()}
	}
	lines := []string{
		fmt.Sprintf("%s, in %s by %s", keptOf(s.groups), display.Some(len(s.groups), "group"), strings.Join(s.by, ", ")),
	}
	shown := min(len(s.groups), most)
	for _, g := range s.groups[:shown] {
		lines = append(lines, groupName(g.key)+": "+g.String())
	}
	if more := s.groups[shown:]; len(more) > 0 {
		lines = append(lines, display.Some(len(more), "more group")+": "+keptOf(more))
	}
	small := slices.DeleteFunc(slices.Clone(s.groups), func(g *group) bool { return g.kept+g.equal > 0 })
	if len(small) > 0 {
		lines = append(lines, display.Some(len(small), "group")+" too small for the share: "+keptOf(small))
	}
	return lines
}

// Recorded returns what is kept as records of runs have it.
func (s *Share) Recorded() string {
	if len(s.by) == 0 {
		return s.Lines()[0]
	}
	sum := sha256.New()
	for _, g := range s.groups {
		fmt.Fprintf(sum, "%q %v %d\n", g.key, g, g.last.hash)
	}
	return fmt.Sprintf("%s (%.8x)", s.Lines()[0], sum.Sum(nil))
}

// ranked returns the model and the class by whose scores documents are kept: those of --label or, with two classes, the
// second.
func (s *Scoring) ranked() (of, class int, err error) {
	of = -1
	for i := range s.row.Of {
		switch show := &s.row.Of[i]; {
		case show.Label != nil:
			of, class = i, show.Label[0]
		case len(s.row.Of) == 1 && len(show.Labels()) == 2 && !show.MultiLabel():
			of, class = i, 1
		case len(s.row.Of) == 1 && show.Numbers():
			of = i
		}
	}
	pareto := s.options.KeepPareto != nil
	switch {
	case of < 0 && pareto:
		err = errors.New("--keep-pareto draws documents by the probability of one class: name it with --label")
	case of < 0:
		err = errors.New("--keep-share keeps the documents with the highest scores of one class: name it with --label")
	case pareto && s.models[of].Numbers():
		err = errors.New("--keep-pareto needs probabilities, and this model predicts numbers: keep a share with --keep-share")
	case pareto && !s.models[of].Probabilities():
		err = errors.New("--keep-pareto needs probabilities, and the scores of this model are margins: " +
			"train with --calibrate, or keep a share with --keep-share")
	}
	return of, class, err
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

// ranks collects ranks that were rendered, by the keys of groups.
type ranks map[string]*group

// appendRank renders what Write collects.
func appendRank(dst []byte, r rank, key []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.score))
	dst = binary.LittleEndian.AppendUint64(dst, r.hash)
	return append(binary.AppendUvarint(dst, uint64(len(key))), key...)
}

func (r ranks) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		one := rank{math.Float64frombits(binary.LittleEndian.Uint64(rest)), binary.LittleEndian.Uint64(rest[8:])}
		length, n := binary.Uvarint(rest[16:])
		key := rest[16+n:][:length]
		rest = rest[16+n+int(length):]
		g := r[string(key)]
		if g == nil {
			g = &group{key: string(key)}
			r[g.key] = g
		}
		g.ranks = append(g.ranks, one)
	}
	return len(data), nil
}

// add adds the ranks of another input.
func (r ranks) add(others ranks) {
	for key, other := range others {
		if g := r[key]; g != nil {
			g.ranks = append(g.ranks, other.ranks...)
		} else {
			r[key] = other
		}
	}
}

// Rank scores all documents of which a share is to be kept, and finds out which these are; Write then keeps them. It
// takes 16 bytes of memory for each document, and up to about 500 for each group. It must be called before Write if
// [Options].KeepShare is set. The function tells of an error whether its input is left out.
func (s *Scoring) Rank(
	ctx context.Context, inputs []corpus.Input, o nbsvm.ScoreOptions, leaveOut func(error) bool,
) (*Share, error) {
	model, class, err := s.ranked()
	if err != nil {
		return nil, err
	}
	scoreOf := func(p []nbsvm.Prediction) float64 { return p[model].Scores[class] }
	s.ask(&o)
	o.Settled = s.settled
	all, documents := ranks{}, int64(0)
	for _, in := range inputs {
		if in.ReadsStdin() {
			return nil, errors.New("--keep-share reads its input twice, and standard input can't be read again: save it to a file")
		}
		for _, path := range in.Paths {
			if info, err := os.Stat(path); err == nil && in.Files == nil && !info.Mode().IsRegular() {
				return nil, fmt.Errorf("--keep-share reads its input twice, and %s is not a regular file: save it to one", path)
			}
		}
		of := ranks{}
		render := func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
			if p == nil {
				return dst
			}
			s.groups.fields.look(d)
			if s.matches(p) != passes {
				return dst
			}
			var room [longestValue]byte
			var key []byte
			if key, d.Err = s.groups.appendKey(room[:0], d, p); d.Err != nil {
				return dst
			}
			return appendRank(dst, rank{scoreOf(p), hashOf(d)}, key)
		}
		stats, err := s.models[0].Score(ctx, in.Again(), o, render, of)
		if err != nil && s.options.KeepFields == nil {
			err = byError{err}
		}
		switch {
		case err == nil:
			all.add(of)
			documents += stats.Documents - stats.Bad
		case !leaveOut(err):
			return nil, err
		}
	}
	if err := s.groups.check(documents); err != nil {
		return nil, err
	}
	share := &Share{by: s.options.By}
	if len(share.by) == 0 && len(all) == 0 {
		all[""] = new(group)
	}
	for _, g := range all {
		g.cut(*s.options.KeepShare)
		share.groups, share.Equal = append(share.groups, g), share.Equal+g.equal
	}
	slices.SortFunc(share.groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.documents, a.documents), cmp.Compare(a.key, b.key))
	})
	s.passes = func(d *corpus.Document, p []nbsvm.Prediction) bool {
		if s.matches(p) != passes {
			return false
		}
		var room [longestValue]byte
		var key []byte
		if key, d.Err = s.groups.appendKey(room[:0], d, p); d.Err != nil {
			return false
		}
		g := all[string(key)]
		if g == nil || g.kept == 0 {
			return false
		}
		score := scoreOf(p)
		return score > g.last.score || score == g.last.score && hashOf(d) >= g.last.hash
	}
	return share, nil
}

// cut finds the least of the ranks that are kept. Equal ones, of equal records, are kept all or none.
func (g *group) cut(share float64) {
	all := g.ranks
	slices.SortFunc(all, func(a, b rank) int { return b.compare(a) })
	keep := int(math.Round(share * float64(len(all))))
	if 0 < keep && keep < len(all) && all[keep-1] == all[keep] {
		same, end := all[keep], keep
		for end < len(all) && all[end] == same {
			end++
		}
		for keep > 0 && all[keep-1] == same {
			keep--
		}
		g.equal = int64(end - keep)
	}
	if keep > 0 {
		g.last = all[keep-1]
	}
	g.documents, g.kept, g.ranks = int64(len(all)), int64(keep), nil
}
