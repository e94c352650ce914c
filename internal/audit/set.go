// Package audit says what a filter by scores does: how scores are spread by groups of documents, which share of each
// group a threshold keeps, which threshold keeps a share, and how two sets of scores differ.
//
// All figures are exact, and are the same for documents in any order and any division into files. A [Set] keeps the
// score and the groups of each document: in memory, and beyond a limit in temporary files.
package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Set holds the scores of documents, and the groups that each is in.
type Set struct {
	Documents int64           // with a score
	Unscored  int64           // records without one
	Bad       corpus.Reasons  // records that were left out
	Labels    map[string]bool // whose scores these are, as far as records say; up to mostLabels
	Empty     []string        // paths of files that have records, but none with a score

	fields []groups // of each field of --by
	rows   spool    // of each document, its score and the numbers of its groups
	row    []byte   // room for one
}

// groups are the values that a field has.
type groups struct {
	numbers map[string]uint32
	names   []string // "" stands for documents without a value
	counts  []int64
	bytes   int // of the names
}

// Limits of what is kept of groups.
const (
	mostGroups = 1 << 20
	mostNames  = 64 << 20 // bytes
	mostLabels = 64
)

func newSet(fields int) *Set {
	s := &Set{Labels: map[string]bool{}, fields: make([]groups, fields), rows: spool{width: scoreBytes + groupBytes*fields}}
	for i := range s.fields {
		s.fields[i].numbers = map[string]uint32{}
	}
	return s
}

// Close removes the temporary file of a large set. It does nothing for nil.
func (s *Set) Close() error {
	if s == nil {
		return nil
	}
	return s.rows.file.Close()
}

// Sizes of the parts of a row.
const (
	scoreBytes = 8
	groupBytes = 4
)

// add adds a document. Groups are by number, as number returns them.
func (s *Set) add(score float64, of []uint32) error {
	s.Documents++
	s.row = binary.LittleEndian.AppendUint64(s.row[:0], math.Float64bits(score))
	for i, group := range of {
		s.fields[i].counts[group]++
		s.row = binary.LittleEndian.AppendUint32(s.row, group)
	}
	return s.rows.add(s.row)
}

// number returns the number of a group.
func (g *groups) number(name string) (uint32, error) {
	number, known := g.numbers[name]
	if known {
		return number, nil
	}
	if g.bytes += len(name); len(g.names) == mostGroups || g.bytes > mostNames {
		return 0, fmt.Errorf("has more than %s values, or more than %s of them: name a field with fewer, such as the source or the language",
			display.Count(mostGroups), display.Bytes(mostNames))
	}
	number = uint32(len(g.names))
	g.numbers[name] = number
	g.names, g.counts = append(g.names, name), append(g.counts, 0)
	return number, nil
}

// sorted are the scores of the groups of a field, those of each in ascending order.
type sorted struct {
	scores []float64
	ends   []int // by the number of the group
	free   func()
}

// of returns the scores of a group.
func (s *sorted) of(group int) []float64 {
	from := 0
	if group > 0 {
		from = s.ends[group-1]
	}
	return s.scores[from:s.ends[group]]
}

// sort sorts the scores of the groups of a field; of all documents as one group, if field is negative.
func (s *Set) sort(field int) (*sorted, error) {
	counts := []int64{s.Documents}
	if field >= 0 {
		counts = s.fields[field].counts
	}
	t := &sorted{ends: make([]int, len(counts)), free: func() {}}
	if n := int(s.Documents); s.rows.file == nil {
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

// order returns the numbers of the groups of a field by how many documents they have, the most first, then by name.
func (g *groups) order() []int {
	all := make([]int, len(g.names))
	for k := range all {
		all[k] = k
	}
	slices.SortFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(g.counts[b], g.counts[a]), strings.Compare(g.names[a], g.names[b]))
	})
	return all
}

// spool keeps rows of equal width: in memory, and in a temporary file once they take more than inMemory.
type spool struct {
	width  int
	memory bytes.Buffer
	file   *osfile.Temp
	to     *bufio.Writer // the file
}

// inMemory is how many bytes of rows are kept in memory. Tests lower it.
var inMemory = 64 << 20

// add keeps another row.
func (s *spool) add(row []byte) (err error) {
	if s.file == nil {
		if s.memory.Len()+len(row) <= inMemory {
			s.memory.Write(row)
			return nil
		}
		if s.file, err = osfile.CreateTemp(""); err != nil {
			return temporary(err)
		}
		s.file.Unlink()
		s.to = bufio.NewWriterSize(s.file, 1<<20)
		if _, err := s.memory.WriteTo(s.to); err != nil {
			return temporary(err)
		}
		s.memory = bytes.Buffer{}
	}
	if _, err := s.to.Write(row); err != nil {
		return temporary(err)
	}
	return nil
}

// each calls do for each row.
func (s *spool) each(do func(row []byte)) error {
	var from io.Reader = bytes.NewReader(s.memory.Bytes())
	if s.file != nil {
		if err := s.to.Flush(); err != nil {
			return temporary(err)
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return temporary(err)
		}
		from = bufio.NewReaderSize(s.file, 1<<20)
	}
	for row := make([]byte, s.width); ; {
		switch _, err := io.ReadFull(from, row); err {
		case nil:
			do(row)
		case io.EOF:
			return nil
		default:
			return temporary(err)
		}
	}
}

// temporary says what an error of a temporary file is about.
func temporary(err error) error {
	return fmt.Errorf("a temporary file for scores: %w; the environment variable TMPDIR names another folder", err)
}
