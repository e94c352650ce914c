package model

import (
	"fmt"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/idset"
)

// NewSet makes the set of the given ids, which must be distinct and less than
// universe, at most 2^31.
func NewSet(universe uint64, ids []uint32) (idset.Set, error) {
	if universe > maxUniverse {
		return idset.Set{}, fmt.Errorf("model: a universe of %d ids: at most %d are possible", universe, uint64(maxUniverse))
	}
	s := idset.New(universe)
	for _, id := range ids {
		if uint64(id) >= universe {
			return idset.Set{}, fmt.Errorf("model: id %d is outside the universe of %d ids", id, universe)
		}
		if s.Add(id) {
			return idset.Set{}, fmt.Errorf("model: id %d is there twice: ids must be distinct", id)
		}
	}
	s.Index()
	return *s, nil
}

// checkSet finds out whether bitmap, ranks and number agree, and fit the universe.
func checkSet(s *idset.Set, universe uint64) *problem {
	if uint64(len(s.Words)) != idset.WordsOf(universe) {
		return wrongLength("BITMAP", len(s.Words), idset.WordsOf(universe), "words for the universe")
	}
	if len(s.Ranks) != len(s.Words) {
		return wrongLength("RANK", len(s.Ranks), len(s.Words), "numbers, one per word of BITMAP")
	}
	n := 0
	for i, rank := range s.Ranks {
		if int(rank) != n {
			return at("RANK", 4*i, "%d ids are said to come before id %d, but they are %d", rank, i*idset.WordBits, n)
		}
		n += bits.OnesCount64(s.Words[i])
	}
	if n != s.Size {
		return at("BITMAP", 0, "%d ids are set, but there are %d rows", n, s.Size)
	}
	if used := universe % idset.WordBits; used != 0 && s.Words[len(s.Words)-1]>>used != 0 {
		return at("BITMAP", 8*(len(s.Words)-1), "an id beyond the universe of %d ids is set", universe)
	}
	return nil
}
