package osfile

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestAdd holds views of memory against bytes put together one by one.
func TestAdd(t *testing.T) {
	floats := make([]float32, 10_000)
	for i := range floats {
		floats[i] = float32(i) / 7
	}
	same(t, floats)
	same(t, []bool{true, false, true})
	same(t, []int64{-1, 1 << 40})
	same(t, []float64{})
	if AddChecksum(AddChecksum(0, []uint8{1}), []uint8{2, 3}) == AddChecksum(AddChecksum(0, []uint8{1, 2}), []uint8{3}) {
		t.Error("where one slice ends and the next begins makes no difference")
	}
}

func same[T mem.Number](t *testing.T, s []T) {
	t.Helper()
	b, err := binary.Append(binary.LittleEndian.AppendUint64(nil, uint64(len(s))), binary.LittleEndian, s)
	must.OK(t, err)
	want := crc32.Checksum(b, Castagnoli)
	if got := AddChecksum(0, s); got != want {
		t.Errorf("%T of %d: %08x, want %08x", s, len(s), got, want)
	}
	mem.Copying(func() {
		if got := AddChecksum(0, s); got != want {
			t.Errorf("%T of %d, on a machine of the other byte order: %08x, want %08x", s, len(s), got, want)
		}
	})
}
