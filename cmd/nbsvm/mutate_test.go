package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// mutator changes files at random. It repairs the checksums, so what reads a changed file gets as far as its contents
// allow.
type mutator struct{ *rand.Rand }

// choice is a random element.
func choice[T any](m mutator, of []T) T { return of[m.IntN(len(of))] }

// times is how many changes a file gets: one most often.
func (m mutator) times() int {
	n := 1
	for n < 8 && m.IntN(5) < 2 {
		n++
	}
	return n
}

// piece is a section of a file.
type piece struct {
	name     string
	optional bool
	data     []byte
}

// container makes so many changes to a model, a packed corpus or a model of tags.
func (m mutator) container(file []byte, changes int) []byte {
	format := &container.Format{Magic: string(file[:8]), Version: 1}
	t, bad := format.Read(file)
	if bad != nil {
		panic(bad)
	}
	var pieces []piece
	for i := range t.Sections {
		s := &t.Sections[i]
		pieces = append(pieces, piece{s.Name, s.Optional, s.Bytes(file)})
	}
	spoil := func([]byte) {}
	for range changes {
		switch m.IntN(16) {
		case 0:
			pieces = list(m, pieces)
		case 1:
			m.rename(pieces)
		case 2:
			spoil = m.once()
		case 3, 4, 5, 6:
			m.rows(pieces)
		case 7:
			pieces = m.weights(pieces)
		default:
			m.section(pieces)
		}
	}
	var b bytes.Buffer
	w := format.NewWriter(&b)
	for _, p := range pieces {
		w.Begin(p.name, p.optional)
		w.Write(p.data)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return m.spoiled(b.Bytes(), spoil)
}

// spoiled has the version, the table and the places in the footer spoiled, and puts the right checksums into the
// footer.
func (m mutator) spoiled(file []byte, spoil func([]byte)) []byte {
	const head, footBytes = 64, 32
	le, foot := binary.LittleEndian, file[len(file)-footBytes:]
	table := file[le.Uint64(foot) : len(file)-footBytes]
	for _, part := range [][]byte{file[8:12], table, foot[:16]} {
		spoil(part)
	}
	le.PutUint32(foot[16:], container.CRC(table))
	le.PutUint32(foot[20:], crc32.Update(container.CRC(file[:head]), osfile.Castagnoli, foot[:20]))
	return file
}

// find returns the section of a name, nil if there is none.
func find(pieces []piece, name string) *piece {
	if i := slices.IndexFunc(pieces, func(p piece) bool { return p.name == name }); i >= 0 {
		return &pieces[i]
	}
	return nil
}

// rows changes blocks of rows of a packed corpus, or the lines that say where they are, and mends the places and
// checksums in these lines. Of other files it changes a section.
func (m mutator) rows(pieces []piece) {
	const start, line = 64, 40 // where rows begin, and bytes of a line
	rows, lines := find(pieces, "ROWS"), find(pieces, "BLOCKS")
	if rows == nil || lines == nil || len(lines.data) == 0 || len(lines.data)%line != 0 {
		m.section(pieces)
		return
	}
	le := binary.LittleEndian
	type block struct{ line, data []byte }
	var blocks []block
	for l := range slices.Chunk(bytes.Clone(lines.data), line) {
		at, n := le.Uint64(l)-start, le.Uint64(l[8:])
		if at > uint64(len(rows.data)) || n > uint64(len(rows.data))-at {
			return // an earlier change
		}
		blocks = append(blocks, block{l, rows.data[at : at+n]})
	}
	b := &blocks[m.IntN(len(blocks))]
	switch m.IntN(12) {
	case 0: // rows
		m.numberIn(b.line[32:], 4)
	case 1: // entries
		m.numberIn(b.line[24:], 8)
	case 2:
		blocks = list(m, blocks)
	default:
		b.data = m.bytes(b.data)
	}
	rows.data, lines.data = nil, nil
	first := uint64(0)
	for _, b := range blocks {
		l := bytes.Clone(b.line)
		le.PutUint64(l, uint64(start+len(rows.data)))
		le.PutUint64(l[8:], uint64(len(b.data)))
		le.PutUint64(l[16:], first)
		le.PutUint32(l[36:], container.CRC(b.data))
		first += uint64(le.Uint32(l[32:]))
		rows.data, lines.data = append(rows.data, b.data...), append(lines.data, l...)
	}
}

// weights gives all documents of a packed corpus weights.
func (m mutator) weights(pieces []piece) []piece {
	totals := find(pieces, "TOTALS")
	if totals == nil || len(totals.data) < 8 {
		return pieces
	}
	weights := make([]byte, 4*min(binary.LittleEndian.Uint64(totals.data), 1000))
	for i := 0; i < len(weights); i += 4 {
		m.numberIn(weights[i:], 4)
	}
	pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.name == "WEIGHTS" })
	return append(pieces, piece{"WEIGHTS", false, weights})
}

// once changes one of what it is given, sometimes none, in place.
func (m mutator) once() func(b []byte) {
	left := m.IntN(3)
	return func(b []byte) {
		if left--; left < 0 && len(b) > 0 {
			left = 100
			if changed := m.bytes(b); len(changed) == len(b) {
				copy(b, changed)
			}
		}
	}
}

// list leaves an element out, puts one in twice, or gives one another place.
func list[T any](m mutator, l []T) []T {
	l = slices.Clone(l)
	if len(l) == 0 {
		return l
	}
	i, j := m.IntN(len(l)), m.IntN(len(l))
	switch m.IntN(3) {
	case 0:
		return slices.Delete(l, i, i+1)
	case 1:
		return slices.Insert(l, j, l[i])
	}
	l[i], l[j] = l[j], l[i]
	return l
}

// rename gives one of some sections another name, or another flag.
func (m mutator) rename(pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	p := &pieces[m.IntN(len(pieces))]
	switch m.IntN(4) {
	case 0:
		p.name = choice(m, pieces).name
	case 1:
		p.name = choice(m, []string{
			"IDF", "TAGS", "RATIO", "PLATT", "TEMP", "DENSE", "DENSE8", "DENSE16", "VALUE8", "RVAL16", "NAMES", "WEIGHTS", "X",
			"OUTPUT", "OUTPUTS", "SIZE", "TOTALS",
		})
	case 2:
		p.name = string(m.bytes([]byte(p.name)))
	default:
		p.optional = !p.optional
	}
}

// section changes the contents of one of some sections.
func (m mutator) section(pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	p := &pieces[m.IntN(len(pieces))]
	if p.name == "META" && m.IntN(8) > 0 {
		p.data = m.json(p.data)
	} else {
		p.data = m.bytes(p.data)
	}
}

// bytes changes some bytes.
func (m mutator) bytes(b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return make([]byte, m.IntN(20))
	}
	i, j := m.IntN(len(b)), m.IntN(len(b))
	n := 1 + m.IntN(min(16, len(b)-i))
	switch m.IntN(14) {
	case 0:
		b[i] ^= 1 << m.IntN(8)
	case 1:
		b[i] = byte(m.Uint32())
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
		width := 1 << m.IntN(4)
		if i = i / width * width; i+width > len(b) {
			b[j]++
			break
		}
		m.numberIn(b[i:], width)
		if m.IntN(6) == 0 { // all from here on
			for k := i + width; k+width <= len(b); k += width {
				copy(b[k:], b[i:i+width])
			}
		}
	}
	return b
}

// hardFloats are numbers that are hard to calculate with.
var hardFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
	math.SmallestNonzeroFloat64, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-40, 1e30, -1e30, 1e300, 1e-300,
}

// numberIn changes the number at the beginning of some bytes, of so many.
func (m mutator) numberIn(b []byte, width int) {
	var old [8]byte
	copy(old[:], b[:width])
	v := m.number(width, binary.LittleEndian.Uint64(old[:]))
	copy(b[:width], binary.LittleEndian.AppendUint64(nil, v))
}

// number is in place of an old one, of so many bytes.
func (m mutator) number(width int, old uint64) uint64 {
	bits := 8 * width
	switch n := m.IntN(10); {
	case n < 3 && width >= 4:
		f := choice(m, hardFloats)
		if m.IntN(3) == 0 {
			f = math.Ldexp(m.Float64()-0.5, m.IntN(2200)-1100)
		}
		if width == 4 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	case n < 4:
		return 0
	case n < 6:
		return old + uint64(m.IntN(5)) - 2
	case n < 7:
		return uint64(1)<<m.IntN(bits) - uint64(m.IntN(2))
	case n < 8:
		return math.MaxUint64 >> (64 - bits)
	case n < 9:
		return old << m.IntN(bits)
	}
	return m.Uint64() >> (m.IntN(bits) + 64 - bits)
}

// json puts something else in place of a string, a number, or an array or object without others in it; or leaves a
// member out, or changes some bytes.
func (m mutator) json(text []byte) []byte {
	what := choice(m, []*regexp.Regexp{jsonScalar, jsonScalar, jsonScalar, jsonFlat, jsonMember})
	spots := what.FindAllIndex(text, -1)
	if len(spots) == 0 || m.IntN(10) == 0 {
		return m.bytes(text)
	}
	by, spot := "", choice(m, spots)
	switch n := m.IntN(9); {
	case what == jsonMember:
	case n < 3:
		by = choice(m, hardNumbers)
	case n < 6:
		quoted, _ := json.Marshal(choice(m, hardStrings))
		by = string(quoted)
	case n < 7:
		by = strconv.Quote(strings.Repeat("x", 1<<m.IntN(17)))
	case n < 8:
		other := choice(m, spots)
		by = string(text[other[0]:other[1]])
	default:
		by = choice(m, []string{"null", "true", "false", "[]", "{}", `["x","x"]`})
	}
	return slices.Concat(text[:spot[0]], []byte(by), text[spot[1]:])
}

var (
	jsonScalar  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null`)
	jsonFlat    = regexp.MustCompile(`\[[^\[\]{}]*\]|\{[^\[\]{}]*\}`)
	jsonMember  = regexp.MustCompile(`"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^",\[\]{}]+|\[[^\[\]{}]*\]|\{[^\[\]{}]*\}),?`)
	hardNumbers = []string{"0", "-1", "1", "2", "3", "8", "12", "31", "32", "64", "1e3", "0.5", "1e308", "-1e308", "1e-320", "5e-324", "1e400", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "1e1000000"}
	hardStrings = []string{"", "x", "\x00", "\u202e", "\x1b[2J", "binary", "count", "tfidf", "margin", "sigmoid", "softmax", "platt", "temperature", "paths", "sum", "top-down", "multiclass", "multilabel", "svmlight", "text", "word", "char", "space", "nbsvm", "svm", "mnb", "bnb", "logistic", "hinge", "../../x", "1/2"}
)
