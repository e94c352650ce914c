package model

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// field is what a section of a file is in a model.
type field struct {
	names    []string // a file has one of them at most: numbers have a name for each width
	required bool
	optional bool // may be skipped by programs that do not know it
	// encode chooses the name. The data are nil where the model has nothing of the kind.
	encode func() (name string, data []byte)
	decode func(name string, data []byte) *fileError
}

// fields returns the sections of a model of so many rows in their order in the file. It has those of the parts that are
// not nil.
func (m *Model) fields(rows int) []field {
	list := []field{
		m.sizeField(rows),
		{names: []string{"META"}, encode: m.Meta.encode, decode: m.Meta.decode},
		stringsField("LABELS", m.Meta.labelNames, m.Meta.setLabels),
	}
	list = require(append(list, m.keysField(rows)))
	if m.Rule != nil {
		list = append(list, m.Rule.fields(rows, &m.Meta)...)
	}
	if s := m.Sparse; s != nil {
		list = append(list, s.fields(outputsSection, numbersSection, func() int { return rows }, func() int { return m.Outputs })...)
	}
	list = append(list,
		numbersField("DENSE", &m.Dense),
		perOutput("BIAS", &m.Bias, true), perOutput("BASE", &m.Base, true), perOutput("THRESH", &m.Threshold, true),
		perOutput("PLATT", &m.Platt, false),
		field{names: []string{"TEMP"}, encode: m.encodeTemperature, decode: m.decodeTemperature},
		arrayField("IDF", &m.IDF),
		numbersField("RATIO", &m.Ratio))
	names := stringsField("NAMES", func() []Name { return m.Names }, func(names []Name) *fileError {
		m.Names = names
		return nil
	})
	names.optional = true
	return append(list, names)
}

// sizeField returns the section SIZE, which is read before all others.
func (m *Model) sizeField(rows int) field {
	return field{
		names: []string{sizeSection},
		encode: func() (string, []byte) {
			return sizeSection, container.Encode(size{m.Universe, uint64(rows), uint64(m.Outputs)})
		},
		decode: func(string, []byte) *fileError { return nil },
	}
}

// require says that a model has all of these sections.
func require(list []field) []field {
	for i := range list {
		list[i].required = true
	}
	return list
}

// known has every section that this program knows.
var known = func() map[string]bool {
	all := map[string]bool{}
	for _, rule := range ruleSections {
		m := &Model{Sparse: &Sparse{}, Rule: newRule(rule)}
		for _, f := range m.fields(0) {
			for _, name := range f.names {
				all[name] = true
			}
		}
	}
	return all
}()

// arrayField returns an array that a model shares with its file.
func arrayField[T mem.Number](name string, of *[]T) field {
	return field{
		names: []string{name},
		encode: func() (string, []byte) {
			if *of == nil {
				return name, nil
			}
			return name, mem.ViewBytes(*of)
		},
		decode: func(name string, data []byte) (bad *fileError) {
			*of, bad = array[T](name, data)
			return bad
		},
	}
}

// array returns the array that a section or a part of it is.
func array[T mem.Number](name string, data []byte) ([]T, *fileError) {
	if bad := checkMultiple(name, data, mem.SizeOf[T]()); bad != nil {
		return nil, bad
	}
	return mem.View[T](data), nil
}

func checkMultiple(name string, data []byte, size int) *fileError {
	if len(data)%size != 0 {
		return at(name, 0, "it has %d bytes, not a multiple of %d", len(data), size)
	}
	return nil
}

// perOutput returns one of something for each output, which models copy.
func perOutput[T float64 | Platt](name string, of *[]T, required bool) field {
	return field{
		names: []string{name}, required: required,
		encode: func() (string, []byte) {
			data, _ := binary.Append(nil, binary.LittleEndian, *of) // what is of fixed size can be encoded
			return name, data
		},
		decode: func(name string, data []byte) *fileError {
			size := binary.Size(*new(T))
			*of = make([]T, len(data)/size)
			_, _ = binary.Decode(data, binary.LittleEndian, *of)
			return checkMultiple(name, data, size)
		},
	}
}

func (m *Model) encodeTemperature() (string, []byte) {
	if m.Temperature == 0 {
		return "TEMP", nil
	}
	return "TEMP", mem.ViewBytes([]float64{m.Temperature})
}

func (m *Model) decodeTemperature(name string, data []byte) *fileError {
	t, bad := array[float64](name, data)
	switch {
	case bad != nil:
		return bad
	case len(t) != 1:
		return wrongLength(name, len(t), 1, "numbers")
	case t[0] == 0:
		return at(name, 0, "the temperature is 0: it must be from %v to %v", leastTemperature, mostTemperature)
	}
	m.Temperature = t[0]
	return nil
}

func (meta *Meta) encode() (string, []byte) {
	m := *meta
	m.Labels = nil // have a section of their own, for JSON cannot hold any bytes
	if m.Source != "text" {
		m.Text = hashing.Options{}
	}
	text, _ := json.Marshal(m) // what check has found to be right
	return "META", text
}

func (meta *Meta) decode(name string, text []byte) *fileError {
	var file struct {
		Meta
		Labels json.RawMessage `json:"labels"` // hides Meta's: they come from LABELS
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return at(name, 0, "%v", err)
	}
	*meta = file.Meta
	meta.FastText = nil // which no file has
	return nil
}

// labelNames returns the labels as a table of strings has them.
func (meta *Meta) labelNames() []Name {
	names := make([]Name, len(meta.Labels))
	for i, label := range meta.Labels {
		names[i].Text = label
	}
	return names
}

func (meta *Meta) setLabels(names []Name) *fileError {
	meta.Labels = make([]string, len(names))
	for i, name := range names {
		if name.Row != 0 {
			return at("LABELS", 8+8*i, "label %d has the tag %d, which should be 0", i, name.Row)
		}
		meta.Labels[i] = name.Text
	}
	return nil
}

// stringsField returns a table of strings, whose tags are rows.
func stringsField(section string, get func() []Name, set func([]Name) *fileError) field {
	le := binary.LittleEndian
	return field{
		names: []string{section},
		encode: func() (string, []byte) {
			names := get()
			if len(names) == 0 {
				return section, nil
			}
			data, end := le.AppendUint64(nil, uint64(len(names))), 0
			for _, n := range names {
				end += len(n.Text)
				data = le.AppendUint32(le.AppendUint32(data, n.Row), uint32(end))
			}
			for _, n := range names {
				data = append(data, n.Text...)
			}
			return section, data
		},
		decode: func(section string, data []byte) *fileError {
			names, bad := parseStrings(data, section)
			if bad != nil {
				return bad
			}
			return set(names)
		},
	}
}

// checkStrings finds out whether strings are longer than a table can say.
func checkStrings(section string, names []Name) *fileError {
	total := uint64(0)
	for i, n := range names {
		if total += uint64(len(n.Text)); total > math.MaxUint32 {
			return at(section, 8+8*i, "the strings are longer than 4 GiB in all")
		}
	}
	return nil
}

// parseStrings decodes a string table; the text is copied, once.
func parseStrings(data []byte, section string) ([]Name, *fileError) {
	le := binary.LittleEndian
	if len(data) < 8 {
		return nil, at(section, 0, "it has %d bytes, and a string table at least 8", len(data))
	}
	n := le.Uint64(data) // the upper half is drawn as zero, so a larger number is none
	if n > uint64(len(data)-8)/8 {
		return nil, at(section, 0, "it has %d bytes, too few for %d strings", len(data), n)
	}
	table, text := data[8:8+8*n], string(data[8+8*n:])
	names := make([]Name, n)
	var start uint32
	for i := range names {
		tag, end := le.Uint32(table[8*i:]), le.Uint32(table[8*i+4:])
		if end < start || uint64(end) > uint64(len(text)) {
			return nil, at(section, 8+8*i+4, "string %d ends at %d, which is not between %d and %d", i, end, start,
				len(text))
		}
		names[i] = Name{Row: tag, Text: text[start:end]}
		start = end
	}
	if used := int(start); used != len(text) {
		return nil, at(section, 8+8*int(n)+used, "%d bytes follow the last string", len(text)-used)
	}
	return names, nil
}
