package fasttext

import (
	"math"
	"math/bits"
)

// vocabulary numbers words, and finds them.
type vocabulary struct {
	text  []byte   // of all words, one behind the other
	ends  []uint32 // where each ends
	slots []uint64 // of a hash table: in the lower half 1 + the number of a word, in the upper that of its key; 0 is free
	bits  []uint64 // of parts of keys: not set where no word has it, which is so for most strange words
	keys  tokenKeys
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
	v.slots, v.keys = make([]uint64, 1<<bits.Len(uint(2*len(v.ends)))), newTokenKeys()
	v.bits = make([]uint64, max(1, len(v.slots)/slotsPerWord))
	begin := 0
	for i, end := range v.ends {
		key := v.keys.of(v.text, begin, int(end))
		slot, tag, _ := v.slot(key, v.text[begin:end])
		v.slots[slot] = tag | uint64(i+1)
		word, bit := v.bit(key)
		*word |= bit
		begin = int(end)
	}
}

// slotsPerWord is so large that the bits of a few thousand words are in the processor's fastest cache, and so small that
// one bit in nine is set.
const slotsPerWord = 16

// bit is that of a key in the filter.
func (v *vocabulary) bit(key uint64) (word *uint64, bit uint64) {
	n := key >> 32 & uint64(len(v.bits)*64-1)
	return &v.bits[n/64], 1 << (n % 64)
}

// slot is where a word with this key is in the table, or would be.
func (v *vocabulary) slot(key uint64, word []byte) (slot int, tag uint64, found bool) {
	mask := len(v.slots) - 1
	tag = key &^ math.MaxUint32
	for slot = int(uint32(key)>>1) & mask; ; slot = (slot + 1) & mask {
		switch n := v.slots[slot]; {
		case n == 0:
			return slot, tag, false
		case n&^math.MaxUint32 == tag && string(v.word(int(uint32(n)-1))) == string(word):
			return slot, tag, true
		}
	}
}

// find gives the number of a word, -1 if it has none.
func (v *vocabulary) find(word []byte) int { return v.findKey(v.keys.of(word, 0, len(word)), word) }

// findKey is find of a word with this key.
func (v *vocabulary) findKey(key uint64, word []byte) int {
	if some, bit := v.bit(key); *some&bit == 0 {
		return -1
	}
	slot, _, found := v.slot(key, word)
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
