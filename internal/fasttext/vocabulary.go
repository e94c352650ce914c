package fasttext

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// vocabulary numbers words, and finds them.
type vocabulary struct {
	text  []byte   // of all words, one behind the other
	ends  []uint32 // where each ends
	slots []uint64 // of a hash table: in the lower half 1 + the number of a word, in the upper that of its hash; 0 is free
	seed  maphash.Seed
}

func (v *vocabulary) word(i int) []byte {
	begin := uint32(0)
	if i > 0 {
		begin = v.ends[i-1]
	}
	return v.text[begin:v.ends[i]]
}

// index makes the hash table. Of equal words the last one is found, as by fastText. The seed is random, so that no
// file can be made whose words all fall into one place.
func (v *vocabulary) index() {
	v.slots, v.seed = make([]uint64, 1<<bits.Len(uint(2*len(v.ends)))), maphash.MakeSeed()
	for i := range v.ends {
		slot, tag, _ := v.slot(v.word(i))
		v.slots[slot] = tag | uint64(i+1)
	}
}

// slot is where a word is in the table, or would be.
func (v *vocabulary) slot(word []byte) (slot int, tag uint64, found bool) {
	h, mask := maphash.Bytes(v.seed, word), len(v.slots)-1
	tag = h &^ math.MaxUint32
	for slot = int(uint32(h)) & mask; ; slot = (slot + 1) & mask {
		switch n := v.slots[slot]; {
		case n == 0:
			return slot, tag, false
		case n&^math.MaxUint32 == tag && string(v.word(int(uint32(n)-1))) == string(word):
			return slot, tag, true
		}
	}
}

// find gives the number of a word, -1 if it has none.
func (v *vocabulary) find(word []byte) int {
	slot, _, found := v.slot(word)
	if !found {
		return -1
	}
	return int(uint32(v.slots[slot])) - 1
}

// hash is fastText's: FNV-1a, in which bytes from 128 on are negative numbers.
func hash(word []byte) uint32 {
	h := uint32(hashStart)
	for _, c := range word {
		h = hashByte(h, c)
	}
	return h
}

const hashStart = 2166136261

func hashByte(h uint32, c byte) uint32 { return (h ^ uint32(int8(c))) * 16777619 }
