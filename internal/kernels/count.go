package kernels

import "fmt"

// CountLine is a line of the cache in a table of [CountKeys]: eight keys, one more than they are and 0 for none, and
// what is known of each: its number, above how often it was counted. Keys lie apart from counts because a CPU can't
// hand a count that it has just written to a load of a whole line.
type CountLine struct {
	Keys   [countLanes]uint32
	Counts [countLanes]uint32
}

// The parts of a count.
const (
	CountBits  = 9
	NumberBits = 32 - CountBits

	// CountKeyBits is how many bits a key has, and OwnerBits the owner of a query.
	CountKeyBits = 29
	OwnerBits    = 11

	countLanes = 8
	fullCount  = 1<<CountBits - 1
)

// LineOfKey returns in which of so many lines the search for a key begins. It depends on an odd secret (multiply-shift
// hashing; Dietzfelbinger et al. 1997).
func LineOfKey(key uint32, secret uint64, lines int) uint32 {
	return uint32(uint64(key) << (64 - CountKeyBits) * secret >> 32 * uint64(lines) >> 32)
}

// KeyOfQuery returns the key of a query of [CountKeys].
func KeyOfQuery(query uint64) uint32 { return uint32(query << OwnerBits >> (64 - CountKeyBits)) }

// CountKeys counts the keys of queries in a table. A key that is not there gets the next number, beginning with next,
// and the first empty place from [LineOfKey] on. A query has an owner at its top, then the key, and zeros. In place of
// it comes the number of its key, above 32 bits for the owner.
//
// It ends when all queries are done, or at one whose count is now as large as it can be, that of key full%8 in line
// full/8; else full is -1. It returns how many are done and the next number. The table must have an empty place for
// every query whose key is not there.
func CountKeys(table []CountLine, queries []uint64, secret uint64, next uint32) (after uint32, done, full int) {
	if len(table) == 0 && len(queries) > 0 || uint64(len(table)) >= 1<<32 {
		panic(fmt.Sprintf("kernels: a table of %d lines", len(table)))
	}
	if int(next)+len(queries) > 1<<NumberBits {
		panic(fmt.Sprintf("kernels: %d numbers from %d on", len(queries), next))
	}
	if onAMD64 && useVectors && len(queries) > 0 {
		return countKeysVector(table, queries, secret, next)
	}
	for i, query := range queries {
		key := KeyOfQuery(query)
		l, lane := FindKey(table, key, secret)
		count := &table[l].Counts[lane]
		if table[l].Keys[lane] == 0 {
			table[l].Keys[lane], *count = key+1, next<<CountBits
			next++
		}
		*count++
		queries[i] = uint64(*count>>CountBits)<<32 | query>>(64-OwnerBits)
		if *count&fullCount == fullCount {
			return next, i + 1, l*countLanes + lane
		}
	}
	return next, len(queries), -1
}

// FindKey returns where a key is in a table of [CountKeys], or the empty place that it would get. There must be one.
func FindKey(table []CountLine, key uint32, secret uint64) (line, lane int) {
	for l := int(LineOfKey(key, secret, len(table))); ; l++ {
		if l == len(table) {
			l = 0
		}
		for lane, k := range &table[l].Keys {
			if k == key+1 || k == 0 {
				return l, lane
			}
		}
	}
}
