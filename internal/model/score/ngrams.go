package score

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// ngrams are the hashed n-grams of texts. They are looked up as they are where they count once, and by key
// where it matters how often they are there.
type ngrams struct {
	m       *model.Model
	extract *hashing.Extractor
	keys    *hashing.Extractor // gives keys instead of whole hashes; nil until it is asked for
	hashes  []uint64
	counts  []uint32
	once    bool // n-grams count once
	byWord  bool // or, those within words, once for each word
}

func newNgrams(m *model.Model) (features, error) {
	extract, err := hashing.NewExtractor(wholeHashes(m))
	return &ngrams{m: m, extract: extract, once: m.Meta.Values == binary, byWord: m.Meta.Values == byWord}, err
}

// wholeHashes returns the options of a model's n-grams for whole hashes: what looks them up takes the key out of each.
// Where keys tell n-grams within words from others, hashes do so only if they have as many bits.
func wholeHashes(m *model.Model) hashing.Options {
	text := m.Meta.Text
	if !text.ByWord() {
		text.Bits = hashing.MaxBits
	}
	return text
}

func (n *ngrams) append(b *batch, text []byte) (err error) {
	switch {
	case n.once:
		b.hashes, err = n.extract.AppendPieces(b.hashes, text, b.piece)
		return err
	case n.byWord && b.sumsWords:
		if b.words == nil {
			b.words = newWordSums(b.table, n.m.Outputs, n.extract)
		}
		if b.hashes, err = n.extract.AppendAcross(b.hashes, text, b.piece); err == nil {
			err = b.words.append(b.ctx, text)
		}
		return err
	case n.byWord:
		n.hashes, n.counts = n.extract.AppendByWord(n.hashes[:0], n.counts[:0], text)
		for i, h := range n.hashes {
			n.add(b, h, float32(n.counts[i]))
		}
		return nil
	}
	// N-grams of a long text come several times and are added up.
	first := len(b.keys)
	limit := first + 2*hashing.PieceHashes
	for hashes, counts := range n.extract.CountedPieces(text) {
		for i, h := range hashes {
			n.add(b, h, float32(counts[i]))
		}
		if len(b.keys) > limit {
			limit = b.compact(first)
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (n *ngrams) add(b *batch, hash uint64, value float32) {
	b.keys, b.values = append(b.keys, hashing.Key(hash, n.m.Meta.Text.Bits)), append(b.values, value)
}

// appendRow takes a document's n-grams in order of their keys, so that margins have the same bits however the
// row came about.
func (n *ngrams) appendRow(b *batch, keys []uint64, values []float32) {
	if n.once {
		slices.Sort(keys)
		for _, key := range keys {
			b.hashes = append(b.hashes, key<<(hashing.MaxBits-n.m.Meta.Text.Bits))
		}
		return
	}
	sparse.SortRow(keys, values)
	b.keys, b.values = append(b.keys, keys...), append(b.values, values...)
}

// distinctAtOnce is about how many n-grams of a text are told apart at once. So a long text takes little more memory;
// it is hashed again each time.
const distinctAtOnce = 1 << 20

// ascending yields the distinct hashes of a text in ascending order, some at a time.
func (n *ngrams) ascending(of *hashing.Extractor, text []byte) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		total := 0
		for block := range of.Blocks(text) {
			total += len(block)
		}
		shift := 64 - bits.Len(uint(total/distinctAtOnce))
		for share := range uint64(1) << (64 - shift) {
			n.hashes = n.hashes[:0]
			for block := range of.Blocks(text) {
				for _, h := range block {
					if h>>shift == share {
						n.hashes = append(n.hashes, h)
					}
				}
			}
			slices.Sort(n.hashes)
			n.hashes = slices.Compact(n.hashes)
			if !yield(n.hashes) {
				return
			}
		}
	}
}

// unknown returns how many distinct n-grams of a text the model does not know, and how many there are.
func (n *ngrams) unknown(text []byte) (unknown, all int) {
	for hashes := range n.ascending(n.extract, text) {
		all += len(hashes)
		for _, h := range hashes {
			if _, ok := n.m.Keys.Rank(hashing.Key(h, n.m.Meta.Text.Bits)); !ok {
				unknown++
			}
		}
	}
	return unknown, all
}

func (n *ngrams) distinct(text []byte) (all int, err error) {
	if n.keys == nil {
		if n.keys, err = hashing.NewExtractor(n.m.Meta.Text); err != nil {
			return 0, err
		}
	}
	const short = 256 << 10 // has no more than some million n-grams
	if len(text) <= short {
		n.hashes, _ = n.keys.AppendDistinct(n.hashes[:0], nil, text)
		return len(n.hashes), nil
	}
	for keys := range n.ascending(n.keys, text) {
		all += len(keys)
	}
	return all, nil
}

func (n *ngrams) names(text []byte, wanted func(row int) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		first := map[uint64]int{} // rows of wanted n-grams, until they are named
		for hashes := range n.ascending(n.extract, text) {
			for _, h := range hashes {
				row, ok := n.m.Keys.Rank(hashing.Key(h, n.m.Meta.Text.Bits))
				switch {
				case !ok && !yield(-1, ""):
					return
				case ok && wanted(row):
					first[h] = row
				}
			}
		}
		if len(first) == 0 {
			return
		}
		for h, name := range n.extract.Ngrams(text) {
			row, ok := first[h]
			if !ok {
				continue
			}
			delete(first, h)
			if !yield(row, string(name)) || len(first) == 0 {
				return
			}
		}
	}
}
