//go:build !unix && !windows

package mmap

import (
	"errors"
	"os"
)

// mapFile always fails, so that Open reads.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func willNeed([]byte) {}
func dontNeed([]byte) {}
