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

func sum(b []byte) uint32 { return crc32.Checksum(b, osfile.Castagnoli) }

// The table of a model or a packed corpus: of each section its name, offset and length, its checksum, and flags.
const (
	nameBytes    = 8
	lineBytes    = 32
	headBytes    = 64 // of a model's header, and of a packed corpus's header and footer
	blockBytes   = 40 // of a line of a packed corpus's section BLOCKS
	blockSection = "BLOCKS\x00\x00"
)

// piece is a section or a block of rows, with the line that says where it is.
type piece struct{ line, data []byte }

// cut takes what a line says: its offset and length begin at a byte of it.
func cut(file, line []byte, at int) piece {
	le := binary.LittleEndian
	offset, length := le.Uint64(line[at:]), le.Uint64(line[at+8:])
	return piece{line, file[offset:][:length]}
}

// sections takes the sections that a table lists.
func sections(file, table []byte) (all []piece) {
	for line := range slices.Chunk(table, lineBytes) {
		all = append(all, cut(file, line, nameBytes))
	}
	return all
}

// fill adds zeros up to the next section.
func fill(file []byte) []byte { return append(file, make([]byte, -len(file)&(headBytes-1))...) }

// assemble appends pieces to a file, from a multiple of 64 bytes each, and corrects their lines.
func assemble(file []byte, pieces []piece) ([]byte, []piece) {
	le := binary.LittleEndian
	for i, p := range pieces {
		line := bytes.Clone(p.line)
		le.PutUint64(line[8:], uint64(len(file)))
		le.PutUint64(line[16:], uint64(len(p.data)))
		le.PutUint32(line[24:], sum(p.data))
		file = fill(append(file, p.data...))
		pieces[i].line = line
	}
	return file, pieces
}

// model makes so many changes to a model file.
func (m mutator) model(file []byte, changes int) []byte {
	le := binary.LittleEndian
	head := bytes.Clone(file[:headBytes])
	pieces := sections(file, file[headBytes:le.Uint32(file[12:])])
	spoil := func([]byte) {}
	for range changes {
		switch m.IntN(13) {
		case 0: // version, outputs, universe or rows
			field := choice(m, [][]byte{head[8:12], head[20:24], head[32:40], head[40:48]})
			m.numberIn(field, len(field))
		case 1:
			pieces = list(m, pieces)
		case 2:
			m.rename(pieces)
		case 3:
			spoil = m.once()
		default:
			m.section(pieces)
		}
	}
	table := headBytes + lineBytes*len(pieces)
	file, pieces = assemble(fill(make([]byte, table)), pieces)
	le.PutUint32(head[12:], uint32(table))
	le.PutUint32(head[16:], uint32(len(pieces)))
	le.PutUint64(head[24:], uint64(len(file)))
	copy(file, head)
	for i, p := range pieces {
		copy(file[headBytes+lineBytes*i:], p.line)
	}
	spoil(file[:table])
	le.PutUint32(file[60:], crc32.Update(sum(file[:60]), osfile.Castagnoli, file[headBytes:table]))
	return file
}

// corpus makes so many changes to a packed corpus.
func (m mutator) corpus(file []byte, changes int) []byte {
	le := binary.LittleEndian
	head, foot := bytes.Clone(file[:headBytes]), bytes.Clone(file[len(file)-headBytes:])
	pieces := sections(file, file[le.Uint64(foot):len(file)-headBytes])
	listed := slices.IndexFunc(pieces, func(p piece) bool { return bytes.HasPrefix(p.line, []byte(blockSection)) })
	var blocks []piece
	for line := range slices.Chunk(bytes.Clone(pieces[listed].data), blockBytes) {
		blocks = append(blocks, cut(file, line, 0))
	}
	pieces = slices.Delete(pieces, listed, listed+1)
	spoil := func([]byte) {}
	for range changes {
		switch m.IntN(18) {
		case 0: // documents, entries, columns or distinct keys
			m.numberIn(foot[16+8*m.IntN(4):], 8)
		case 1: // the kind of values
			head[12] = byte(m.IntN(4))
		case 2:
			pieces = list(m, pieces)
		case 3:
			m.rename(pieces)
		case 4, 5, 6, 7:
			if len(blocks) > 0 {
				blocks = m.blocks(blocks)
			}
		case 8:
			spoil = m.once()
		case 9: // weights of all documents
			line := append([]byte("WEIGHTS\x00"), make([]byte, lineBytes-nameBytes)...)
			weights := make([]byte, 4*min(le.Uint64(foot[16:]), 1000))
			for i := 0; i < len(weights); i += 4 {
				m.numberIn(weights[i:], 4)
			}
			pieces = slices.DeleteFunc(pieces, func(p piece) bool { return bytes.HasPrefix(p.line, line[:nameBytes]) })
			pieces = append(pieces, piece{line, weights})
		default:
			m.section(pieces)
		}
	}
	le.PutUint32(head[60:], sum(head[:60]))
	file = head
	var lines []byte
	first := uint64(0)
	for _, b := range blocks {
		line := bytes.Clone(b.line)
		le.PutUint64(line, uint64(len(file)))
		le.PutUint64(line[8:], uint64(len(b.data)))
		le.PutUint64(line[16:], first)
		le.PutUint32(line[36:], sum(b.data))
		first += uint64(le.Uint32(line[32:]))
		file, lines = append(file, b.data...), append(lines, line...)
	}
	spoil(lines)
	line := append([]byte(blockSection), make([]byte, lineBytes-nameBytes)...)
	file, pieces = assemble(fill(file), append(pieces, piece{line, lines}))
	var table []byte
	for _, p := range pieces {
		table = append(table, p.line...)
	}
	le.PutUint64(foot, uint64(len(file)))
	le.PutUint64(foot[8:], uint64(len(file)+len(table)+headBytes))
	spoil(table)
	spoil(foot[:48])
	le.PutUint32(foot[48:], sum(table))
	le.PutUint32(foot[52:], sum(foot[:52]))
	return append(append(file, table...), foot...)
}

// blocks changes blocks of rows.
func (m mutator) blocks(all []piece) []piece {
	b := &all[m.IntN(len(all))]
	b.line = bytes.Clone(b.line)
	switch m.IntN(12) {
	case 0: // rows
		m.numberIn(b.line[32:], 4)
	case 1: // entries
		m.numberIn(b.line[24:], 8)
	case 2:
		return list(m, all)
	default:
		b.data = m.bytes(b.data)
	}
	return all
}

// tag makes so many changes to a model of tags: to its header, which is JSON and whose length is in front, or to what
// is behind it, which begins at a multiple of 64 bytes and ends with a checksum.
func (m mutator) tag(file []byte, changes int) []byte {
	le := binary.LittleEndian
	const lead = 16
	end := lead + int(le.Uint32(file[lead-4:]))
	front, header, body := bytes.Clone(file[:lead]), file[lead:end], file[end+-end&(headBytes-1):len(file)-4]
	for range changes {
		switch m.IntN(10) {
		case 0: // version or length of the header
			m.numberIn(front[8+4*m.IntN(2):], 4)
			return sealed(front, header, body)
		case 1:
			return m.bytes(file)
		case 2, 3, 4:
			header = m.json(header)
		default:
			body = m.bytes(body)
		}
	}
	le.PutUint32(front[lead-4:], uint32(len(header)))
	return sealed(front, header, body)
}

// sealed joins the parts of a model of tags, and ends them with their checksum.
func sealed(front, header, body []byte) []byte {
	b := append(fill(append(front, header...)), body...)
	return binary.LittleEndian.AppendUint32(b, sum(b))
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
	p.line = bytes.Clone(p.line)
	switch m.IntN(4) {
	case 0:
		copy(p.line, choice(m, pieces).line[:nameBytes])
	case 1:
		clear(p.line[:nameBytes])
		copy(p.line, choice(m, []string{
			"IDF", "TAGS", "RATIO", "PLATT", "TEMP", "DENSE", "DENSE8", "DENSE16", "VALUE8", "RVAL16", "NAMES", "WEIGHTS", "X", "",
			"OUTPUT", "OUTPUTS",
		}))
	case 2:
		p.line[m.IntN(nameBytes)]++
	default:
		p.line[28] ^= 1
	}
}

// section changes the contents of one of some sections.
func (m mutator) section(pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	p := &pieces[m.IntN(len(pieces))]
	if bytes.HasPrefix(p.line, []byte("META\x00")) && m.IntN(8) > 0 {
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
