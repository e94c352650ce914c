package model

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// read reads a model from the bytes of its file and checks all of it; errors are of type
// [*fileError]. It returns the sections and the table with their checksums also with an
// error, as far as they can be told.
//
// Labels, names and the arrays of K numbers are copies; the large arrays are views of data,
// which must not change as long as the model is in use, unless data does not begin at a
// multiple of 8 bytes or the machine is big-endian, when they are copies, too.
func read(data []byte) (*Model, []Section, error) {
	t, bad := format.Read(data)
	if bad != nil {
		return nil, nil, bad
	}
	bad = format.CheckAll(t, data)
	list := append(slices.Clip(t.Sections), t.Own)
	if bad == nil {
		bad = format.CheckKnown(t, func(name string) bool { return known[name] })
	}
	if bad != nil {
		return nil, list, bad
	}
	m, bad := assemble(t, mem.Aligned(data))
	if bad == nil {
		bad = m.check()
	}
	if bad != nil {
		for _, s := range list {
			if s.Name == bad.Part {
				bad.Offset += s.Offset
			}
		}
		return nil, list, bad
	}
	return m, list, nil
}

// has reports whether there is a section of one of the names, or of numbers of fewer bits.
func has(t *container.Table, names ...string) bool {
	return slices.ContainsFunc(t.Sections, func(s Section) bool {
		return known[s.Name] && slices.Contains(names, strings.TrimRight(s.Name, "0123456789"))
	})
}

// size is the section SIZE: what must be known before the others can be read.
type size struct{ Universe, Rows, Outputs uint64 }

const sizeSection = "SIZE"

// assemble puts a model together from sections with the right checksums.
func assemble(t *container.Table, data []byte) (*Model, *fileError) {
	section := t.Find(sizeSection)
	if section == nil || section.Length != int64(binary.Size(size{})) {
		return nil, at(t.Own.Name, 0, "there is no section %s of %d bytes", sizeSection, binary.Size(size{}))
	}
	is := container.Decode[size](section.Bytes(data))
	if is.Rows > is.Universe {
		return nil, at(sizeSection, 8, "%d rows in a universe of %d keys", is.Rows, is.Universe)
	}
	m := &Model{Universe: is.Universe, Outputs: int(min(is.Outputs, MaxOutputs+1))}
	if bad := m.checkSize(); bad != nil {
		return nil, bad
	}
	if has(t, outputsSection, numbersSection) {
		m.Sparse = &Sparse{}
	}
	for _, name := range ruleSections {
		switch {
		case !has(t, name):
		case m.Rule != nil:
			return nil, at(t.Own.Name, 0,
				"there are sections %s and %s: a model can have only one of them", m.Rule.Section, name)
		default:
			m.Rule = newRule(name)
		}
	}
	for _, f := range m.fields(int(is.Rows)) {
		found := ""
		for _, s := range t.Sections {
			if !slices.Contains(f.names, s.Name) {
				continue
			}
			if found != "" {
				return nil, at(s.Name, 0, "section %s is there as well: a model can have only one of them", found)
			}
			found = s.Name
			if bad := f.decode(s.Name, s.Bytes(data)); bad != nil {
				return nil, bad
			}
		}
		if found == "" && f.required {
			return nil, at(t.Own.Name, 0, "there is no section %s", f.names[0])
		}
	}
	return m, nil
}
