//go:build unix && !linux

package arena

import "os"

// reserve writes zeros, which takes the room.
func reserve(f *os.File, size int) error {
	zeros := make([]byte, 1<<20)
	for at := 0; at < size; at += len(zeros) {
		if _, err := f.WriteAt(zeros[:min(len(zeros), size-at)], int64(at)); err != nil {
			return err
		}
	}
	return nil
}
