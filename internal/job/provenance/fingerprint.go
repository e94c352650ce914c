package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Fingerprint tells files apart.
type Fingerprint struct {
	Path   string `json:"path,omitempty"`
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Inputs are the fingerprints of inputs, each of which has a path.
type Inputs []Fingerprint

// UnmarshalJSON reads them one by one: of a few bytes each, they would take many times the memory of the text.
func (p *Inputs) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return errors.New("the inputs must be a list")
	}
	for d.More() {
		var of Fingerprint
		if err := d.Decode(&of); err != nil {
			return err
		}
		if of.Path == "" {
			return fmt.Errorf("input %d has no path", len(*p)+1)
		}
		*p = append(*p, of)
	}
	return nil
}

// Summer counts what is written through it to another writer, and computes its checksum.
type Summer struct {
	w     io.Writer
	bytes int64
	crc   uint32
}

// NewSummer returns one that writes to w.
func NewSummer(w io.Writer) *Summer { return &Summer{w: w} }

func (s *Summer) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.bytes += int64(n)
	s.crc = crc32.Update(s.crc, osfile.Castagnoli, p[:n])
	return n, err
}

// Flush is that of the writer below.
func (s *Summer) Flush() error {
	if held, ok := s.w.(interface{ Flush() error }); ok {
		return held.Flush()
	}
	return nil
}

// Fingerprint is that of what was written.
func (s *Summer) Fingerprint() Fingerprint {
	return Fingerprint{Bytes: s.bytes, CRC32C: fmt.Sprintf("%08x", s.crc)}
}
