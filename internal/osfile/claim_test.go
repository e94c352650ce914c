package osfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestClaim: one at a time has a claim, and nothing is left of it.
func TestClaim(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	claim, err := ClaimFile(path)
	must.OK(t, err)
	if claim == nil {
		t.Skip("files can't be locked here")
	}
	if _, err := ClaimFile(path); !errors.Is(err, ErrInUse) {
		t.Fatalf("claimed twice: %v", err)
	}
	if other, err := ClaimFile(filepath.Join(folder, "other")); err != nil {
		t.Error(err)
	} else {
		other.Release()
	}
	sweepAgain(folder)
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v is left, %v: a claim in use was swept", entries, err)
	}
	claim.Release()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
	(*Claim)(nil).Release()
	if _, err := ClaimFile(filepath.Join(folder, "missing", "out")); err == nil {
		t.Error("a file was claimed in a folder that is not there")
	}
}

// TestClaimAtOnce: of many that ask at the same time, never two have it.
func TestClaimAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	var having, had atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				claim, err := ClaimFile(path)
				switch {
				case errors.Is(err, ErrInUse), runtime.GOOS == "windows" && err != nil: // it is being removed
					continue
				case err != nil:
					t.Error(err)
					return
				case claim == nil:
					return
				}
				if having.Add(1) != 1 {
					t.Error("two have one claim")
				}
				had.Add(1)
				having.Add(-1)
				claim.Release()
			}
		})
	}
	all.Wait()
	t.Logf("claimed %d times", had.Load())
}
