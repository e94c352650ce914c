package osfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// crashing is a file system in memory, of which any call may fail, by its number or by what instead says, a write after
// half of it, and that knows what would be left if the power failed now. What a file holds is safe once it is synced; that it has a name, once its folder
// is. Until then it may be there or not.
type crashing struct {
	names   map[string]*content
	safe    map[string]*content     // names at the last sync of the folder
	changes []map[string]*content   // names after every change since
	fail    int                     // number of the call that fails, from 1; 0 for none
	instead func(call string) error // which may fail any
	calls   []string
	sizes   []int             // of what was written
	after   func(call string) // of every call
	// Lazy file systems say that they have synced, and have not.
	lazyFile, lazyFolder bool
}

// content is what a file holds, whatever it is called.
type content struct{ now, synced []byte }

// newCrashing has files of these paths, if they held something before.
func newCrashing(old string, paths ...string) *crashing {
	s := &crashing{names: map[string]*content{}, after: func(string) {}, instead: func(string) error { return nil }}
	for _, path := range paths {
		if old != "" {
			s.names[path] = &content{now: []byte(old), synced: []byte(old)}
		}
	}
	s.safe = maps.Clone(s.names)
	return s
}

var errInjected = errors.New("injected fault")

// do is a call: it may fail instead.
func (s *crashing) do(call string, f func()) error {
	defer s.after(call)
	if s.calls = append(s.calls, call); len(s.calls) == s.fail {
		return errInjected
	}
	if err := s.instead(call); err != nil {
		return err
	}
	f()
	return nil
}

// get is what a file holds now; "" if it is not there.
func (s *crashing) get(path string) string {
	if c := s.names[path]; c != nil {
		return string(c.now)
	}
	return ""
}

// others are the files besides these.
func (s *crashing) others(paths ...string) []string {
	return slices.DeleteFunc(slices.Collect(maps.Keys(s.names)), func(name string) bool { return slices.Contains(paths, name) })
}

// change changes names, of which the power may take the latest back.
func (s *crashing) change(f func()) {
	f()
	s.changes = append(s.changes, maps.Clone(s.names))
}

func (s *crashing) OpenFile(name string, flag int, _ fs.FileMode) (handle, error) {
	name += ".tmp"
	if _, there := s.names[name]; there || flag&os.O_EXCL == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	h := &crashingHandle{s: s, c: &content{}, name: name}
	return h, s.do("open", func() { s.change(func() { s.names[name] = h.c }) })
}

func (s *crashing) Rename(from, to string) error {
	return s.do("rename", func() {
		s.change(func() {
			s.names[to] = s.names[from]
			delete(s.names, from)
		})
	})
}

func (s *crashing) Remove(name string) error {
	return s.do("remove", func() { s.change(func() { delete(s.names, name) }) })
}

func (s *crashing) SyncFolder(string) error {
	return s.do("sync folder", func() {
		if !s.lazyFolder {
			s.safe, s.changes = maps.Clone(s.names), nil
		}
	})
}

type crashingHandle struct {
	s    *crashing
	c    *content
	name string
}

func (h *crashingHandle) Name() string { return h.name }

func (h *crashingHandle) Write(p []byte) (int, error) {
	h.s.sizes = append(h.s.sizes, len(p))
	err := h.s.do("write", func() { h.c.now = append(h.c.now, p...) })
	if err != nil {
		h.c.now = append(h.c.now, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	return len(p), nil
}

func (h *crashingHandle) Sync() error {
	return h.s.do("sync", func() {
		if !h.s.lazyFile {
			h.c.synced = bytes.Clone(h.c.now)
		}
	})
}

func (h *crashingHandle) Chmod(fs.FileMode) error { return h.s.do("chmod", func() {}) }
func (h *crashingHandle) Close() error            { return h.s.do("close", func() {}) }

// left is what the file of a name may hold after the power has failed: of the names any
// that were there since the folder was synced, of what is not synced all, a part, nothing,
// or zeros. "" stands for no file.
func (s *crashing) left(path string) (all []string) {
	for _, names := range append([]map[string]*content{s.safe}, s.changes...) {
		c := names[path]
		if c == nil {
			all = append(all, "")
			continue
		}
		half := len(c.synced) + (len(c.now)-len(c.synced))/2
		zeros := append(bytes.Clone(c.synced), make([]byte, len(c.now)-len(c.synced))...)
		all = append(all, string(c.synced), string(c.now), string(c.now[:half]), string(zeros))
	}
	return all
}

// write replaces a file, with the power failing after every call, and returns what went
// wrong with that, and the error of writing.
func (s *crashing) write(path, old, want string) (wrong []string, err error) {
	s.after = func(call string) {
		for _, left := range s.left(path) {
			if left != old && left != want {
				wrong = append(wrong, fmt.Sprintf("after %s, call %d, %d bytes may be left", call, len(s.calls), len(left)))
			}
		}
	}
	err = writeFile(s, path, func(w io.Writer) error {
		for lo := 0; lo < len(want); lo += 1000 {
			if _, err := io.WriteString(w, want[lo:min(lo+1000, len(want))]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && slices.ContainsFunc(s.left(path), func(left string) bool { return left != want }) {
		wrong = append(wrong, "the file is written, and may be lost")
	}
	return wrong, err
}

// crashTargets are a file that is there before, and one that is not. The former is there
// in the real file system as well, which tells what a path leads to.
func crashTargets(t *testing.T) map[string]string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "old")
	put(t, path, "the old file")
	return map[string]string{path: "the old file", filepath.Join(folder, "new"): ""}
}

// TestPowerFails: at any call, and also if any one before has failed, the file is the old
// one or the new one, whole; and once it is said to be written it is the new one.
func TestPowerFails(t *testing.T) {
	want := string(bytes.Repeat([]byte("0123456789"), 3*bufferSize/10))
	for path, old := range crashTargets(t) {
		calls := 8
		for fail := 0; fail <= calls; fail++ {
			s := newCrashing(old, path)
			s.fail = fail
			wrong, err := s.write(path, old, want)
			if len(wrong) > 0 {
				t.Errorf("call %d fails, %q before: %v", fail, old, wrong)
			}
			if errors.Is(err, errInjected) != (fail > 0) {
				t.Errorf("call %d fails: error %v", fail, err)
			}
			if left := s.others(path); len(left) > 0 {
				t.Errorf("call %d fails: files left: %v", fail, left)
			}
			if fail == 0 {
				calls = len(s.calls)
			}
		}
		if calls < 8 {
			t.Errorf("only %d calls to fail", calls)
		}
	}
}

// TestPowerFailsUnsynced: the test above would notice if a sync were missing.
func TestPowerFailsUnsynced(t *testing.T) {
	for path, old := range crashTargets(t) {
		for _, lazyFile := range []bool{true, false} {
			s := newCrashing(old, path)
			s.lazyFile, s.lazyFolder = lazyFile, !lazyFile
			if wrong, err := s.write(path, old, "the new file"); err != nil || len(wrong) == 0 {
				t.Errorf("without a sync, of the file %t, nothing goes wrong; error %v", lazyFile, err)
			}
		}
	}
}
