package tag

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

const (
	magic   = "nbsvmtag"
	version = 2
)

// IsModel reports whether the file at path begins like a model of this package.
func IsModel(path string) bool { return is(osfile.ReadHead(path)) }

func is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// part is the alignment of the parts of a file, in bytes.
const part = 64

// sections returns what follows the header: the index of keys, the keys, the weights, and the chain.
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

// lengths returns the lengths of the sections, in bytes.
func (m *Meta) lengths() []int64 {
	k, n := int64(len(m.Tags)), int64(m.Features)
	return []int64{4 * (1<<bitsFor(m.Features) + 1), 8 * n, 4 * n * int64(pitchOf(len(m.Tags))), 4 * (k*k + 2*k)}
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
	header, err := json.Marshal(m.Meta)
	if err != nil {
		return 0, err
	}
	lead := binary.LittleEndian.AppendUint32([]byte(magic), version)
	lead = append(binary.LittleEndian.AppendUint32(lead, uint32(len(header))), header...)
	var sum uint32
	var written int64
	write := func(b []byte) {
		if err == nil {
			sum = crc32.Update(sum, osfile.Castagnoli, b)
			var n int
			n, err = w.Write(b)
			written += int64(n)
		}
	}
	for _, b := range append([][]byte{lead}, m.sections()...) {
		write(b)
		write(make([]byte, -len(b)&(part-1)))
	}
	write(binary.LittleEndian.AppendUint32(nil, sum))
	return written, err
}

// ErrNotModel is the error of a file that is not a model of this package.
var ErrNotModel = errors.New("not a model that nbsvm tag train has written")

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
		return nil, fmt.Errorf("tag: %s: %w", path, err)
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
		return nil, fmt.Errorf("tag: model in memory: %w", err)
	}
	return m, nil
}

// decode is like OpenBytes with errors that do not name the model.
func decode(data []byte) (*Model, error) {
	const lead = len(magic) + 8
	switch {
	case !is(data):
		return nil, fmt.Errorf("it is %w: name the file that its -o made", ErrNotModel)
	case len(data) < lead+4:
		return nil, errCut
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != version {
		return nil, fmt.Errorf("its format has version %d, and this nbsvm reads version %d: use the nbsvm that wrote it, or "+
			"train again", v, version)
	}
	header := int64(binary.LittleEndian.Uint32(data[len(magic)+4:]))
	if header > int64(len(data)-lead-4) {
		return nil, errCut
	}
	m := &Model{}
	if err := json.Unmarshal(data[lead:lead+int(header)], &m.Meta); err != nil {
		return nil, fmt.Errorf("its header is damaged: %w; copy it again, or train again", err)
	}
	sections, err := m.cut(data, int64(lead)+header)
	if err != nil {
		return nil, err
	}
	end := len(data) - 4
	if crc32.Checksum(data[:end], osfile.Castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, errors.New("it is damaged: its checksum is not that of its bytes; copy it again, or train again")
	}
	if m.templates, err = parseTemplates(m.Templates); err != nil {
		return nil, err
	}
	return m, m.take(sections)
}

var (
	errCut     = errors.New("it is cut short; copy it again, or train again")
	errForeign = errors.New("it was not written by nbsvm; train again")
)

// cut compares what the header says with the length of the file, and cuts this into sections. The header ends there.
func (m *Model) cut(data []byte, at int64) ([][]byte, error) {
	switch k := len(m.Tags); {
	case !slices.Contains(Kinds(), m.Kind):
		return nil, fmt.Errorf("it is a model of an unknown kind, %q: a later nbsvm may know it", m.Kind)
	case k == 0 || k > mostTags || !slices.IsSorted(m.Tags) || len(slices.Compact(slices.Clone(m.Tags))) != k:
		return nil, errors.New("its header is damaged: its tags are not in order; copy it again, or train again")
	case m.Training.Counts != nil && len(m.Training.Counts) != k:
		return nil, errors.New("its header is damaged: its counts are not those of its tags; copy it again, or train again")
	case m.Scheme != Free && m.Scheme != IOB2 && m.Scheme != IOBES:
		return nil, fmt.Errorf("its tags keep a scheme that is unknown, %q: a later nbsvm may know it", m.Scheme)
	case m.Input.Validate() != nil:
		return nil, m.Input.Validate()
	case m.Features < 0 || m.Features > len(data)/8:
		return nil, errCut
	}
	sections := make([][]byte, 0, 4)
	for _, length := range m.lengths() {
		at += -at & (part - 1)
		if length > int64(len(data))-at {
			return nil, errCut
		}
		sections = append(sections, data[at:at+length])
		at += length
	}
	if at += -at & (part - 1); at+4 != int64(len(data)) {
		return nil, errCut
	}
	return sections, nil
}

// take fills in the model from its sections, and checks them.
func (m *Model) take(sections [][]byte) error {
	k := len(m.Tags)
	m.rows = rows{mem.View[uint64](sections[1]), mem.View[uint32](sections[0]), uint(64 - bitsFor(m.Features))}
	if !m.rows.right() {
		return fmt.Errorf("its features are not in order: %w", errForeign)
	}
	m.weights, m.pitch, m.chain = mem.View[float32](sections[2]), pitchOf(k), newChain(k)
	chain := mem.View[float32](sections[3])
	if !finite(m.weights) || !finite(chain) {
		return fmt.Errorf("a weight is not finite: %w", errForeign)
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
