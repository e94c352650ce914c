// Package mutate changes files of nbsvm at random, for tests: models, packed corpora, checkpoints, and JSON such as that
// beside shards. What files consist of, and how they are put together, is up to the packages that write them. So checksums
// are right, and what reads a changed file comes as far as its contents allow.
package mutate

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// times is how many changes a file gets: one most often.
func times(r *rand.Rand) int {
	n := 1
	for n < 8 && r.IntN(5) < 2 {
		n++
	}
	return n
}

// one is a random element.
func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// Model changes a model file.
func Model(r *rand.Rand, p *model.Parts) []byte {
	p = &model.Parts{Version: p.Version, Outputs: p.Outputs, Universe: p.Universe, Rows: p.Rows, Sections: slices.Clone(p.Sections)}
	for range times(r) {
		switch r.IntN(13) {
		case 0:
			switch r.IntN(4) {
			case 0:
				p.Version = uint32(number(r, 4, uint64(p.Version)))
			case 1:
				p.Outputs = uint32(number(r, 4, uint64(p.Outputs)))
			case 2:
				p.Universe = number(r, 8, p.Universe)
			default:
				p.Rows = number(r, 8, p.Rows)
			}
		case 1:
			p.Sections = list(r, p.Sections)
		case 2:
			if len(p.Sections) > 0 {
				s := &p.Sections[r.IntN(len(p.Sections))]
				if s.Name = name(r, s.Name, p.Sections[r.IntN(len(p.Sections))].Name); r.IntN(2) == 0 {
					s.Optional = !s.Optional
				}
			}
		case 3:
			p.Spoil = once(r)
		default:
			if len(p.Sections) > 0 {
				s := &p.Sections[r.IntN(len(p.Sections))]
				s.Data = section(r, s.Name, s.Data)
			}
		}
	}
	return p.Assemble()
}

// once changes one of what it is given, sometimes none, in place.
func once(r *rand.Rand) func(b []byte) {
	left := r.IntN(3)
	return func(b []byte) {
		if left--; left < 0 && len(b) > 0 {
			left = 100
			if changed := some(r, b); len(changed) == len(b) {
				copy(b, changed)
			}
		}
	}
}

// Corpus changes a packed corpus.
func Corpus(r *rand.Rand, p *packed.Parts) []byte {
	p = &packed.Parts{Kind: p.Kind, Totals: p.Totals, Blocks: slices.Clone(p.Blocks), Sections: slices.Clone(p.Sections)}
	for range times(r) {
		switch r.IntN(18) {
		case 0:
			t := &p.Totals
			field := one(r, []*uint64{&t.Documents, &t.Entries, &t.Columns, &t.Distinct})
			*field = number(r, 8, *field)
		case 1:
			p.Kind = packed.Values(r.IntN(4))
		case 2:
			p.Sections = list(r, p.Sections)
		case 3:
			if len(p.Sections) > 0 {
				s := &p.Sections[r.IntN(len(p.Sections))]
				s.Name = name(r, s.Name, p.Sections[r.IntN(len(p.Sections))].Name)
			}
		case 4, 5, 6, 7:
			if len(p.Blocks) == 0 {
				continue
			}
			b := &p.Blocks[r.IntN(len(p.Blocks))]
			switch r.IntN(12) {
			case 0:
				b.Rows = uint32(number(r, 4, uint64(b.Rows)))
			case 1:
				b.Entries = number(r, 8, b.Entries)
			case 2:
				p.Blocks = list(r, p.Blocks)
			default:
				b.Data = some(r, b.Data)
			}
		case 8:
			p.Spoil = once(r)
		case 9: // weights of all documents
			p.Sections = slices.DeleteFunc(p.Sections, func(s packed.Part) bool { return s.Name == "WEIGHTS" })
			var data []byte
			for range min(p.Totals.Documents, 1000) {
				data = binary.LittleEndian.AppendUint32(data, uint32(number(r, 4, 0)))
			}
			p.Sections = append(p.Sections, packed.Part{Name: "WEIGHTS", Data: data})
		default:
			if len(p.Sections) > 0 {
				s := &p.Sections[r.IntN(len(p.Sections))]
				s.Data = section(r, s.Name, s.Data)
			}
		}
	}
	return p.Assemble()
}

// Checkpoint changes a checkpoint, which ends with a checksum.
func Checkpoint(r *rand.Rand, b []byte) []byte {
	if len(b) < 4 || r.IntN(20) == 0 {
		return some(r, b)
	}
	b = some(r, b[:len(b)-4])
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, checksum.Castagnoli))
}

// list leaves an element out, puts one in twice, or gives one another place.
func list[T any](r *rand.Rand, l []T) []T {
	l = slices.Clone(l)
	if len(l) == 0 {
		return l
	}
	i, j := r.IntN(len(l)), r.IntN(len(l))
	switch r.IntN(3) {
	case 0:
		return slices.Delete(l, i, i+1)
	case 1:
		return slices.Insert(l, j, l[i])
	}
	l[i], l[j] = l[j], l[i]
	return l
}

// name changes the name of a section, which has 8 bytes at most.
func name(r *rand.Rand, old, other string) string {
	switch r.IntN(4) {
	case 0:
		return other
	case 1:
		return one(r, []string{"IDF", "TAGS", "RATIO", "PLATT", "TEMP", "DENSE", "DENSE8", "DENSE16", "VALUE8", "RVAL16", "NAMES", "WEIGHTS", "X", ""})
	case 2:
		return old + old[:min(len(old), 8-len(old))]
	}
	return old
}

// section changes the contents of a section.
func section(r *rand.Rand, name string, b []byte) []byte {
	if name == "META" && r.IntN(8) > 0 {
		return JSON(r, b)
	}
	return some(r, b)
}

// some changes some bytes.
func some(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return make([]byte, r.IntN(20))
	}
	i, j := r.IntN(len(b)), r.IntN(len(b))
	n := 1 + r.IntN(min(16, len(b)-i))
	switch r.IntN(14) {
	case 0:
		b[i] ^= 1 << r.IntN(8)
	case 1:
		b[i] = byte(r.Uint32())
	case 2:
		return slices.Delete(b, i, i+n)
	case 3:
		return slices.Insert(b, j, bytes.Clone(b[i:i+n])...)
	case 4:
		copy(b[j:], bytes.Clone(b[i:i+n]))
	case 5:
		return b[:i]
	case 6:
		return append(b, make([]byte, n)...)
	default: // a number, as arrays have them: at a multiple of its width
		width := 1 << r.IntN(4)
		if i = i / width * width; i+width > len(b) {
			b[j]++
			break
		}
		var old [8]byte
		copy(old[:], b[i:i+width])
		v := number(r, width, binary.LittleEndian.Uint64(old[:]))
		copy(b[i:], binary.LittleEndian.AppendUint64(nil, v)[:width])
		if r.IntN(6) == 0 { // all from here on
			for ; i+width <= len(b); i += width {
				copy(b[i:], binary.LittleEndian.AppendUint64(nil, v)[:width])
			}
		}
	}
	return b
}

// floats are numbers that are hard to calculate with.
var floats = []float64{
	0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
	math.SmallestNonzeroFloat64, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-40, 1e30, -1e30, 1e300, 1e-300,
}

// number is in place of an old one, of so many bytes.
func number(r *rand.Rand, width int, old uint64) uint64 {
	bits := 8 * width
	switch n := r.IntN(10); {
	case n < 3 && width >= 4:
		f := one(r, floats)
		if r.IntN(3) == 0 {
			f = math.Ldexp(float64(r.Float64())-0.5, r.IntN(2200)-1100)
		}
		if width == 4 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	case n < 4:
		return 0
	case n < 6:
		return old + uint64(r.IntN(5)) - 2
	case n < 7:
		return uint64(1)<<r.IntN(bits) - uint64(r.IntN(2))
	case n < 8:
		return math.MaxUint64 >> (64 - bits)
	case n < 9:
		return old << r.IntN(bits)
	}
	return r.Uint64() >> (r.IntN(bits) + 64 - bits)
}
