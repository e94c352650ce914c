package hashing

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// These numbers are part of the format of every model. If a test here fails, then
// models made before no longer mean what they did: change the code, not them.

const goldenTables = 0xa5f047d3

// goldenNgrams were computed outside, from the package comment alone.
var goldenNgrams = []struct {
	tokenizer Tokenizer
	seed      uint64
	doc       string
	hashes    []uint64
}{
	{Word, 1, "a", []uint64{
		0xa992568a7d601f0e,
	}},
	{Word, 1, "Don’t panic!", []uint64{
		0x55fd0dc51a62ac2f,
		0x0a90b45d717dce11,
		0x8d85cab077832d98,
		0x3e4625f60cfc4d5f,
		0x201f93f298559046,
	}},
	{Word, 0, "sixteencharacter 0123456789abcdefg", []uint64{
		0x7fbd7542f0eaed82,
		0x1c1e3ff7cfad6076,
		0xc669f185d113e781,
	}},
	{Word, 9223372036854775808, "ΣΊΣΥΦΟΣ 漢字。", []uint64{
		0x89b8671b8a39b9fe,
		0x12e457291b8846e4,
		0x205dde5927b50d38,
		0x12098caef35d8115,
		0xea1c8735fa288727,
		0x274cf5bb93672cb7,
		0xda71d9a428fc293d,
	}},
	{Char, 1, " Hé", []uint64{
		0x272a02d9fdbb0f84,
		0x9fa98d75d9511157,
		0xbb436e65d912b6a5,
		0x1adf5533d85de1a3,
		0xc16983e4dec91eb0,
		0x272a02d9fdbb0f84,
		0x9a4bcf434c4e8df9,
	}},
	{Space, 1, "Hello, World! thirty-two-bytes-and-one-bytes..33", []uint64{
		0x735f8bc31083a9ba,
		0x14453c0060f1d27f,
		0x3b7a50e078df4322,
		0xf6be00fddffc5698,
		0x0b585c499d106cca,
	}},
}

var goldenSums = map[string]uint32{
	"word": 0xd5669404, "char": 0xfbab3253, "space": 0xad2e23d3, "char-wb": 0x23f1ad3f, "several": 0x9f3a07c4,
}

func TestGoldenNgrams(t *testing.T) {
	for _, g := range goldenNgrams {
		o := DefaultOptions()
		o.Families[0].Tokenizer, o.Seed = g.tokenizer, g.seed
		got := newExtractor(t, o).AppendHashes(nil, []byte(g.doc))
		if len(got) != len(g.hashes) {
			t.Errorf("%v, seed %d, %q: %d hashes, want %d: %#x", g.tokenizer, g.seed, g.doc, len(got), len(g.hashes), got)
			continue
		}
		for i, h := range got {
			if h != g.hashes[i] {
				t.Errorf("%v, seed %d, %q: hash %d is %#x, want %#x", g.tokenizer, g.seed, g.doc, i, h, g.hashes[i])
			}
		}
	}
}

// TestGoldenSums covers every option and every document of seams.
func TestGoldenSums(t *testing.T) {
	sums := map[string]uint32{}
	var buf [8]byte
	for _, o := range allOptions() {
		e := newExtractor(t, o)
		family := o.Families[0].Tokenizer.String()
		if len(o.Families.List()) > 1 {
			family = "several"
		}
		var hashes []uint64
		for _, doc := range seams() {
			hashes = e.AppendHashes(hashes[:0], []byte(doc))
			for _, h := range hashes {
				binary.LittleEndian.PutUint64(buf[:], h)
				sums[family] = crc32.Update(sums[family], crc32.IEEETable, buf[:])
			}
		}
	}
	for family, sum := range sums {
		if sum != goldenSums[family] {
			t.Errorf("%s: sum of all hashes is %#x, want %#x", family, sum, goldenSums[family])
		}
	}
}
