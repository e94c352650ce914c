//go:build !linux

package mem

import "os"

// InFiles tells whether MakeInFile leaves tables in their files.
const InFiles = false

// mapForWriting has nothing to offer: few systems can take room on the disk without writing to all of it.
func mapForWriting(*os.File, int) (memory []byte, free func(), err error) { return nil, nil, nil }
