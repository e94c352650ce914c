package tag

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
)

const (
	magic   = "nbsvmtag"
	version = 1
)

// Is tells whether data begin as models do.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// WriteTo writes the model's file.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	header, err := json.Marshal(m.Meta)
	if err != nil {
		return 0, err
	}
	out := &summer{w: bufio.NewWriterSize(w, 1<<20)}
	out.bytes([]byte(magic))
	out.bytes(binary.LittleEndian.AppendUint32(nil, version))
	out.bytes(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	out.bytes(header)
	for _, key := range m.keys {
		out.bytes(binary.LittleEndian.AppendUint64(out.spare[:0], key))
	}
	for i := range m.keys {
		for _, x := range m.weights[i*m.pitch:][:len(m.Tags)] {
			out.number(x)
		}
	}
	for _, part := range [][]float64{m.chain.start, m.chain.end, m.chain.next} {
		for _, x := range part {
			if math.IsInf(x, -1) { // the scheme says so
				x = 0
			}
			out.number(float32(x))
		}
	}
	out.bytes(binary.LittleEndian.AppendUint32(nil, out.sum))
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.n, out.err
}

// summer writes, and sums up what it writes.
type summer struct {
	w     *bufio.Writer
	sum   uint32
	n     int64
	err   error
	spare [8]byte
}

func (s *summer) bytes(p []byte) {
	if s.err != nil {
		return
	}
	s.sum = crc32.Update(s.sum, checksum.Castagnoli, p)
	_, s.err = s.w.Write(p)
	s.n += int64(len(p))
}

func (s *summer) number(x float32) {
	s.bytes(binary.LittleEndian.AppendUint32(s.spare[:0], math.Float32bits(x)))
}

// ErrNotModel is the error of a file that is no model of this package.
var ErrNotModel = errors.New("not a model that nbsvm tag train has written")

// Load reads a model file.
func Load(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tag: %w", err)
	}
	m, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("tag: %s: %w", path, err)
	}
	return m, nil
}

// Decode reads a model from the bytes of its file, and checks all of them.
func Decode(data []byte) (*Model, error) {
	const lead = len(magic) + 8
	switch {
	case !Is(data):
		return nil, fmt.Errorf("it is %w", ErrNotModel)
	case len(data) < lead+4:
		return nil, errCut
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != version {
		return nil, fmt.Errorf("its format has version %d, and this nbsvm reads version %d: take the nbsvm that wrote it, or train again", v, version)
	}
	header := int64(binary.LittleEndian.Uint32(data[len(magic)+4:]))
	body := data[lead : len(data)-4]
	if header > int64(len(body)) {
		return nil, errCut
	}
	sum := binary.LittleEndian.Uint32(data[len(data)-4:])
	m := &Model{}
	if err := json.Unmarshal(body[:header], &m.Meta); err != nil {
		return nil, fmt.Errorf("its header is damaged: %w; copy it again, or train again", err)
	}
	if err := m.check(int64(len(body)) - header); err != nil {
		return nil, err
	}
	if crc32.Checksum(data[:len(data)-4], checksum.Castagnoli) != sum {
		return nil, errors.New("it is damaged: its checksum is not that of its bytes; copy it again, or train again")
	}
	var err error
	if m.templates, err = parseTemplates(m.Templates); err != nil {
		return nil, err
	}
	return m, m.numbers(body[header:])
}

var errCut = errors.New("it is cut short; copy it again, or train again")

// check compares what the header says with the number of bytes behind it.
func (m *Model) check(size int64) error {
	k := int64(len(m.Tags))
	switch {
	case !slices.Contains(Kinds(), m.Kind):
		return fmt.Errorf("it is a model of an unknown kind, %q: a later nbsvm may know it", m.Kind)
	case k == 0 || k > mostTags || !slices.IsSorted(m.Tags) || len(slices.Compact(slices.Clone(m.Tags))) != len(m.Tags):
		return errors.New("its header is damaged: its tags are not in order; copy it again, or train again")
	case m.Scheme != Free && m.Scheme != IOB2 && m.Scheme != IOBES:
		return fmt.Errorf("its tags keep a scheme that is unknown, %q: a later nbsvm may know it", m.Scheme)
	case m.Input.Validate() != nil:
		return m.Input.Validate()
	}
	feature := 8 + 4*k
	if rest := size - 4*(k*k+2*k); m.Features < 0 || int64(m.Features) > size/feature || rest != int64(m.Features)*feature {
		return errCut
	}
	return nil
}

// numbers reads what is behind the header.
func (m *Model) numbers(data []byte) error {
	k, n := len(m.Tags), m.Features
	m.keys, m.pitch = make([]uint64, n), pitchOf(k)
	for i := range m.keys {
		m.keys[i] = binary.LittleEndian.Uint64(data[8*i:])
		if i > 0 && m.keys[i] <= m.keys[i-1] {
			return errors.New("its features are not in order: it was not written by nbsvm")
		}
	}
	data = data[8*n:]
	next := func() float32 {
		x := math.Float32frombits(binary.LittleEndian.Uint32(data))
		data = data[4:]
		return x
	}
	sum := float32(0) // what is not finite stays in it
	m.weights = make([]float32, n*m.pitch)
	for i := range n {
		row := m.weights[i*m.pitch:][:k]
		for y := range row {
			row[y] = next()
			sum += float32(row[y] * 0)
		}
	}
	m.chain = newChain(k)
	for _, part := range [][]float64{m.chain.start, m.chain.end, m.chain.next} {
		for i := range part {
			x := next()
			sum += float32(x * 0)
			part[i] = float64(x)
		}
	}
	if sum != 0 {
		return errors.New("a weight is not finite: it was not written by nbsvm")
	}
	m.chain.forbid(m.Scheme, m.Tags)
	m.index()
	return nil
}
