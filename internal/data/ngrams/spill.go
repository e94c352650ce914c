package ngrams

import "github.com/seed-167f963f/nbsvm/internal/file/views"

// spilledCounts is what is known of some n-grams, in the temporary file from a place on: the rests of their hashes, as
// many counts, and the rests of rare ones.
type spilledCounts struct {
	at      int64
	n, rare int
}

// spillPartition writes a partition's counts to the temporary file and empties the table.
func (c *Counter) spillPartition(p int) error {
	part := &c.partitions[p]
	run, err := c.write(part.list(true, new(sorter)))
	if err != nil {
		return err
	}
	part.runs = append(part.runs, run)
	clear(part.table.Words)
	part.used, part.carries = 0, nil
	return nil
}

func (c *Counter) write(counted counts) (spilledCounts, error) {
	at, err := c.spill.Write(views.Memory(counted.rests), views.Memory(counted.documents), views.Memory(counted.rare))
	return spilledCounts{at, len(counted.rests), len(counted.rare)}, err
}

func (c *Counter) read(of spilledCounts) (counts, error) {
	read := counts{rests: make([]uint64, of.n), documents: make([]uint32, of.n), rare: make([]uint64, of.rare)}
	at := of.at
	for _, piece := range [][]byte{views.Memory(read.rests), views.Memory(read.documents), views.Memory(read.rare)} {
		if err := c.spill.Read(piece, at); err != nil {
			return read, err
		}
		at += int64(len(piece))
	}
	return read, nil
}
