package outdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestNoFolderHere: where paths from the root are not known, as the current folder is gone, none is recorded.
func TestNoFolderHere(t *testing.T) {
	outputs, here := t.TempDir(), filepath.Join(t.TempDir(), "here")
	must.OK(t, os.Mkdir(here, 0o700))
	t.Chdir(here)
	if err := os.Remove(here); err != nil {
		t.Skip(err)
	}
	if _, err := filepath.Abs("no"); err == nil {
		t.Skip("this system knows the name of a folder that is gone")
	}
	j := &Job{Command: "test", Folders: []Folder{{Flag: OutputFlag, Path: outputs}, {Flag: "--rejects", Path: "no"}}}
	if record, err := j.record(1, provenance.Run{}); err == nil {
		t.Errorf("it says %+v", record)
	}
}
