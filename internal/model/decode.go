package model

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/idset"
	"github.com/seed-167f963f/nbsvm/internal/file/views"
)

// read reads a model from the bytes of its file and checks all of it; errors are of type
// [*fileError]. It returns the header and the sections with their checksums also with an
// error, as far as they can be told.
//
// Labels, names and the arrays of K numbers are copies; the large arrays are views of data,
// which must not change as long as the model is in use, unless data does not begin at a
// multiple of 8 bytes or the machine is big-endian, when they are copies, too.
func read(data []byte) (*Model, []Section, error) {
	h, bad := parseHeader(data)
	if bad != nil {
		return nil, nil, bad
	}
	computeSums(data, h.sections)
	length := headerSize + entrySize*len(h.sections)
	sum := headerSum(data[:length])
	list := append([]Section{{Name: "HEADER", Length: int64(length), Stored: sum, Computed: sum, OK: true}}, h.sections...)
	if bad = h.checkLength(data); bad == nil {
		bad = h.checkFilling(data)
	}
	for i := range list {
		if bad == nil && !list[i].OK {
			bad = list[i].damaged()
		}
	}
	if bad == nil {
		bad = h.checkKnown()
	}
	if bad != nil {
		return nil, list, bad
	}
	d := decoder{header: h, data: views.Aligned(data)}
	m, p := d.model()
	if p == nil {
		p = m.check()
	}
	if p != nil {
		return nil, list, h.locate(p)
	}
	return m, list, nil
}

func (s *Section) damaged() *fileError {
	return &fileError{
		Section: s.Name, Offset: s.Offset, Kind: ErrChecksum,
		Detail: fmt.Sprintf("stored %08x, computed %08x over %d bytes", s.Stored, s.Computed, s.Length),
	}
}

// locate turns a problem with contents into an error with its place in the file.
func (h *header) locate(p *problem) error {
	e := &fileError{Section: p.section, Offset: int64(p.offset), Kind: ErrCorrupt, Detail: p.detail}
	for _, s := range h.sections {
		if s.Name == p.section {
			e.Offset += s.Offset
		}
	}
	return e
}

// known are the names of all sections, by the version that they came with.
var known = [...][]string{
	1: {
		"META", "LABELS", "BITMAP", "RANK", "DENSE", "ROWPTR", "OUTPUT", "VALUE",
		"BIAS", "BASE", "THRESH", "PLATT", "TAGS", "IDF",
		"RATIO", "RROW", "ROUT", "RPTR", "RIDX", "RVAL", "NAMES",
	},
	2: {
		"DENSE16", "VALUE16", "RATIO16", "RROW16", "RVAL16",
		"DENSE8", "VALUE8", "RATIO8", "RROW8", "RVAL8",
	},
	3: {"TEMP"},
	4: {fastTextSection},
	5: {Trees, Neighbours},
}

// since is the version that a section came with; 0 if it is not known.
func since(section string) uint32 {
	return uint32(max(0, slices.IndexFunc(known[:], func(names []string) bool { return slices.Contains(names, section) })))
}

// checkKnown refuses sections that this version can neither read nor skip.
func (h *header) checkKnown() *fileError {
	for i, s := range h.sections {
		switch v := since(s.Name); {
		case v == 0 && !s.Optional:
			return headerError(headerSize+entrySize*i, ErrNewerVersion, "it needs section %q, which this program does not know", s.Name)
		case v > h.version:
			return headerError(headerSize+entrySize*i, ErrCorrupt, "it has format version %d and section %q of version %d", h.version, s.Name, v)
		}
	}
	return nil
}

// decoder puts a model together from sections with the right checksums.
type decoder struct {
	*header
	data []byte
	bad  *problem // the first
}

// section returns the bytes of a section, nil if there is none of the name.
func (d *decoder) section(name string) []byte {
	for _, s := range d.sections {
		if s.Name == name {
			return d.data[s.Offset : s.Offset+s.Length : s.Offset+s.Length]
		}
	}
	return nil
}

// required is section for one that must be there.
func (d *decoder) required(name string) []byte {
	b := d.section(name)
	if b == nil && d.bad == nil {
		d.bad = at("HEADER", headerSize, "there is no section %s", name)
	}
	return b
}

// array returns the array that a section or a part of it is, nil if there is none.
func array[T views.Number](d *decoder, name string, b []byte) []T {
	if b == nil || d.bad != nil {
		return nil
	}
	if size := views.SizeOf[T](); len(b)%size != 0 {
		d.bad = at(name, 0, "it has %d bytes, not a multiple of %d", len(b), size)
		return nil
	}
	return views.Of[T](b)
}

func (d *decoder) model() (*Model, *problem) {
	if d.has(fastTextSection) {
		return d.fastText()
	}
	if d.rows > d.universe {
		return nil, at("HEADER", 40, "%d rows in a universe of %d ids", d.rows, d.universe)
	}
	m := &Model{
		Universe: d.universe,
		Outputs:  int(d.outputs),
		IDs: idset.Set{
			Words: array[uint64](d, "BITMAP", d.required("BITMAP")),
			Ranks: array[uint32](d, "RANK", d.required("RANK")),
			Size:  int(d.rows),
		},
		Dense:     d.numbers("DENSE"),
		Bias:      slices.Clone(array[float64](d, "BIAS", d.required("BIAS"))),
		Base:      slices.Clone(array[float64](d, "BASE", d.required("BASE"))),
		Threshold: slices.Clone(array[float64](d, "THRESH", d.required("THRESH"))),
		Tags:      array[uint16](d, "TAGS", d.section("TAGS")),
		IDF:       array[float32](d, "IDF", d.section("IDF")),
		Ratio:     d.numbers("RATIO"),
		Rule:      d.rule(),

		SparseRatio: d.sparseRatio(),
	}
	if slices.ContainsFunc(weightSections[:], d.has) {
		s := d.sparse(weightSections)
		m.Sparse = &s
	}
	if flat := array[float64](d, "PLATT", d.section("PLATT")); len(flat)%2 == 0 {
		m.Platt = pairs(flat)
	} else {
		d.bad = at("PLATT", 0, "it has %d numbers, which are no pairs", len(flat))
	}
	m.Temperature = d.temperature()
	meta, labels := d.required("META"), d.required("LABELS")
	if d.bad != nil {
		return nil, d.bad
	}
	if p := m.Meta.decode(meta, labels); p != nil {
		return nil, p
	}
	return m, m.decodeNames(d.section("NAMES"))
}

// temperature is what section TEMP holds; 0 if there is none.
func (d *decoder) temperature() float64 {
	section := d.section("TEMP")
	t := array[float64](d, "TEMP", section)
	switch {
	case section == nil || d.bad != nil:
		return 0
	case len(t) != 1:
		d.bad = wrongLength("TEMP", len(t), 1, "numbers")
	case t[0] == 0:
		d.bad = at("TEMP", 0, "the temperature is 0: it must be from %v to %v", leastTemperature, mostTemperature)
	default:
		return t[0]
	}
	return 0
}

// pairs is the reverse of flatten.
func pairs(flat []float64) []Platt {
	if flat == nil {
		return nil
	}
	p := make([]Platt, len(flat)/2)
	for i := range p {
		p[i] = Platt{A: flat[2*i], B: flat[2*i+1]}
	}
	return p
}

// decode reads what META and LABELS hold.
func (meta *Meta) decode(text, labels []byte) *problem {
	var file struct {
		Meta
		Labels json.RawMessage `json:"labels"` // hides Meta's: they come from LABELS
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return at("META", 0, "%v", err)
	}
	*meta = file.Meta
	entries, p := parseStrings(labels, "LABELS")
	if p != nil {
		return p
	}
	meta.Labels = make([]string, len(entries))
	for i, e := range entries {
		if e.tag != 0 {
			return at("LABELS", 8+8*i, "label %d has the tag %d, which should be 0", i, e.tag)
		}
		meta.Labels[i] = e.text
	}
	return nil
}

func (m *Model) decodeNames(data []byte) *problem {
	if data == nil {
		return nil
	}
	entries, p := parseStrings(data, "NAMES")
	if p != nil {
		return p
	}
	m.Names = make([]Name, len(entries))
	for i, e := range entries {
		m.Names[i] = Name{ID: e.tag &^ nameShared, Shared: e.tag&nameShared != 0, Text: e.text}
	}
	return nil
}

// entry of a string table.
type entry struct {
	tag  uint32
	text string
}

// formatStrings encodes a string table. It fails if the text is too long.
func formatStrings(section string, entries []entry) ([]byte, *problem) {
	le := binary.LittleEndian
	dst := le.AppendUint64(nil, uint64(len(entries)))
	var end uint64
	for i, e := range entries {
		if end += uint64(len(e.text)); end > math.MaxUint32 {
			return nil, at(section, 8+8*i, "the strings are longer than 4 GiB in all")
		}
		dst = le.AppendUint32(dst, e.tag)
		dst = le.AppendUint32(dst, uint32(end))
	}
	for _, e := range entries {
		dst = append(dst, e.text...)
	}
	return dst, nil
}

// parseStrings decodes a string table; the text is copied, once.
func parseStrings(data []byte, section string) ([]entry, *problem) {
	le := binary.LittleEndian
	if len(data) < 8 {
		return nil, at(section, 0, "it has %d bytes, and a string table at least 8", len(data))
	}
	n := le.Uint64(data) // the upper half is drawn as zero, so a larger number is none
	if n > uint64(len(data)-8)/8 {
		return nil, at(section, 0, "it has %d bytes, too few for %d strings", len(data), n)
	}
	table, text := data[8:8+8*n], string(data[8+8*n:])
	entries := make([]entry, n)
	var start uint32
	for i := range entries {
		tag, end := le.Uint32(table[8*i:]), le.Uint32(table[8*i+4:])
		if end < start || uint64(end) > uint64(len(text)) {
			return nil, at(section, 8+8*i+4, "string %d ends at %d, which is not between %d and %d", i, end, start, len(text))
		}
		entries[i] = entry{tag, text[start:end]}
		start = end
	}
	if used := int(start); used != len(text) {
		return nil, at(section, 8+8*int(n)+used, "%d bytes follow the last string", len(text)-used)
	}
	return entries, nil
}
