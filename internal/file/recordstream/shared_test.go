package recordstream

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"testing"
)

// both is memory as both sides have it, in one process; the test is skipped where there is none.
func both(t *testing.T) (*Shared, *Slots) {
	t.Helper()
	shared, err := Share()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("processes share no memory on this system")
	}
	if err != nil {
		t.Fatal(err)
	}
	memory, err := mapShared(shared.file, slots*slotSize)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		shared.Close()
		shared.Handed()
		unmap(memory)
	})
	return shared, newSlots(memory)
}

// room is new memory for a frame, as a reader takes it.
func room(n int) []byte { return make([]byte, n) }

// TestSlots: blocks come back in order, those that fit in shared memory, and others through the pipe.
func TestSlots(t *testing.T) {
	shared, of := both(t)
	var pipe, freed bytes.Buffer
	r := NewReader(bufio.NewReader(&pipe), shared, &freed)
	var want []byte
	const most = slotSize - FrameHeader
	for i, n := range []int{0, 1, 1000, most, most + 1, 3 * slotSize, 5, 6, 7, 8, 9, 10} {
		payload := bytes.Repeat([]byte{byte('a' + i)}, n)
		frame := append(of.Room()[:FrameHeader], payload...)
		if err := of.WriteBlock(&pipe, frame); err != nil {
			t.Fatal(err)
		}
		inPipe := pipe.Len()
		fits := FrameHeader+n <= slotSize
		if fits != (inPipe == FrameHeader+slotPayload) {
			t.Errorf("%d bytes: %d of them in the pipe", n, inPipe)
		} else if fits {
			want = append(want, byte(len(want)%slots))
		}
		is, got, err := r.Frame(room)
		if is != Block || err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("%d bytes come back as %q of %d bytes, %v", n, is, len(got), err)
		}
		if fits {
			of.Free(freed.Bytes()[freed.Len()-1])
		}
	}
	if !bytes.Equal(freed.Bytes(), want) {
		t.Errorf("freed are %v, want %v", freed.Bytes(), want)
	}
	if err := of.WriteBlock(&pipe, make([]byte, FrameHeader+3)); err != nil || pipe.Len() != FrameHeader+3 {
		t.Errorf("memory of its own: %d bytes in the pipe, %v", pipe.Len(), err)
	}
}

// TestRoom: who writes waits until a slot is free, and no more are free than there are.
func TestRoom(t *testing.T) {
	_, of := both(t)
	for range slots {
		if err := of.WriteBlock(io.Discard, of.Room()[:FrameHeader]); err != nil {
			t.Fatal(err)
		}
	}
	if len(of.free) != 0 {
		t.Fatalf("%d slots are free", len(of.free))
	}
	of.Free(2)
	of.Free(slots)
	if got := len(of.Room()); got != 0 || of.current != 2 {
		t.Errorf("slot %d with %d bytes, want 2 and none", of.current, got)
	}
	for range slots + 1 {
		of.Free(1)
	}
	if len(of.free) != slots {
		t.Errorf("%d slots are free, want %d", len(of.free), slots)
	}
}

// TestSlotDamage: places that are none, and memory that is closed, are errors.
func TestSlotDamage(t *testing.T) {
	shared, _ := both(t)
	frame := func(number, length uint32) error {
		var pipe, freed bytes.Buffer
		of := make([]byte, FrameHeader)
		of = binary.LittleEndian.AppendUint32(of, number)
		of = binary.LittleEndian.AppendUint32(of, length)
		if err := WriteFrame(&pipe, slot, of); err != nil {
			t.Fatal(err)
		}
		_, _, err := NewReader(bufio.NewReader(&pipe), shared, &freed).Frame(room)
		return err
	}
	for _, test := range []struct {
		number, length uint32
		ok             bool
	}{
		{0, 0, true},
		{slots - 1, slotSize - FrameHeader, true},
		{slots, 0, false},
		{1<<32 - 1, 1, false},
		{0, slotSize - FrameHeader + 1, false},
		{slots - 1, 1<<32 - 1, false},
	} {
		if err := frame(test.number, test.length); (err == nil) != test.ok {
			t.Errorf("%d bytes of slot %d: %v", test.length, test.number, err)
		}
	}
	shared.Close()
	shared.Close()
	if err := frame(0, 1); err != io.ErrUnexpectedEOF {
		t.Errorf("closed memory: %v", err)
	}
}

// TestSealed: who writes can't take the memory away, and what is no shared memory is not written to.
func TestSealed(t *testing.T) {
	shared, _ := both(t)
	if err := shared.file.Truncate(1); err == nil {
		t.Error("the memory could be truncated")
	}
	other, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Truncate(slots * slotSize); err != nil {
		t.Fatal(err)
	}
	if memory, err := mapShared(other, slots*slotSize); err == nil {
		unmap(memory)
		t.Error("a file was mapped to be written to")
	}
}
