package model

import (
	"encoding/binary"
	"math/bits"
)

// lowBits returns how many of the last bits of a key stand by themselves: so many that the first bits of two neighbours
// differ by about one (Elias 1974, Fano 1971). A key takes two bits more.
func lowBits(universe uint64, rows int) int {
	return max(bits.Len64(universe/uint64(max(rows, 1)))-1, 0)
}

// keysField returns the keys that have a row, as words of 64 bits. The last bits of all keys come first, one key after
// the other. From the next word on, bit h+i is set if the first bits of key i are the number h.
func (m *Model) keysField(rows int) field {
	f := field{names: []string{"KEYS"}, required: true}
	f.encode = func() (string, []byte) {
		low := lowBits(m.Universe, rows)
		lows, highs := keyWords(m.Universe, rows)
		words := make([]uint64, lows+highs)
		for i, key := range m.Keys.All() {
			if low > 0 {
				at, bit := i*low/64, i*low%64
				part := key & (1<<low - 1)
				words[at] |= part << bit
				if bit+low > 64 {
					words[at+1] |= part >> (64 - bit)
				}
			}
			place := int(key>>low) + i
			words[lows+place/64] |= 1 << (place % 64)
		}
		data, _ := binary.Append([]byte{}, binary.LittleEndian, words)
		return f.names[0], data
	}
	f.decode = func(name string, data []byte) *fileError {
		words, bad := array[uint64](name, data)
		if bad != nil {
			return bad
		}
		return m.setKeys(name, words, rows)
	}
	return f
}

// keyWords returns how many words the last and the first bits of so many keys take.
func keyWords(universe uint64, rows int) (lows, highs int) {
	low := lowBits(universe, rows)
	if rows == 0 {
		return 0, 0
	}
	return (rows*low + 63) / 64, (rows + int((universe-1)>>low) + 64) / 64
}

// setKeys sets the keys to those that words have, as many as there are rows.
func (m *Model) setKeys(section string, words []uint64, rows int) (bad *fileError) {
	low := lowBits(m.Universe, rows)
	lows, highs := keyWords(m.Universe, rows)
	if len(words) != lows+highs {
		return wrongLength(section, len(words), lows+highs, "words for so many rows")
	}
	if used := rows * low % 64; used > 0 && words[lows-1]>>used != 0 {
		return at(section, 8*(lows-1), "bits behind the last key are set")
	}
	i := 0
	set, err := ascendingKeys(m.Universe, rows, func(yield func(uint64) bool) {
		for k, word := range words[lows:] {
			for ; word != 0 && i < rows; word &= word - 1 {
				key := uint64(64*k+bits.TrailingZeros64(word)-i) << low
				if low > 0 {
					word, bit := i*low/64, i*low%64
					part := words[word] >> bit
					if bit+low > 64 {
						part |= words[word+1] << (64 - bit)
					}
					key |= part & (1<<low - 1)
				}
				if !yield(key) {
					return
				}
				i++
			}
			if word != 0 {
				bad = at(section, 8*(lows+k), "it has more keys than the %d rows", rows)
				return
			}
		}
	})
	switch {
	case bad != nil:
		return bad
	case err != nil:
		return at(section, 8*lows, "%v", err)
	case i != rows:
		return at(section, 8*lows, "it has %d keys, but there are %d rows", i, rows)
	}
	m.Keys = *set
	return nil
}
