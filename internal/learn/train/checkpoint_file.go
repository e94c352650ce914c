package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/build"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/file/mmap"
)

// A checkpoint's file, little-endian:
//
//	8    "nbcheck" and the version of this layout, 1
//	4    length of the fingerprint
//	…    the fingerprint, JSON: what is trained, and on what
//	     for every group of classes that is solved side by side:
//	8      length of its state; 0 where it has not begun
//	4      epoch
//	1      1 where it is done
//	…      its state, see solver.State
//	4    CRC-32C of all before
const checkpointMagic = "nbcheck\x01"

// CheckpointParts are what a checkpoint's file consists of.
type CheckpointParts struct {
	Fingerprint []byte
	Groups      []CheckpointGroup
}

// CheckpointGroup is the last state of a group of classes that are solved side by side; nil where it has not begun.
type CheckpointGroup struct {
	Epoch int
	Done  bool
	State []byte
}

// frame is what comes before a state.
type frame struct {
	Length uint64
	Epoch  uint32
	Done   bool
}

// fingerprint tells trainings apart: all that the solver's work follows from.
type fingerprint struct {
	Version string          `json:"version"`
	Options *Options        `json:"options"`
	Data    dataFingerprint `json:"data"`
}

// dataFingerprint is of a training set as it is laid out.
type dataFingerprint struct {
	Classes   int    `json:"classes"`
	Documents int    `json:"documents"`
	Features  int    `json:"features"`
	Groups    int    `json:"groups"`
	NonZeros  int64  `json:"non_zeros"`
	Labels    string `json:"labels"` // checksums from here on
	Matrix    string `json:"matrix"`
	Weights   string `json:"weights"`
}

// fingerprint is that of the training, in so many groups of classes.
func (t *trainer) fingerprint(groups int) ([]byte, error) {
	hex := func(sum uint32) string { return fmt.Sprintf("%08x", sum) }
	return json.Marshal(fingerprint{build.Version, t.o, dataFingerprint{
		Classes: len(t.ds.Classes.Labels), Documents: t.ds.Documents,
		Features: len(t.x.IDs), Groups: groups, NonZeros: t.x.NNZ(),
		Labels: hex(t.ds.Classes.Checksum()), Weights: hex(checksum.Add(0, t.ds.Weights)), Matrix: hex(t.x.Checksum()),
	}})
}

// write writes the file.
func (p *CheckpointParts) write(w io.Writer) error {
	sum := crc32.New(checksum.Castagnoli)
	w = io.MultiWriter(w, sum)
	b := binary.LittleEndian.AppendUint32([]byte(checkpointMagic), uint32(len(p.Fingerprint)))
	if _, err := w.Write(append(b, p.Fingerprint...)); err != nil {
		return err
	}
	for _, g := range p.Groups {
		if err := binary.Write(w, binary.LittleEndian, frame{uint64(len(g.State)), uint32(g.Epoch), g.Done}); err != nil {
			return err
		}
		if _, err := w.Write(g.State); err != nil {
			return err
		}
	}
	return binary.Write(w, binary.LittleEndian, sum.Sum32())
}

// Assemble returns the file's bytes.
func (p *CheckpointParts) Assemble() []byte {
	var b bytes.Buffer
	_ = p.write(&b) // memory takes all that is written to it
	return b.Bytes()
}

// TakeApart reads a checkpoint's file.
func TakeApart(path string) (p *CheckpointParts, err error) {
	err = readCheckpoint(path, func(parts *CheckpointParts) error {
		p = &CheckpointParts{Fingerprint: bytes.Clone(parts.Fingerprint), Groups: parts.copied()}
		return nil
	})
	return p, err
}

// copied returns the groups with states in memory of their own.
func (p *CheckpointParts) copied() []CheckpointGroup {
	groups := slices.Clone(p.Groups)
	for i := range groups {
		groups[i].State = append([]byte(nil), groups[i].State...) // nil stays nil
	}
	return groups
}

// deleteIt is advice for what is a checkpoint, but of no use here.
const deleteIt = "; delete it, or name another file"

var errDamagedCheckpoint = errors.New("is damaged" + deleteIt)

// readCheckpoint visits the parts of a file, which are valid until visit returns. Errors continue a sentence that
// begins with the file's name.
func readCheckpoint(path string, visit func(*CheckpointParts) error) error {
	m, err := mmap.Open(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	defer m.Close()
	return mmap.Guard(m, func() error {
		p, err := parseCheckpoint(m.Bytes())
		if err != nil {
			return err
		}
		return visit(p)
	})
}

// parseCheckpoint finds the parts in the bytes of a file.
func parseCheckpoint(data []byte) (*CheckpointParts, error) {
	const magic = len(checkpointMagic)
	switch {
	case len(data) < magic || string(data[:magic-1]) != checkpointMagic[:magic-1]:
		return nil, errors.New("is not a checkpoint; name another file")
	case data[magic-1] != checkpointMagic[magic-1]:
		return nil, fmt.Errorf("has layout %d, this program knows %d"+deleteIt, data[magic-1], checkpointMagic[magic-1])
	case len(data) < magic+8:
		return nil, errDamagedCheckpoint
	}
	le, end := binary.LittleEndian, len(data)-4
	if le.Uint32(data[end:]) != crc32.Checksum(data[:end], checksum.Castagnoli) {
		return nil, errDamagedCheckpoint
	}
	rest := data[magic+4 : end]
	length := le.Uint32(data[magic:])
	if uint64(length) > uint64(len(rest)) {
		return nil, errDamagedCheckpoint
	}
	p := &CheckpointParts{Fingerprint: rest[:length]}
	for rest = rest[length:]; len(rest) > 0; {
		var h frame
		n, err := binary.Decode(rest, le, &h)
		if err != nil || h.Length > uint64(len(rest)-n) {
			return nil, errDamagedCheckpoint
		}
		state := rest[n : n+int(h.Length)]
		p.Groups, rest = append(p.Groups, CheckpointGroup{int(h.Epoch), h.Done, state}), rest[n+len(state):]
	}
	return p, nil
}

// checkFingerprint refuses a file of another training and says what differs.
func checkFingerprint(theirs, ours []byte) error {
	if bytes.Equal(theirs, ours) {
		return nil
	}
	if len(theirs) > 2*len(ours)+1<<20 { // which would take much memory to tell apart
		return fmt.Errorf("is of another training: its description has %d bytes, here it has %d"+deleteIt, len(theirs), len(ours))
	}
	return fmt.Errorf("is of another training: %s"+deleteIt, difference(theirs, ours))
}

// difference says where two fingerprints differ first: options say more than what they lead to in the data.
func difference(theirs, ours []byte) string {
	a, b := decodeJSON(theirs), decodeJSON(ours)
	for _, part := range []string{"version", "options", "data"} {
		if said := differs(part, a[part], b[part]); said != "" {
			return said
		}
	}
	return "it was written in another way"
}

// decodeJSON decodes an object. Numbers stay as they are written.
func decodeJSON(b []byte) (object map[string]any) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	_ = d.Decode(&object) // what is none differs
	return object
}

// differs names the first difference between two values, "" where there is none.
func differs(name string, theirs, ours any) string {
	a, isObject := theirs.(map[string]any)
	b, both := ours.(map[string]any)
	if !isObject || !both {
		if reflect.DeepEqual(theirs, ours) {
			return ""
		}
		return fmt.Sprintf("its %s is %s, here it is %s", name, inJSON(theirs), inJSON(ours))
	}
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if said := differs(name+" "+key, a[key], b[key]); said != "" {
			return said
		}
	}
	return ""
}

func inJSON(value any) string {
	b, err := json.Marshal(value)
	if err != nil || value == nil {
		return "not given"
	}
	return string(b)
}
