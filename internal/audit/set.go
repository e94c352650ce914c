package audit

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// groups numbers the values of a field, alike in both sets.
type groups struct {
	names   []string // "" stands for documents without a value
	numbers map[string]uint32
	bytes   int // of the names
}

// Limits of what is kept of groups.
const (
	mostGroups = 1 << 20
	mostNames  = 64 << 20 // bytes
)

// number returns the number of a group.
func (g *groups) number(name []byte) (uint32, error) {
	number, known := g.numbers[string(name)]
	if known {
		return number, nil
	}
	if g.bytes += len(name); len(g.names) == mostGroups || g.bytes > mostNames {
		return 0, fmt.Errorf("has more than %s values, or more than %s of them: "+
			"name a field with fewer, such as the source or the language",
			display.Count(mostGroups), display.Bytes(mostNames))
	}
	number = uint32(len(g.names))
	g.names = append(g.names, string(name))
	g.numbers[g.names[number]] = number
	return number, nil
}

// set holds the scores of documents, and the groups that each is in.
type set struct {
	documents  int64           // with a score
	unscored   int64           // records without one
	badReasons corpus.Reasons  // of records that were left out
	labels     map[string]bool // whose scores these are, as far as records say; up to mostLabels
	empty      []string        // paths of files that have records, but none with a score

	by     []groups  // of each field of --by; shared with the other set
	counts [][]int64 // of each field, the documents of each group, up to the last that has any
	rows   spool     // of each document, its score and the numbers of its groups
	row    []byte    // room for one
}

const mostLabels = 64

func newSet(by []groups) *set {
	width := scoreBytes + groupBytes*len(by)
	return &set{labels: map[string]bool{}, by: by, counts: make([][]int64, len(by)), rows: spool{width: width}}
}

// Sizes of the parts of a row.
const (
	scoreBytes = 8
	groupBytes = 4
)

// add adds a document. It has the number of its group of each field.
func (s *set) add(score float64, of []uint32) error {
	s.documents++
	s.row = binary.LittleEndian.AppendUint64(s.row[:0], math.Float64bits(score))
	for i, group := range of {
		if more := int(group) + 1 - len(s.counts[i]); more > 0 {
			s.counts[i] = append(s.counts[i], make([]int64, more)...)
		}
		s.counts[i][group]++
		s.row = binary.LittleEndian.AppendUint32(s.row, group)
	}
	return s.rows.add(s.row)
}

// sorted are the scores of the groups of a field, those of each in ascending order.
type sorted struct {
	scores []float64
	ends   []int // by the number of the group
	free   func()
}

// of returns the scores of a group. A nil table has none.
func (t *sorted) of(group int) []float64 {
	switch {
	case t == nil || group >= len(t.ends):
		return nil
	case group == 0:
		return t.scores[:t.ends[0]]
	}
	return t.scores[t.ends[group-1]:t.ends[group]]
}

// share returns which share of all documents a group has.
func (t *sorted) share(group int) float64 {
	if t == nil {
		return 0
	}
	return float64(len(t.of(group))) / float64(len(t.scores))
}

// counts returns how many documents groups have.
func (t *sorted) counts(groups []int) (counts []int64) {
	for _, k := range groups {
		counts = append(counts, int64(len(t.of(k))))
	}
	return counts
}

// sort sorts the scores of the groups of a field; of all documents as one group, if field is negative.
func (s *set) sort(field int) (*sorted, error) {
	counts := []int64{s.documents}
	if field >= 0 {
		counts = s.counts[field]
	}
	t := &sorted{ends: make([]int, len(counts)), free: func() {}}
	if n := int(s.documents); s.rows.spilled == 0 {
		t.scores = make([]float64, n)
	} else {
		var err error
		if t.scores, t.free, err = osfile.MakeTable[float64](n, ""); err != nil {
			return nil, temporary(err)
		}
	}
	end := 0
	for k, n := range counts {
		t.ends[k] = end // where the group begins, until its scores are in place
		end += int(n)
	}
	err := s.rows.each(func(row []byte) {
		k := uint32(0)
		if field >= 0 {
			k = binary.LittleEndian.Uint32(row[scoreBytes+groupBytes*field:])
		}
		t.scores[t.ends[k]] = math.Float64frombits(binary.LittleEndian.Uint64(row))
		t.ends[k]++
	})
	if err != nil {
		t.free()
		return nil, err
	}
	for k := range t.ends {
		slices.Sort(t.of(k))
	}
	return t, nil
}

// spool keeps rows of equal width: in memory, and once they take inMemory there, in a temporary file.
type spool struct {
	width   int
	pieces  [][]byte // of rows, in memory
	file    osfile.Spill
	spilled int64 // bytes in the file
}

// inMemory is how many bytes of rows are kept in memory, in pieces. Tests lower it.
var inMemory = 64 << 20

const mostPieces = 64

// add keeps another row.
func (s *spool) add(row []byte) error {
	piece, n := inMemory/mostPieces, len(s.pieces)
	switch {
	case n > 0 && len(s.pieces[n-1])+len(row) <= piece:
	case n == mostPieces || n > 0 && s.spilled > 0:
		if _, err := s.file.Write(s.pieces...); err != nil {
			return temporary(err)
		}
		for _, of := range s.pieces {
			s.spilled += int64(len(of))
		}
		s.pieces = [][]byte{s.pieces[0][:0]}
	default:
		s.pieces = append(s.pieces, make([]byte, 0, piece))
	}
	last := &s.pieces[len(s.pieces)-1]
	*last = append(*last, row...)
	return nil
}

// each calls do for each row.
func (s *spool) each(do func(row []byte)) error {
	piece := make([]byte, s.width<<10)
	for at := int64(0); at < s.spilled; at += int64(len(piece)) {
		piece = piece[:min(int64(len(piece)), s.spilled-at)]
		if err := s.file.Read(piece, at); err != nil {
			return temporary(err)
		}
		for row := range slices.Chunk(piece, s.width) {
			do(row)
		}
	}
	for _, piece := range s.pieces {
		for row := range slices.Chunk(piece, s.width) {
			do(row)
		}
	}
	return nil
}

// temporary says what an error of a temporary file is about.
func temporary(err error) error {
	return fmt.Errorf("scores beyond memory: %w; the environment variable TMPDIR names another folder", err)
}
