package vocab

import "github.com/seed-167f963f/nbsvm/internal/mem"

// spilledCounts is where counts are in the temporary file: the lists of rests, documents, numbers and of, one after the
// other.
type spilledCounts struct {
	at                  int64
	ngrams, numbers, of int // how long each is
}

func (c *Counter) write(n counts) (spilledCounts, error) {
	at, err := c.spill.Write(mem.Overlay(n.rests), mem.Overlay(n.documents), mem.Overlay(n.numbers), mem.Overlay(n.of))
	return spilledCounts{at, len(n.rests), len(n.numbers), len(n.of)}, err
}

func (c *Counter) read(from spilledCounts) (counts, error) {
	n := counts{
		rests: make([]uint32, from.ngrams), documents: make([]uint32, from.ngrams),
		numbers: make([]uint32, from.numbers),
	}
	if from.of > 0 {
		n.of = make([]uint32, from.of)
	}
	at := from.at
	for _, piece := range [][]byte{
		mem.Overlay(n.rests), mem.Overlay(n.documents), mem.Overlay(n.numbers),
		mem.Overlay(n.of),
	} {
		if err := c.spill.Read(piece, at); err != nil {
			return n, err
		}
		at += int64(len(piece))
	}
	return n, nil
}
