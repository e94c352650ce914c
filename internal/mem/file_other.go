//go:build !linux

package mem

import "os"

// mapForWriting has nothing to offer: few systems can take room on the disk without writing to all of it.
func mapForWriting(*os.File, int) (memory []byte, free func(), err error) { return nil, nil, nil }
