// Package probe touches memory in the ways that package kernels does, and as fast as the
// CPU can, so that benchmarks can tell how far a kernel is from that. Where there is
// assembly, it stops short of the end, or of an id outside the table, and the Go loop does
// the rest.
package probe

//go:generate go -C ../../../internal/kernels/_asm run ./probe -out ../../../bench/internal/probe/probe_amd64.s -stubs ../../../bench/internal/probe/probe_amd64.go -pkg probe

// Assembled says whether probes can prefetch here, and [ReadGather] is another way than [ReadRandom].
func Assembled() bool { return hasAVX2 }

// ReadStream returns the sum of p, which it reads from its beginning to its end.
func ReadStream(p []uint64) (sum uint64) {
	done := 0
	switch {
	case hasAVX512:
		sum, done = readStreamAVX512(p)
	case hasAVX2:
		sum, done = readStreamAVX2(p)
	}
	for _, v := range p[done:] {
		sum += v
	}
	return sum
}

// ReadRandom returns Σ table[idx[k]], an entry at a time. With ahead above 0 it
// prefetches table[idx[k+ahead]] before it reads table[idx[k]].
func ReadRandom(table []uint64, idx []uint32, ahead int) (sum uint64) {
	if !reachable(table) {
		return readRest(table, idx)
	}
	if ahead > 0 {
		s, done := readRandomPrefetch(table, idx, ahead)
		sum, idx = s, idx[done:]
	}
	s, done := readRandom(table, idx)
	return sum + s + readRest(table, idx[done:])
}

// ReadGather returns Σ table[idx[k]], with the CPU's instruction for that where
// [Assembled].
func ReadGather(table []uint64, idx []uint32) uint64 {
	if !reachable(table) {
		return readRest(table, idx)
	}
	sum, done := readGather(table, idx)
	return sum + readRest(table, idx[done:])
}

func readRest(table []uint64, idx []uint32) (sum uint64) {
	for _, j := range idx {
		sum += table[j]
	}
	return sum
}

// ModifyRandom adds 1 to table[idx[k]] for every k. With ahead above 0 it
// prefetches table[idx[k+ahead]] before that.
func ModifyRandom(table []uint64, idx []uint32, ahead int) {
	if reachable(table) {
		if ahead > 0 {
			idx = idx[modifyRandomPrefetch(table, idx, ahead):]
		}
		idx = idx[modifyRandom(table, idx):]
	}
	for _, j := range idx {
		table[j]++
	}
}

// reachable says whether assembly can access the table at random: it compares ids
// with the last, and gathers take them for signed numbers.
func reachable(table []uint64) bool {
	return hasAVX2 && len(table) > 0 && uint64(len(table)) <= 1<<31
}
