package recordstream

import (
	"encoding/binary"
	"io"
	"os"
	"sync"
	"unsafe"
)

// BlockBytes is about how long a block should be. Blocks of 256 KiB stay in a core's cache from where they are made
// to where their texts are scored; of 1 MiB, to walk from text to text takes four times as long.
const BlockBytes = 1 << 18

// Memory for blocks that both processes share, which costs less than a pipe: a pipe's bytes are copied to memory
// of the system and from there, in pages that are made and given back. A block that is too long for a slot comes
// through the pipe.
const (
	slots       = 4
	slotSize    = BlockBytes + BlockBytes/4
	slotPayload = 8
)

// sharedVariable is set to 1 for a process that has shared memory as the first file behind the standard ones. It is no
// flag: a program of another version ignores it, and is told by how its stream begins.
const sharedVariable, sharedFile = "NBSVM_PARQUET_SHARED", 3

// Shared is memory that a program puts blocks into, as who reads them has it.
type Shared struct {
	file   *os.File
	mu     sync.Mutex
	memory []byte // nil when it is closed
}

// Share makes memory to be shared. Not every system offers that.
func Share() (*Shared, error) {
	file, memory, err := share(slots * slotSize)
	if err != nil {
		return nil, err
	}
	return &Shared{file: file, memory: memory}, nil
}

// Hand gives the files and variables of a process to be started what it takes to share the memory.
func (s *Shared) Hand(files *[]*os.File, variables *[]string) {
	*files = append([]*os.File{s.file}, *files...)
	*variables = append(*variables, sharedVariable+"=1")
}

// Handed says that the process was started, or that it will not be.
func (s *Shared) Handed() { _ = s.file.Close() } // which was not written to

// copy fills dst from a place on, unless the memory is closed.
func (s *Shared) copy(dst []byte, at int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory != nil && copy(dst, s.memory[at:]) == len(dst)
}

// Close gives the memory back. It may be called again, and of nil.
func (s *Shared) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory != nil {
		unmap(s.memory)
		s.memory = nil
	}
}

// Slots are shared memory, as the program has it that puts blocks there.
type Slots struct {
	memory  []byte
	free    chan int
	current int // the slot that the next block may have; -1 if that is still to be found
}

// OpenSlots are the slots that the process was started with; nil if there are none.
func OpenSlots() *Slots {
	if os.Getenv(sharedVariable) != "1" {
		return nil
	}
	file := os.NewFile(sharedFile, "shared memory")
	if file == nil {
		return nil
	}
	defer file.Close()
	memory, err := mapShared(file, slots*slotSize)
	if err != nil {
		return nil
	}
	return newSlots(memory)
}

func newSlots(memory []byte) *Slots {
	s := &Slots{memory: memory, free: make(chan int, slots), current: -1}
	for i := range slots {
		s.free <- i
	}
	return s
}

// Free says that a slot's block was read. The receiver may be nil.
func (s *Slots) Free(slot byte) {
	if s != nil && slot < slots {
		select {
		case s.free <- int(slot):
		default: // it was free
		}
	}
}

// Room is memory for the next frame, of which it may grow out. It waits until a slot is free.
func (s *Slots) Room() []byte {
	if s.current < 0 {
		s.current = <-s.free
	}
	at := s.current * slotSize
	return s.memory[at : at : at+slotSize]
}

// WriteBlock writes a block, whose payload begins behind the first FrameHeader bytes of frame: if these are Room's, no
// more than where it is. The receiver may be nil.
func (s *Slots) WriteBlock(w io.Writer, frame []byte) error {
	if s == nil || s.current < 0 || unsafe.SliceData(frame) != unsafe.SliceData(s.Room()) {
		return WriteFrame(w, Block, frame)
	}
	var of [FrameHeader + slotPayload]byte
	binary.LittleEndian.PutUint32(of[FrameHeader:], uint32(s.current))
	binary.LittleEndian.PutUint32(of[FrameHeader+4:], uint32(len(frame)-FrameHeader))
	s.current = -1
	return WriteFrame(w, slot, of[:])
}
