//go:build !amd64 || purego

package probe

// hasAVX2 and hasAVX512 say what the CPU has.
const hasAVX2, hasAVX512 = false, false

// The assembly of other builds gets nothing done here.

func readStreamAVX2([]uint64) (sum uint64, done int)                    { return 0, 0 }
func readStreamAVX512([]uint64) (sum uint64, done int)                  { return 0, 0 }
func readRandom([]uint64, []uint32) (sum uint64, done int)              { return 0, 0 }
func readRandomPrefetch([]uint64, []uint32, int) (sum uint64, done int) { return 0, 0 }
func readGather([]uint64, []uint32) (sum uint64, done int)              { return 0, 0 }
func modifyRandom([]uint64, []uint32) (done int)                        { return 0 }
func modifyRandomPrefetch([]uint64, []uint32, int) (done int)           { return 0 }
