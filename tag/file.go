package tag

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// ErrNotModel is the error of a file that is not a model of this package.
var ErrNotModel = errors.New("not a model of tags")

var format = &container.Format{
	Name: "tag", Magic: "\x89NBSVT\r\n", Version: 1, Other: ErrNotModel, Maker: "nbsvm tag train", Again: "train again",
}

// IsModel reports whether the file at path begins like a model of this package. A missing file does not; one that can't
// be read is an error.
func IsModel(path string) (bool, error) {
	head, err := osfile.ReadHead(path)
	return format.Is(head), err
}

// sectionNames are the sections of a file: the header, the index of keys, the keys, the weights, and the chain.
var sectionNames = [...]string{"META", "FIRST", "KEYS", "WEIGHTS", "CHAIN"}

// sections returns what follows META.
func (m *Model) sections() [][]byte {
	chain := make([]float32, len(m.chain.all))
	for i, x := range m.chain.all {
		if !math.IsInf(x, -1) { // what the scheme forbids is 0 in the file
			chain[i] = float32(x)
		}
	}
	return [][]byte{
		mem.ViewBytes(m.rows.first), mem.ViewBytes(m.rows.keys), mem.ViewBytes(m.weights),
		mem.ViewBytes(chain),
	}
}

// lengths returns the lengths of the sections that follow META, in bytes.
func (m *Meta) lengths() [4]int64 {
	k, n := int64(len(m.Tags)), int64(m.Features)
	return [...]int64{4 * (1<<bitsFor(m.Features) + 1), 8 * n, 4 * n * int64(pitchOf(len(m.Tags))), 4 * (k*k + 2*k)}
}

// Save writes the model to a file. The file appears under its name once it is complete, and replaces an earlier one.
func (m *Model) Save(path string) error {
	return osfile.WriteFile(path, func(w io.Writer) error {
		_, err := m.WriteTo(w)
		return err
	})
}

// WriteTo writes what Save writes to w. It implements [io.WriterTo].
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if err := m.check(&Sentence{}); err != nil {
		return 0, err
	}
	meta, err := json.Marshal(m.Meta)
	if err != nil {
		return 0, err
	}
	c := format.NewWriter(w)
	for i, b := range append([][]byte{meta}, m.sections()...) {
		c.Begin(sectionNames[i], false)
		_, _ = c.Write(b) // Close returns the error
	}
	err = c.Close()
	return c.Written(), err
}

// Open opens a model file: it maps the file into memory and checks all of it. The file must not be changed in
// place while the model is in use. Close the model when done. The error is [ErrNotModel], or says that the file is
// damaged or of another version.
func Open(path string) (*Model, error) {
	file, err := osfile.Map(path)
	if err != nil {
		return nil, fmt.Errorf("tag: %w", err)
	}
	var m *Model
	err = osfile.Guard(file, func() (err error) {
		m, err = decode(file.Bytes())
		return err
	})
	if err != nil {
		file.Close()
		return nil, format.Named(err, path)
	}
	m.file = file
	return m, nil
}

// Close unmaps the model's file. The model and its taggers must not be used afterwards.
func (m *Model) Close() error {
	if m.file == nil {
		return nil
	}
	return m.file.Close()
}

// guard runs what uses the model on one goroutine. If its file is truncated meanwhile, that is an error.
func (m *Model) guard(fn func() error) error {
	if m.file == nil {
		return fn()
	}
	return osfile.Guard(m.file, fn)
}

// protect returns guard for what is short and often done, such as a sentence.
func (m *Model) protect(fn func() error) error {
	if m.file == nil {
		return fn()
	}
	return osfile.Protect(m.file, fn)
}

// OpenBytes opens a model in memory and checks all of it. The model refers to data, which must not change.
func OpenBytes(data []byte) (*Model, error) {
	m, err := decode(data)
	if err != nil {
		return nil, format.Named(err, "model in memory")
	}
	return m, nil
}

// decode is like OpenBytes with errors that do not name the model.
func decode(data []byte) (*Model, error) {
	t, bad := format.Read(data)
	if bad == nil {
		bad = format.CheckAll(t, data)
	}
	if bad == nil {
		bad = format.CheckKnown(t, func(name string) bool { return slices.Contains(sectionNames[:], name) })
	}
	if bad != nil {
		return nil, bad
	}
	var parts [len(sectionNames)][]byte
	for i, name := range sectionNames {
		s := t.Find(name)
		if s == nil {
			return nil, wrong(&t.Own, "there is no section %s", name)
		}
		parts[i] = s.Bytes(data)
	}
	meta := t.Find("META")
	m := &Model{}
	if err := json.Unmarshal(parts[0], &m.Meta); err != nil {
		return nil, wrong(meta, "%v", err)
	}
	if err := m.Meta.check(); err != nil {
		return nil, wrong(meta, "%v", err)
	}
	for i, want := range m.lengths() {
		if got := int64(len(parts[i+1])); got != want {
			return nil, wrong(t.Find(sectionNames[i+1]), "it has %d bytes, which should be %d", got, want)
		}
	}
	var err error
	if m.templates, err = parseTemplates(m.Templates); err != nil {
		return nil, wrong(meta, "%v", err)
	}
	if err := m.take(parts[1:]); err != nil {
		return nil, wrong(&t.Own, "%v", err)
	}
	return m, nil
}

// wrong returns the error about contents of a section.
func wrong(s *container.Section, message string, args ...any) error {
	return format.Fault(s.Name, s.Offset, container.ErrCorrupt, message, args...)
}

// check returns what is wrong in itself.
func (m *Meta) check() error {
	switch k := len(m.Tags); {
	case !slices.Contains(Kinds(), m.Kind):
		return fmt.Errorf("the kind %q is unknown: a later nbsvm may know it", m.Kind)
	case k == 0 || k > mostTags || !slices.IsSorted(m.Tags) || len(slices.Compact(slices.Clone(m.Tags))) != k:
		return errors.New("tags are not in order")
	case m.Training.Counts != nil && len(m.Training.Counts) != k:
		return errors.New("the counts are not those of the tags")
	case m.Scheme != Free && m.Scheme != IOB2 && m.Scheme != IOBES:
		return fmt.Errorf("the scheme %q is unknown: a later nbsvm may know it", m.Scheme)
	case m.Features < 0 || m.Features > math.MaxInt32:
		return fmt.Errorf("it has %d features", m.Features)
	}
	return m.Input.Validate()
}

// take fills in the model from its sections, and checks them.
func (m *Model) take(sections [][]byte) error {
	k := len(m.Tags)
	m.rows = rows{mem.View[uint64](sections[1]), mem.View[uint32](sections[0]), uint(64 - bitsFor(m.Features))}
	if !m.rows.right() {
		return errors.New("features are not in order")
	}
	m.weights, m.pitch, m.chain = mem.View[float32](sections[2]), pitchOf(k), newChain(k)
	chain := mem.View[float32](sections[3])
	if !finite(m.weights) || !finite(chain) {
		return errors.New("a weight is not finite")
	}
	for i, x := range chain {
		m.chain.all[i] = float64(x)
	}
	m.chain.forbid(m.Scheme, m.Tags)
	m.chain.leads()
	return nil
}

// finite reports whether all numbers are finite.
func finite(numbers []float32) bool {
	const exponent = 0xff << 23
	for _, x := range numbers {
		if math.Float32bits(x)&exponent == exponent {
			return false
		}
	}
	return true
}
