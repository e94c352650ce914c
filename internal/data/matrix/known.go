package matrix

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/idset"
)

// Known are the features of a model that training updates. They have columns whether or not any document has
// them.
type Known struct {
	IDs      idset.Set
	Universe uint64
	Tags     []uint16  // of texts, see Matrix.Tags; nil for any
	IDF      []float32 // by ascending id, instead of that of the documents; nil without
}

// has says whether a column of the dataset is known.
func (k *Known) has(c *candidate) bool {
	if k == nil || uint64(c.id) >= k.Universe {
		return false
	}
	rank, ok := k.IDs.Rank(c.id)
	return ok && (k.tag(rank) == 0 || k.tag(rank) == hashing.Tag(c.key))
}

// addKnown appends columns for those of the known features that no document has.
func (m *Matrix) addKnown(k *Known) {
	ids := idset.New(m.Universe)
	for _, id := range m.IDs {
		ids.Add(id)
	}
	for _, id := range k.IDs.All() {
		if !ids.Add(id) {
			m.IDs, m.Frequencies = append(m.IDs, id), append(m.Frequencies, 0)
		}
	}
	m.X.Cols = len(m.IDs)
	if m.Tags != nil {
		m.addKnownTags(k)
	}
	if m.IDF == nil {
		return
	}
	m.IDF = slices.Grow(m.IDF, len(m.IDs)-len(m.IDF))[:len(m.IDs)]
	for j, id := range m.IDs {
		if rank, known := k.IDs.Rank(id); known {
			m.IDF[j] = k.IDF[rank]
		}
	}
}

// tag is that of a known feature.
func (k *Known) tag(rank int) uint16 {
	if k.Tags == nil {
		return 0
	}
	return k.Tags[rank]
}

// addKnownTags merges the tags of known features with those of the others. A bucket of two n-grams has none.
func (m *Matrix) addKnownTags(k *Known) {
	found := idset.New(m.Universe)
	for j, id := range m.IDs {
		if m.Frequencies[j] > 0 {
			found.Add(id)
		}
	}
	found.Index()
	tags := make([]uint16, 0, len(m.IDs))
	for _, id := range slices.Sorted(slices.Values(m.IDs)) {
		rank, known := k.IDs.Rank(id)
		place, here := found.Rank(id)
		switch {
		case !known:
			tags = append(tags, m.Tags[place])
		case !here || m.Tags[place] == k.tag(rank):
			tags = append(tags, k.tag(rank))
		default:
			tags = append(tags, 0)
		}
	}
	m.Tags = tags
}
