package outdir

import (
	"fmt"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
)

// TestGroupClaims: many files need few claims, each taken once, and let go of when the last file of its group is done.
func TestGroupClaims(t *testing.T) {
	const files = 2000
	r := &making{done: make([]done, files)}
	for i := range files {
		r.files = append(r.files, File{paths: []string{fmt.Sprintf("out/%d.tsv", i)}})
		r.done[i].err = scratch.ErrInUse
	}
	r.done[7].err = nil
	held, taken := map[string]bool{}, 0
	left, claims := r.unfinished(func(path string) (func(), error) {
		held[path], taken = true, taken+1
		return func() { delete(held, path) }, nil
	})
	if len(left) != files-1 {
		t.Fatalf("%d files are left, want %d", len(left), files-1)
	}
	for _, i := range left {
		claim := claims[r.files[i].claimGroup()]
		if err := claim.take(); err != nil || len(held) != 1 {
			t.Fatalf("%s: %v, %d groups are held", r.files[i].Output(), err, len(held))
		}
		claim.done()
	}
	if len(held) > 0 || taken > claimGroups {
		t.Errorf("%d claims were taken, %d are left", taken, len(held))
	}
}
