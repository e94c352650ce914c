package model

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Decode reads a model from the bytes of its file and checks all of it; errors
// are of type [*FileError]. Labels, names and the arrays of K numbers are
// copies; the large arrays are views of data, which must not change as long as
// the model is in use, unless data does not begin at a multiple of 8 bytes or
// the machine is big-endian, when they are copies, too.
func Decode(data []byte) (*Model, error) { return decode(data, littleEndian) }

func decode(data []byte, view bool) (*Model, error) {
	h, err := parse(data)
	if err != nil {
		return nil, err
	}
	computeSums(data, h.sections)
	for i := range h.sections {
		if s := &h.sections[i]; !s.OK {
			return nil, s.damaged()
		}
	}
	if err := h.checkKnown(); err != nil {
		return nil, err
	}
	d := decoder{header: h, data: aligned(data), view: view}
	m, p := d.model()
	if p == nil {
		p = m.check()
	}
	if p != nil {
		return nil, h.locate(p)
	}
	return m, nil
}

// parse checks everything but the sections' contents.
func parse(data []byte) (*header, error) {
	h, err := parseHeader(data)
	if err == nil {
		err = h.checkLength(data)
	}
	if err == nil {
		err = h.checkFilling(data)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *Section) damaged() *FileError {
	return &FileError{
		Section: s.Name, Offset: s.Offset, Kind: ErrChecksum,
		Detail: fmt.Sprintf("stored %08x, computed %08x over %d bytes", s.Stored, s.Computed, s.Length),
	}
}

// locate turns a problem with contents into an error with its place in the file.
func (h *header) locate(p *problem) error {
	e := &FileError{Section: p.section, Offset: int64(p.offset), Kind: ErrCorrupt, Detail: p.detail}
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
}

// since is the version that a section came with; 0 if it is not known.
func since(section string) uint32 {
	return uint32(max(0, slices.IndexFunc(known[:], func(names []string) bool { return slices.Contains(names, section) })))
}

// checkKnown refuses sections that this version can neither read nor skip.
func (h *header) checkKnown() error {
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
	view bool
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
func array[T number](d *decoder, name string, b []byte) []T {
	if b == nil || d.bad != nil {
		return nil
	}
	if size := sizeOf[T](); len(b)%size != 0 {
		d.bad = at(name, 0, "it has %d bytes, not a multiple of %d", len(b), size)
		return nil
	}
	return fromBytes[T](b, d.view)
}

func (d *decoder) model() (*Model, *problem) {
	if d.rows > d.universe {
		return nil, at("HEADER", 40, "%d rows in a universe of %d ids", d.rows, d.universe)
	}
	m := &Model{
		Universe: d.universe,
		Outputs:  int(d.outputs),
		IDs: Set{
			words: array[uint64](d, "BITMAP", d.required("BITMAP")),
			ranks: array[uint32](d, "RANK", d.required("RANK")),
			n:     int(d.rows),
		},
		Dense:     d.numbers("DENSE"),
		Bias:      slices.Clone(array[float64](d, "BIAS", d.required("BIAS"))),
		Base:      slices.Clone(array[float64](d, "BASE", d.required("BASE"))),
		Threshold: slices.Clone(array[float64](d, "THRESH", d.required("THRESH"))),
		Tags:      array[uint16](d, "TAGS", d.section("TAGS")),
		IDF:       array[float32](d, "IDF", d.section("IDF")),
		Ratio:     d.numbers("RATIO"),

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
	meta, labels := d.required("META"), d.required("LABELS")
	if d.bad != nil {
		return nil, d.bad
	}
	if p := m.Meta.decode(meta, labels); p != nil {
		return nil, p
	}
	return m, m.decodeNames(d.section("NAMES"))
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
	return parseStrings(labels, "LABELS", func(n int) {
		meta.Labels = make([]string, n)
	}, func(i int, tag uint32, label string) *problem {
		if tag != 0 {
			return at("", 0, "label %d has the tag %d, which should be 0", i, tag)
		}
		meta.Labels[i] = label
		return nil
	})
}

func (m *Model) decodeNames(data []byte) *problem {
	if data == nil {
		return nil
	}
	return parseStrings(data, "NAMES", func(n int) {
		m.Names = make([]Name, n)
	}, func(i int, tag uint32, text string) *problem {
		m.Names[i] = Name{ID: tag &^ nameShared, Shared: tag&nameShared != 0, Text: text}
		return nil
	})
}
