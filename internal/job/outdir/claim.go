package outdir

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
)

// claimGroups is how many groups of files there are. Those of a group are claimed together, so that claims of many
// small files cost little; of a few files, most have a group of their own. All runs have to agree on it.
const claimGroups = 256

// claimGroup is the group that a file belongs to, in any run.
func (f *File) claimGroup() int {
	return int(crc32.ChecksumIEEE([]byte(filepath.Base(f.Output()))) % claimGroups)
}

// groupClaim keeps other runs from the files of a group until all that this run has of them are done.
type groupClaim struct {
	claim   func() (release func(), err error)
	once    sync.Once
	release func()
	err     error
	files   atomic.Int32 // that are not done
}

// take claims the group, unless it is claimed already or can't be.
func (g *groupClaim) take() error {
	g.once.Do(func() { g.release, g.err = g.claim() })
	return g.err
}

// done tells that a file is done.
func (g *groupClaim) done() {
	if g.files.Add(-1) == 0 && g.release != nil {
		g.release()
	}
}

// unfinished are the files that no run is at, as far as is known, by name, but those of a group behind its first, and
// the claims of groups.
func (r *making) unfinished(claim claimFunc) (files []int, claims map[int]*groupClaim) {
	claims = map[int]*groupClaim{}
	first := map[int]int{} // file of a group
	for i := range r.files {
		if !errors.Is(r.done[i].err, scratch.ErrInUse) {
			continue
		}
		group := r.files[i].claimGroup()
		if claims[group] == nil {
			path := filepath.Join(r.folder, fmt.Sprintf("%02x", group))
			claims[group], first[group] = &groupClaim{claim: func() (func(), error) { return claim(path) }}, i
		}
		claims[group].files.Add(1)
		files = append(files, i)
	}
	slices.SortStableFunc(files, func(i, j int) int {
		return cmp.Compare(first[r.files[i].claimGroup()], first[r.files[j].claimGroup()])
	})
	return files, claims
}
