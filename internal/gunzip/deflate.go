package gunzip

import (
	"encoding/binary"
	"math/bits"
)

// Codes are looked up by so many bits. Those of more bits have a table of their own behind the first, for all that
// begin alike.
const (
	literalBits  = 11
	distanceBits = 8
	lengthBits   = 7 // no code of lengths has more
)

// The most entries that complete codes of 288 and 32 symbols and 15 bits take.
const (
	literalEntries  = 2342
	distanceEntries = 402
)

const (
	maxBits    = 15
	endOfBlock = 256
)

// entry is what to do for a code: the number of its bits and of those that belong to it, in the lowest byte; in four
// bits more the number of the code's bits alone; flags; and from bit 16 on a byte of text, what to add to the
// further bits, or where another table begins, which is for as many bits as the four say.
type entry uint32

const (
	isText    entry = 1 << 15
	isSpecial entry = 1 << 14 // another table, the end of the block, or no code at all
	isTable   entry = 1 << 13
	noCode    entry = isSpecial | 1<<16
)

// codes are what the symbols of a block stand for.
type codes struct {
	literals  [literalEntries]entry
	distances [distanceEntries]entry
}

// lengthOrder is in which order the lengths of the code of lengths come.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// Entries of symbols, without the bits of their codes.
var (
	literalSymbols  [288]entry
	distanceSymbols [32]entry
	lengthSymbols   [19]entry
)

func init() {
	for k := range literalSymbols {
		literalSymbols[k] = entry(k)<<16 | isText
	}
	literalSymbols[endOfBlock] = isSpecial
	base := 3
	for k := range 28 {
		extra := max(k/4-1, 0)
		literalSymbols[257+k] = entry(base)<<16 | entry(extra)
		base += 1 << extra
	}
	literalSymbols[285] = 258 << 16
	literalSymbols[286], literalSymbols[287] = noCode, noCode
	base = 1
	for k := range 30 {
		extra := max(k/2-1, 0)
		distanceSymbols[k] = entry(base)<<16 | entry(extra)
		base += 1 << extra
	}
	distanceSymbols[30], distanceSymbols[31] = noCode, noCode
	for k := range lengthSymbols {
		lengthSymbols[k] = entry(k) << 16
	}
}

// fixed makes the codes of blocks that say nothing of them.
func (c *codes) fixed() error {
	var lengths [288 + 32]uint8
	for k := range lengths {
		switch {
		case k < 144:
			lengths[k] = 8
		case k < 256:
			lengths[k] = 9
		case k < 280:
			lengths[k] = 7
		case k < 288:
			lengths[k] = 8
		default:
			lengths[k] = 5
		}
	}
	return c.make(lengths[:288], lengths[288:])
}

func (c *codes) make(literals, distances []uint8) error {
	if makeTable(c.literals[:], literalBits, literals, literalSymbols[:]) &&
		makeTable(c.distances[:], distanceBits, distances, distanceSymbols[:]) {
		return nil
	}
	return errCorrupt
}

// dynamic reads the codes of a block: the lengths of their codes, in a code of their own.
func (r *Reader) dynamic() error {
	literals, _ := r.take(5)
	distances, _ := r.take(5)
	of, err := r.take(4)
	if err != nil {
		return err
	}
	literals, distances = literals+257, distances+1
	if literals > 286 || distances > 30 {
		return errCorrupt
	}
	var own [19]uint8
	for _, k := range lengthOrder[:of+4] {
		length, err := r.take(3)
		if err != nil {
			return err
		}
		own[k] = uint8(length)
	}
	var table [1 << lengthBits]entry
	if !makeTable(table[:], lengthBits, own[:], lengthSymbols[:]) {
		return errCorrupt
	}
	var lengths [286 + 30]uint8
	for k := uint(0); k < literals+distances; {
		symbol, err := r.lengthSymbol(&table)
		if err != nil {
			return err
		}
		if symbol < 16 {
			lengths[k] = uint8(symbol)
			k++
			continue
		}
		var repeated uint8
		least, extra := uint(3), uint(2) // of 16
		switch {
		case symbol == 17:
			extra = 3
		case symbol == 18:
			least, extra = 11, 7
		case k == 0:
			return errCorrupt
		default:
			repeated = lengths[k-1]
		}
		times, err := r.take(extra)
		if err != nil {
			return err
		}
		if times += least; k+times > literals+distances {
			return errCorrupt
		}
		for range times {
			lengths[k] = repeated
			k++
		}
	}
	if lengths[endOfBlock] == 0 {
		return errCorrupt
	}
	return r.codes.make(lengths[:literals], lengths[literals:literals+distances])
}

// lengthSymbol reads a symbol of the code of lengths.
func (r *Reader) lengthSymbol(table *[1 << lengthBits]entry) (symbol uint, err error) {
	r.fill(lengthBits)
	e := table[r.bits%(1<<lengthBits)]
	if e&isSpecial != 0 {
		return 0, errCorrupt
	}
	_, err = r.take(uint(e & 0xff))
	return uint(e >> 16), err
}

// makeTable makes the table of a code, given how many bits each symbol has. It reports whether there is such a code:
// one whose symbols take up all of it, or a single symbol of one bit, or none.
func makeTable(table []entry, tableBits int, lengths []uint8, symbols []entry) bool {
	var counts, ends [maxBits + 1]int
	for _, length := range lengths {
		counts[length]++
	}
	counts[0] = 0
	used, total := 0, 0
	for length := 1; length <= maxBits; length++ {
		used = used<<1 + counts[length]
		ends[length] = total
		if total += counts[length]; used > 1<<length {
			return false
		}
	}
	var sorted [288]uint16 // symbols, by length
	for symbol, length := range lengths {
		if length > 0 {
			sorted[ends[length]] = uint16(symbol)
			ends[length]++
		}
	}
	if used != 1<<maxBits {
		if total > 1 || total == 1 && counts[1] == 0 {
			return false
		}
		for k := range 1 << tableBits {
			table[k] = noCode
		}
	}
	code := 0 // its first bit is the lowest
	length, left := 0, 0
	begin, end := 0, 1<<tableBits // of the table at hand
	prefix := -1
	for _, symbol := range sorted[:total] {
		for left == 0 {
			length++
			left = counts[length]
		}
		own := length
		if length > tableBits {
			own -= tableBits
			if first := code & (1<<tableBits - 1); first != prefix {
				prefix, begin = first, end
				size := own
				for codes := left; codes < 1<<size; {
					size++
					codes = codes<<1 + counts[tableBits+size]
				}
				end = begin + 1<<size
				table[prefix] = entry(begin)<<16 | isSpecial | isTable | entry(size)<<8 | entry(tableBits)
			}
		}
		e := symbols[symbol] + entry(own)<<8 + entry(own)
		for k := begin + code>>(length-own); k < end; k += 1 << own {
			table[k] = e
		}
		left--
		// The next code of as many bits: one more, the lowest bit last.
		if low := code ^ (1<<length - 1); low != 0 {
			bit := 1 << (bits.Len(uint(low)) - 1)
			code = code&(bit-1) | bit
		}
	}
	return true
}

// turns decodes symbols while a turn's input is in front of end, until text reaches as far as a place.
func (r *Reader) turns(end, until int) (err error) {
	in, out, literals, distances := r.in[:end], r.out, &r.codes.literals, &r.codes.distances
	pos, bits, n, at := r.pos, r.bits, r.n, r.write
	for last := end - ahead; pos <= last && at < until; {
		// As many bytes as there is room for; the bits of the next one may be there, too.
		bits |= binary.LittleEndian.Uint64(in[pos:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		e := literals[bits%(1<<literalBits)]
		if e&isText != 0 {
			out[at] = byte(e >> 16)
			at++
			bits >>= e & 63
			n -= uint(e & 0xff)
			if e = literals[bits%(1<<literalBits)]; e&isText != 0 {
				out[at] = byte(e >> 16)
				at++
				bits >>= e & 63
				n -= uint(e & 0xff)
				if e = literals[bits%(1<<literalBits)]; e&isText != 0 {
					out[at] = byte(e >> 16)
					at++
					bits >>= e & 63
					n -= uint(e & 0xff)
					continue
				}
			}
		}
		if e&isSpecial != 0 {
			if e&isTable != 0 {
				bits >>= literalBits
				n -= literalBits
				e = literals[uint64(e>>16)+bits&(1<<(e>>8&15)-1)]
			}
			if e&(isText|isSpecial) != 0 {
				bits >>= e & 63
				n -= uint(e & 0xff)
				if e&isText != 0 {
					out[at] = byte(e >> 16)
					at++
					continue
				}
				if r.endBlock(); e >= noCode {
					err = errCorrupt
				}
				break
			}
		}
		length := int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		n -= uint(e & 0xff)

		bits |= binary.LittleEndian.Uint64(in[pos:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		e = distances[bits%(1<<distanceBits)]
		if e&isSpecial != 0 {
			if e&isTable != 0 {
				bits >>= distanceBits
				n -= distanceBits
				e = distances[uint64(e>>16)+bits&(1<<(e>>8&15)-1)]
			}
			if e&isSpecial != 0 {
				err = errCorrupt
				break
			}
		}
		distance := int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&15))
		bits >>= e & 63
		n -= uint(e & 0xff)

		from := at - distance
		if from < r.begin {
			err = errCorrupt
			break
		}
		switch {
		case distance >= 8 && length <= 16:
			to := out[at : at+16]
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(out[from:]))
			binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(out[from+8:]))
		case distance >= 8:
			to := out[at : at+length+8]
			for k := 0; k < length; k += 8 {
				binary.LittleEndian.PutUint64(to[k:], binary.LittleEndian.Uint64(out[from+k:]))
			}
		default:
			for k := range length {
				out[at+k] = out[from+k]
			}
		}
		at += length
	}
	r.pos, r.bits, r.n, r.write = pos, bits&(1<<n-1), n, at
	return err
}
