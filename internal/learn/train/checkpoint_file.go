package train

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/build"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
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
const (
	checkpointMagic = "nbcheck\x01"
	maxFingerprint  = 1 << 26 // bytes
)

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
func (t *trainer) fingerprint(groups int) fingerprint {
	labels := t.ds.Classes.Checksum()
	hex := func(sum uint32) string { return fmt.Sprintf("%08x", sum) }
	return fingerprint{build.Version, t.o, dataFingerprint{
		Classes: len(t.ds.Classes.Labels), Documents: t.ds.Documents,
		Features: len(t.x.IDs), Groups: groups, NonZeros: t.x.NNZ(),
		Labels: hex(labels), Weights: hex(checksum.Add(0, t.ds.Weights)), Matrix: hex(t.x.Checksum()),
	}}
}

func (f fingerprint) encode() ([]byte, error) {
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: telling this training from others: %w", err)
	}
	return b, nil
}

func writeCheckpoint(w io.Writer, header []byte, sections []section) error {
	sum := crc32.New(checksum.Castagnoli)
	w = io.MultiWriter(w, sum)
	b := binary.LittleEndian.AppendUint32([]byte(checkpointMagic), uint32(len(header)))
	if _, err := w.Write(append(b, header...)); err != nil {
		return err
	}
	for _, s := range sections {
		if err := binary.Write(w, binary.LittleEndian, frame{uint64(len(s.state)), uint32(s.epoch), s.done}); err != nil {
			return err
		}
		if _, err := w.Write(s.state); err != nil {
			return err
		}
	}
	return binary.Write(w, binary.LittleEndian, sum.Sum32())
}

// deleteIt is advice for what is a checkpoint, but of no use here.
const deleteIt = "; delete it, or name another file"

var errDamagedCheckpoint = errors.New("is damaged" + deleteIt)

// readCheckpoint reads the states in a file that begins with the header. None is longer
// than its limit. Errors go on from the file's name.
func readCheckpoint(path string, header []byte, sections []section, limits []int64) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("can't be read: %w", err)
	}
	defer f.Close()
	size, err := checkSum(f)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 1<<16)
	if err := readHeader(r, header); err != nil {
		return err
	}
	for i := range sections {
		var h frame
		if err := binary.Read(r, binary.LittleEndian, &h); err != nil || h.Length > uint64(limits[i]) {
			return errDamagedCheckpoint
		}
		if h.Length == 0 {
			continue
		}
		state := make([]byte, h.Length)
		if _, err := io.ReadFull(r, state); err != nil {
			return errDamagedCheckpoint
		}
		sections[i] = section{int(h.Epoch), h.Done, state}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return errDamagedCheckpoint
	}
	return nil
}

// checkSum checks a file's magic and checksum and returns how many bytes come before the
// latter.
func checkSum(f *os.File) (size int64, err error) {
	magic := make([]byte, len(checkpointMagic))
	if _, err := io.ReadFull(f, magic); err != nil || !bytes.Equal(magic[:7], []byte(checkpointMagic[:7])) {
		return 0, errors.New("is no checkpoint of a training; name another file")
	}
	if magic[7] != checkpointMagic[7] {
		return 0, fmt.Errorf("has layout %d, this program knows %d"+deleteIt, magic[7], checkpointMagic[7])
	}
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("can't be read: %w", err)
	}
	size = info.Size() - 4
	sum, want := crc32.New(checksum.Castagnoli), make([]byte, 4)
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return 0, fmt.Errorf("can't be read: %w", err)
	}
	if _, err := f.ReadAt(want, size); err != nil || binary.LittleEndian.Uint32(want) != sum.Sum32() {
		return 0, errDamagedCheckpoint
	}
	return size, nil
}

// readFingerprint reads what comes before the states.
func readFingerprint(r io.Reader) ([]byte, error) {
	var head struct {
		Magic  [len(checkpointMagic)]byte
		Length uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil || head.Length > maxFingerprint {
		return nil, errDamagedCheckpoint
	}
	theirs := make([]byte, head.Length)
	if _, err := io.ReadFull(r, theirs); err != nil {
		return nil, errDamagedCheckpoint
	}
	return theirs, nil
}

// readHeader refuses a file of another training and says what differs.
func readHeader(r io.Reader, header []byte) error {
	theirs, err := readFingerprint(r)
	if err != nil {
		return err
	}
	if bytes.Equal(theirs, header) {
		return nil
	}
	if len(theirs) > 2*len(header)+1<<20 { // which would take much memory to tell apart
		return fmt.Errorf("is of another training: what it says about it has %d bytes, here it has %d"+deleteIt, len(theirs), len(header))
	}
	return fmt.Errorf("is of another training: %s"+deleteIt, difference(theirs, header))
}

// difference says where two fingerprints differ first: options say more than what they
// lead to in the data.
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
