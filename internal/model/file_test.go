package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.nbm")
	must.OK(t, os.WriteFile(path, data, 0o644))
	return path
}

// largeDense writes a model of many pages, all of whose weights are 0.
func largeDense(t testing.TB) (path string) {
	m := dense()
	keys := make([]uint64, 1<<19)
	for i := range keys {
		keys[i] = uint64(i)
	}
	m.Universe, m.Dense, m.Keys = 1<<19, make(Float32s, 1<<19), keysOf(1<<19, keys...)
	return write(t, encode(t, m))
}

func TestOpen(t *testing.T) {
	f, _, err := Open(write(t, encode(t, sample())))
	must.OK(t, err)
	if !reflect.DeepEqual(f.Model, sample()) {
		t.Errorf("got %+v", f.Model)
	}
	mine := errors.New("mine")
	if err := f.Guard(func() error { return mine }); err != mine {
		t.Errorf("Guard returns %v", err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFileErrors: whatever is wrong, the message says with which file.
func TestFileErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.nbm")
	broken := encode(t, sample())
	broken[70] ^= 4
	for _, c := range []struct {
		path string
		is   error
		list int // sections that Verify returns all the same
	}{
		{missing, fs.ErrNotExist, 0},
		{write(t, nil), ErrNotModel, 0},
		{write(t, encode(t, sample())[:1000]), ErrTruncated, 0},
		{write(t, broken), ErrChecksum, 14},
	} {
		_, list, err := Open(c.path)
		if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "model: ") || !strings.Contains(err.Error(), c.path) || len(list) != c.list {
			t.Errorf("got %d sections and error %v, want %d and one of the kind %v", len(list), err, c.list, c.is)
		}
	}
}

func TestSections(t *testing.T) {
	data := encode(t, sample())
	_, list, err := Open(write(t, data))
	must.OK(t, err)
	var names []string
	end := int64(0)
	for _, s := range list {
		names = append(names, s.Name)
		if !s.OK || s.Stored != s.Computed || s.Offset < end || s.Offset%64 != 0 || s.Optional != (s.Name == "NAMES") {
			t.Errorf("section %+v, after byte %d", s, end)
		}
		end = s.Offset + s.Length
	}
	want := "SIZE META LABELS KEYS OUTPUTS VALUE BIAS BASE THRESH PLATT IDF RATIO NAMES TABLE"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("sections are %s, want %s", got, want)
	}
	// A damaged section is told, the others are fine.
	data[list[3].Offset] ^= 1
	list, err = sections(data)
	if !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), "KEYS at byte") {
		t.Errorf("got error %v", err)
	}
	for i, s := range list {
		if s.OK != (i != 3) {
			t.Errorf("section %+v", s)
		}
	}
	text, err := json.Marshal(list[3])
	if err != nil || !strings.Contains(string(text), `"name":"KEYS"`) || !strings.Contains(string(text), `"ok":false`) {
		t.Errorf("as JSON: %s, error %v", text, err)
	}
	// Wrong contents with the right checksums.
	f := takeApart(t, encode(t, sample()))
	f.contents["META"] = []byte("{}")
	if _, list, err = Open(write(t, f.build())); !errors.Is(err, ErrCorrupt) || len(list) != 14 || !list[1].OK {
		t.Errorf("%d sections, error %v", len(list), err)
	}
}

// TestCloseInUse closes a model that is being read: the reader comes first, and whoever comes
// later gets an error.
func TestCloseInUse(t *testing.T) {
	f, _, err := Open(largeDense(t))
	must.OK(t, err)
	reading, closed := make(chan struct{}), make(chan error, 1)
	err = f.Guard(func() error {
		go func() {
			close(reading)
			closed <- f.Close()
		}()
		<-reading
		time.Sleep(10 * time.Millisecond) // Close would have come
		var sum float32
		for _, w := range f.Dense.(Float32s) {
			sum += w
		}
		if sum != 0 {
			return fmt.Errorf("the weights add up to %v", sum)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := f.Guard(func() error { return nil }); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
}

// TestTruncatedInUse pulls the file away from under an open model.
func TestTruncatedInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system does not let mapped files be truncated")
	}
	path := largeDense(t)
	f, _, err := Open(path)
	must.OK(t, err)
	defer f.Close()
	must.OK(t, os.Truncate(path, 1<<16))
	err = f.Guard(func() error {
		var sum float32
		for _, w := range f.Dense.(Float32s) {
			sum += w
		}
		_, err := f.WriteTo(&bytes.Buffer{})
		return errors.Join(err, errors.New("no fault"))
	})
	const fault = " was truncated or overwritten while in use"
	if err == nil || !strings.Contains(err.Error(), path+fault) {
		t.Errorf("got error %v", err)
	}
	// The checks run on several goroutines; a fault in any must not be the end.
	for range 20 {
		err := f.Guard(func() error {
			f.Dense.check("DENSE")
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Fatalf("got error %v", err)
		}
	}
}
