//go:build !linux

package recordstream

import (
	"errors"
	"os"
)

func share(int) (*os.File, []byte, error) { return nil, nil, errors.ErrUnsupported }

func mapShared(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) {}
