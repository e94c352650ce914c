package mem

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRoom: a disk that is full is an error before anything is mapped, also where room is taken by zeros.
func TestRoom(t *testing.T) {
	const size = 3<<20 + 1
	path := filepath.Join(t.TempDir(), "table")
	f, err := os.Create(path)
	must.OK(t, err)
	defer f.Close()
	must.OK(t, writeZeros(f, size))
	if data, err := os.ReadFile(path); err != nil || len(data) != size || bytes.Count(data, []byte{0}) != size {
		t.Errorf("%d bytes, want %d zeros; %v", len(data), size, err)
	}
	if err := takeRoom(f, 1<<62); err == nil {
		t.Error("there is room for 2^62 bytes")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must.OK(t, err)
	defer full.Close()
	if err := writeZeros(full, size); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("%v, want the error of a full disk", err)
	}
}
