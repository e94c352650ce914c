package fasttext

import (
	"hash/maphash"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// vocabulary numbers words, and finds them by their keys.
type vocabulary struct {
	text  []byte   // of all words, one behind the other
	ends  []uint32 // where each ends
	slots []slot   // of a hash table
	seed  maphash.Seed
}

// slot has a word, or is free: then all is 0.
type slot struct {
	key    uint64
	number uint32 // 1 + the word's
	hash   uint32 // fastText's
}

func (v *vocabulary) word(i int) []byte {
	begin := uint32(0)
	if i > 0 {
		begin = v.ends[i-1]
	}
	return v.text[begin:v.ends[i]]
}

// index makes the hash table. Of equal words the last one is found, as by fastText.
func (v *vocabulary) index() {
	v.slots, v.seed = make([]slot, 1<<bits.Len(uint(len(v.ends)*3/2))), maphash.MakeSeed()
	mem.AdviseHuge(v.slots)
	begin := 0
	for i, end := range v.ends {
		key := v.key(v.text[begin:end])
		*v.slot(key) = slot{key, uint32(i + 1), hash(v.text[begin:end])}
		begin = int(end)
	}
}

// key returns taken for the token, and is never 0. Keys differ from one process to the next, so that no file and no
// text can be made whose words have equal ones.
func (v *vocabulary) key(token []byte) uint64 { return maphash.Bytes(v.seed, token) | 1 }

// slot returns where a word with this key is in the table, or would be.
func (v *vocabulary) slot(key uint64) *slot {
	mask := uint64(len(v.slots) - 1)
	for i := key >> 1 & mask; ; i = (i + 1) & mask {
		if s := &v.slots[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}

// prefetch asks for the slot of a key.
func (v *vocabulary) prefetch(key uint64) { kernels.Prefetch(&v.slots[key>>1&uint64(len(v.slots)-1)]) }

// find gives the number of a word, -1 if it has none.
func (v *vocabulary) find(word []byte) int { return v.findKey(v.key(word)) }

// findKey returns find of a word with this key.
func (v *vocabulary) findKey(key uint64) int { return int(v.slot(key).number) - 1 }

// hash returns fastText's: FNV-1a, in which bytes from 128 on are negative numbers.
func hash(word []byte) uint32 {
	h := uint32(hashStart)
	for _, c := range word {
		h = hashByte(h, c)
	}
	return h
}

const hashStart = 2166136261

func hashByte(h uint32, c byte) uint32 { return (h ^ uint32(int8(c))) * 16777619 }

// add adds a word.
func (v *vocabulary) add(word []byte) {
	v.text = append(v.text, word...)
	v.ends = append(v.ends, uint32(len(v.text)))
}
