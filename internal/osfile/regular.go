package osfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is that a file is none. All errors of [OpenRegular] about what it is instead are this one, for
// errors.Is.
var ErrNotRegular = errors.New("not a regular file")

// other is what a file is instead, and the remedy.
type other string

func (o other) Error() string      { return string(o) }
func (other) Is(target error) bool { return target == ErrNotRegular }

// OpenRegular opens a regular file for reading. It refuses others without waiting for them: a named pipe, a device or a
// socket would be waited for, or would never end.
func OpenRegular(path string) (*os.File, error) {
	if err := CheckRegular(path); err != nil { // to open a device may change it
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil { // something else may have got the name meanwhile
		err = check(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckRegular refuses what OpenRegular refuses, without opening it.
func CheckRegular(path string) error {
	if path == "" {
		return fmt.Errorf("the file name is empty: %w", fs.ErrNotExist)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return check(path, info)
}

// check refuses what is no regular file.
func check(path string, info fs.FileInfo) error {
	is := other("is a device or a socket, not a regular file: name a file")
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		is = "is a folder: give the name of a file"
	case mode&fs.ModeNamedPipe != 0:
		is = "is a named pipe, not a regular file: save what comes out of it to a file, and name that"
	}
	return fmt.Errorf("%s %w", path, is)
}

// ReadRegular returns what a regular file holds, which may have so many bytes.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than the %d bytes that such a file may have: it is another file", path, most)
	}
	return data, err
}

// IsFolder reports whether a path is that of a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ReadHead returns how a file begins, 512 bytes or fewer. What is missing, or no regular file, begins with nothing:
// whoever opens it for its content says so.
func ReadHead(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotRegular):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 512)
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:n], err
}
