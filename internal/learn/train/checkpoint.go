package train

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/build"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/file/regular"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Checkpoint names a file from which a training that was stopped goes on. See nbsvm.Checkpoint.
type Checkpoint struct {
	Path  string // "" for none
	Every time.Duration
}

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

// frame is what comes before a state.
type frame struct {
	Length uint64
	Epoch  uint32
	Done   bool
}

// groupState is the last state of a group of classes that are solved side by side; nil where it has not begun.
type groupState struct {
	epoch int
	done  bool
	state []byte
}

// checkpoint is a training's file and what will be in it.
type checkpoint struct {
	Checkpoint
	fingerprint []byte

	mutex   sync.Mutex
	groups  []groupState
	written time.Time // when the file was
	unsaved bool      // some states are not in the file
}

// fingerprint tells trainings apart: all that the solver's work follows from, in so many groups of classes.
func (t *trainer) fingerprint(groups int) ([]byte, error) {
	return json.Marshal(map[string]any{
		"version": build.ID(), "options": t.o, "documents": []any{
			len(t.ds.Classes.Labels), t.ds.Documents, len(t.x.IDs), groups, t.x.NNZ(),
			t.ds.Classes.Checksum(), checksum.Add(0, t.ds.Weights), t.x.Checksum(),
		},
	})
}

// openCheckpoint takes over the file that is there, which must be one of this training. No state is longer than its
// group's limit.
func openCheckpoint(o Checkpoint, fingerprint []byte, limits []int64) (*checkpoint, error) {
	c := &checkpoint{Checkpoint: o, fingerprint: fingerprint, groups: make([]groupState, len(limits)), written: time.Now()}
	info, err := os.Stat(o.Path)
	switch {
	case os.IsNotExist(err):
		return c, nil
	case err != nil:
		return nil, fmt.Errorf("nbsvm: the checkpoint: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("nbsvm: the checkpoint %s is not a regular file; name one", o.Path)
	}
	const otherFingerprint = 1 << 20 // bytes that another training's may have
	most := int64(len(checkpointMagic)) + 8 + max(int64(len(fingerprint)), otherFingerprint)
	for _, limit := range limits {
		most += int64(binary.Size(frame{})) + limit
	}
	if info.Size() > most {
		return nil, fmt.Errorf("nbsvm: the checkpoint %s is not a checkpoint of this training, which has %d bytes at most, not %d"+deleteIt, o.Path, most, info.Size())
	}
	data, err := regular.Read(o.Path, most)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: the checkpoint: %w", err)
	}
	if err := c.parse(data, limits); err != nil {
		return nil, fmt.Errorf("nbsvm: the checkpoint %s %w", o.Path, err)
	}
	return c, nil
}

// deleteIt is advice for what is a checkpoint, but of no use here.
const deleteIt = "; delete it, or name another file"

var errDamagedCheckpoint = errors.New("is damaged" + deleteIt)

// parse finds the groups in the bytes of a file. Errors continue a sentence that begins with the file's name.
func (c *checkpoint) parse(data []byte, limits []int64) error {
	const magic = len(checkpointMagic)
	switch {
	case len(data) < magic || string(data[:magic-1]) != checkpointMagic[:magic-1]:
		return errors.New("is not a checkpoint; name another file")
	case data[magic-1] != checkpointMagic[magic-1]:
		return fmt.Errorf("has layout %d, this program knows %d"+deleteIt, data[magic-1], checkpointMagic[magic-1])
	case len(data) < magic+8:
		return errDamagedCheckpoint
	}
	le, end := binary.LittleEndian, len(data)-4
	rest := data[magic+4 : end]
	length := le.Uint32(data[magic:])
	if le.Uint32(data[end:]) != crc32.Checksum(data[:end], checksum.Castagnoli) || uint64(length) > uint64(len(rest)) {
		return errDamagedCheckpoint
	}
	if theirs := rest[:length]; !bytes.Equal(theirs, c.fingerprint) {
		return fmt.Errorf("is of another training, with other %s"+deleteIt, difference(theirs, c.fingerprint))
	}
	rest = rest[length:]
	for i := range c.groups {
		var h frame
		n, err := binary.Decode(rest, le, &h)
		if err != nil || h.Length > uint64(len(rest)-n) || h.Length > uint64(limits[i]) {
			return errDamagedCheckpoint
		}
		c.groups[i] = groupState{epoch: int(h.Epoch), done: h.Done}
		if rest = rest[n:]; h.Length > 0 {
			c.groups[i].state = rest[:h.Length]
		}
		rest = rest[h.Length:]
	}
	if len(rest) > 0 {
		return errDamagedCheckpoint
	}
	return nil
}

// difference names the first part in which two fingerprints differ: options say more than what they lead to in the
// documents.
func difference(theirs, ours []byte) string {
	var a, b map[string]json.RawMessage
	_, _ = json.Unmarshal(theirs, &a), json.Unmarshal(ours, &b) // what is no JSON differs
	for _, part := range []string{"version", "options"} {
		if !bytes.Equal(a[part], b[part]) {
			return map[string]string{"version": "builds of this program", "options": "options"}[part]
		}
	}
	return "documents"
}

// resumed says from where training goes on; "" if it begins anew.
func (c *checkpoint) resumed() string {
	done, epoch := 0, 0
	for _, g := range c.groups {
		if g.done {
			done++
		} else {
			epoch = max(epoch, g.epoch)
		}
	}
	switch {
	case done == 0 && epoch == 0:
		return ""
	case done == len(c.groups):
		return fmt.Sprintf("resumes from %s: all is solved", c.Path)
	case len(c.groups) == 1:
		return fmt.Sprintf("resumes from %s: epoch %d", c.Path, epoch)
	}
	return fmt.Sprintf("resumes from %s: %d of %d groups done, epoch %d", c.Path, done, len(c.groups), epoch)
}

// attach has a group of classes go on from its last state, and keep its next ones.
func (c *checkpoint) attach(ctx context.Context, group int, so *solver.Options) {
	so.Resume = c.groups[group].state
	last := time.Now()
	so.Checkpoint = func(s solver.State) error {
		now := time.Now()
		if now.Sub(last) < c.Every && ctx.Err() == nil && !s.Done {
			return nil
		}
		last = now
		size := len(c.groups[group].state) // which is written by this goroutine alone
		state := s.Append(make([]byte, 0, size+size/8))
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.groups[group], c.unsaved = groupState{s.Epoch, s.Done, state}, true
		if now = time.Now(); now.Sub(c.written) < c.Every { // another group may have written it meanwhile
			return nil
		}
		return c.write(now)
	}
}

// write writes the file with what was known at a time.
func (c *checkpoint) write(now time.Time) error {
	c.written, c.unsaved = now, false
	err := atomicfile.WriteFile(c.Path, func(w io.Writer) error {
		sum := crc32.New(checksum.Castagnoli)
		w = io.MultiWriter(w, sum)
		b := binary.LittleEndian.AppendUint32([]byte(checkpointMagic), uint32(len(c.fingerprint)))
		if _, err := w.Write(append(b, c.fingerprint...)); err != nil {
			return err
		}
		for _, g := range c.groups {
			if err := binary.Write(w, binary.LittleEndian, frame{uint64(len(g.state)), uint32(g.epoch), g.done}); err != nil {
				return err
			}
			if _, err := w.Write(g.state); err != nil {
				return err
			}
		}
		return binary.Write(w, binary.LittleEndian, sum.Sum32())
	})
	if err == nil {
		return nil
	}
	left := "the file has its former contents, from which training can go on"
	if _, missing := os.Stat(c.Path); missing != nil {
		left = "no checkpoint was saved"
	}
	return fmt.Errorf("the checkpoint: %w; %s", err, left)
}

// close saves what is not in the file where training was stopped by an error, and returns that error.
func (c *checkpoint) close(stopped error) error {
	if stopped != nil && c.unsaved {
		return errors.Join(stopped, c.write(time.Now()))
	}
	return stopped
}
