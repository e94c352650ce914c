package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// failures counts errors instead of failing.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }
func (f *failures) Helper()               {}

// TestLeaves finds what was left open, mapped or running, and nothing else.
func TestLeaves(t *testing.T) {
	if !Seen(t) {
		t.Skip("this system does not tell of memory in huge pages")
	}
	path := filepath.Join(t.TempDir(), "file")
	must.OK(t, os.WriteFile(path, make([]byte, 10_000), 0o600))
	var undo []func()
	for name, test := range map[string]struct {
		run   func()
		finds int
	}{
		"nothing": {func() { _, free := mem.MakeHuge[byte](8 << 20); free() }, 0},
		"memory":  {func() { _, free := mem.MakeHuge[byte](8 << 20); undo = append(undo, free) }, 1},
		"a file": {func() {
			f, err := os.Open(path)
			must.OK(t, err)
			undo = append(undo, func() { f.Close() })
		}, 1},
		"a mapping": {func() {
			m, err := osfile.Map(path)
			must.OK(t, err)
			undo = append(undo, func() { m.Close() })
		}, 1},
		"a goroutine": {func() {
			stop := make(chan struct{})
			go func() { <-stop }()
			undo = append(undo, func() { close(stop) })
		}, 1},
	} {
		f := &failures{TB: t}
		if Leaves(f, test.run); f.n != test.finds {
			t.Errorf("%s: %d findings, want %d", name, f.n, test.finds)
		}
	}
	for _, undo := range undo {
		undo()
	}
}
