package model

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// The names of a Sparse's sections, but for the bits of what is in them. If a file has one of them, it has all.
const (
	rowsSection    = "ROWPTR"
	codesSection   = "GAP"
	numbersSection = "VALUE"
)

func (s *Sparse) placesSection() string {
	if s.within32 != nil {
		return rowsSection + "32"
	}
	return rowsSection + "16"
}

func (s *Sparse) codesName() string {
	if s.codes8 != nil {
		return codesSection + "8"
	}
	return codesSection + "16"
}

// fields returns the sections of so many rows.
func (s *Sparse) fields(rows int) []field {
	places := field{
		names: []string{rowsSection + "16", rowsSection + "32"},
		encode: func() (string, []byte) {
			within := mem.ViewBytes(s.within16)
			if s.within32 != nil {
				within = mem.ViewBytes(s.within32)
			}
			return s.placesSection(), slices.Concat(mem.ViewBytes(s.starts), within)
		},
	}
	places.decode = func(name string, data []byte) (bad *fileError) {
		starts := 8 * (rows/blockRows + 1)
		if len(data) < starts {
			return at(name, 0, "it has %d bytes, and the starts of its blocks alone %d", len(data), starts)
		}
		s.starts = mem.View[uint64](data[:starts])
		if name == places.names[0] {
			s.within16, bad = array[uint16](name, data[starts:])
		} else {
			s.within32, bad = array[uint32](name, data[starts:])
		}
		return bad
	}
	codes := field{
		names: []string{codesSection + "8", codesSection + "16"},
		encode: func() (string, []byte) {
			if s.codes8 != nil {
				return s.codesName(), s.codes8
			}
			return s.codesName(), mem.ViewBytes(s.codes16)
		},
	}
	codes.decode = func(name string, data []byte) (bad *fileError) {
		if name == codes.names[0] {
			s.codes8 = mem.View[uint8](data)
			return nil
		}
		s.codes16, bad = array[uint16](name, data)
		return bad
	}
	return []field{places, codes, numbersField(numbersSection, &s.Value)}
}

// check finds out whether rows and outputs are in order and in range, and the numbers finite.
func (s *Sparse) check(rows, outputs int) *fileError {
	switch n := s.Codes(); {
	case s.Rows() != rows:
		return wrongLength(s.placesSection(), s.Rows()+1, rows+1, "numbers")
	case s.place(0) != 0 || s.place(rows) != n:
		return at(s.placesSection(), 0, "it goes from %d to %d, which should be 0 to %d", s.place(0), s.place(rows), n)
	default:
		if p := checkNumbers(numbersSection, s.Value, uint64(n), "numbers, as "+s.codesName()+" has"); p != nil {
			return p
		}
	}
	return findProblem(rows, func(lo, hi int) *fileError {
		if s.codes8 != nil {
			return checkRows(s, s.codes8, lo, hi, outputs)
		}
		return checkRows(s, s.codes16, lo, hi, outputs)
	})
}

// checkRows finds out whether rows follow each other, and have outputs that there are.
func checkRows[T code](s *Sparse, codes []T, lo, hi, outputs int) *fileError {
	begin := s.place(lo)
	for row := lo; row < hi; row++ {
		end := s.place(row + 1)
		startsBlock := (row+1)%blockRows == 0
		if uint(begin) > uint(end) || uint(end) > uint(len(codes)) || startsBlock &&
			end != int(s.starts[(row+1)/blockRows]) {
			return at(s.placesSection(), s.placeOf(row+1), "row %d goes from %d to %d of %d", row, begin, end,
				len(codes))
		}
		used, largest := end-begin, T(0)
		for _, c := range codes[begin:end] {
			used += int(c)
			largest = max(largest, c)
		}
		if used > outputs || largest == ^T(0) {
			if p := checkCodes(s, codes[begin:end], row, outputs); p != nil {
				return p
			}
		}
		begin = end
	}
	return nil
}

// placeOf returns where the section says where a row begins in its block.
func (s *Sparse) placeOf(row int) int {
	if s.within32 != nil {
		return 8*len(s.starts) + 4*row
	}
	return 8*len(s.starts) + 2*row
}

// checkCodes finds out whether all outputs of a row are there, and whether numbers that are of none are 0.
func checkCodes[T code](s *Sparse, codes []T, row, outputs int) *fileError {
	output := 0
	for i, c := range codes {
		place := s.place(row) + i
		output += int(c)
		switch {
		case c != ^T(0) && output >= outputs:
			return at(s.codesName(), mem.SizeOf[T]()*place, "row %d has output %d of %d", row, output, outputs)
		case c != ^T(0):
			output++
		case i == len(codes)-1:
			return at(s.codesName(), mem.SizeOf[T]()*place, "row %d ends with code %d, which is no entry", row, c)
		default:
			if x := s.Value.At(place); x != 0 {
				return at(sectionOf(numbersSection, s.Value.bits()), s.Value.place(place),
					"number %d of the section is %v: it is of no output, and must be 0", place, x)
			}
		}
	}
	return nil
}
