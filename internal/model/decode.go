package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/mem"
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
	list := append([]Section{{Name: "HEADER", Length: int64(length), Stored: sum, Computed: sum, OK: true}},
		h.sections...)
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
	m, bad := h.decode(mem.Aligned(data))
	if bad == nil {
		bad = m.check()
	}
	if bad != nil {
		for _, s := range h.sections {
			if s.Name == bad.Section {
				bad.Offset += s.Offset
			}
		}
		return nil, list, bad
	}
	return m, list, nil
}

func (s *Section) damaged() *fileError {
	return &fileError{
		Section: s.Name, Offset: s.Offset, Kind: ErrChecksum,
		Detail: fmt.Sprintf("stored %08x, computed %08x over %d bytes", s.Stored, s.Computed, s.Length),
	}
}

// checkKnown refuses sections that this version can neither read nor skip.
func (h *header) checkKnown() *fileError {
	for i, s := range h.sections {
		if !known[s.Name] && !s.Optional {
			return headerError(headerSize+entrySize*i, ErrNewerVersion,
				"it needs section %q, which this program does not know", s.Name)
		}
	}
	return nil
}

// has reports whether there is a section of one of the names, or of numbers of fewer bits.
func (h *header) has(names ...string) bool {
	return slices.ContainsFunc(h.sections, func(s Section) bool {
		return known[s.Name] && slices.Contains(names, strings.TrimRight(s.Name, "0123456789"))
	})
}

// decode puts a model together from sections with the right checksums.
func (h *header) decode(data []byte) (*Model, *fileError) {
	if h.rows > h.universe {
		return nil, headerError(40, ErrCorrupt, "%d rows in a universe of %d keys", h.rows, h.universe)
	}
	m := &Model{Universe: h.universe, Outputs: int(h.outputs)}
	if bad := m.checkSize(); bad != nil {
		return nil, bad
	}
	if h.has(outputsSection, numbersSection) {
		m.Sparse = &Sparse{}
	}
	for _, name := range ruleSections {
		switch {
		case !h.has(name):
		case m.Rule != nil:
			return nil, headerError(headerSize, ErrCorrupt,
				"there are sections %s and %s: a model can have only one of them", m.Rule.Section, name)
		default:
			m.Rule = newRule(name)
		}
	}
	for _, f := range m.fields(int(h.rows)) {
		found := ""
		for _, s := range h.sections {
			if !slices.Contains(f.names, s.Name) {
				continue
			}
			if found != "" {
				return nil, at(s.Name, 0, "section %s is there as well: a model can have only one of them", found)
			}
			found = s.Name
			if bad := f.decode(s.Name, data[s.Offset:s.Offset+s.Length:s.Offset+s.Length]); bad != nil {
				return nil, bad
			}
		}
		if found == "" && f.required {
			return nil, headerError(headerSize, ErrCorrupt, "there is no section %s", f.names[0])
		}
	}
	return m, nil
}
