package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// remedy is what to do about an error that does not say so itself: a bad record, or what the operating system refuses
// in words that end the message. It is empty for other errors.
func remedy(err error) string {
	if record, bad := errors.AsType[*corpus.RecordError](err); bad {
		switch leave := "--on-bad skip leaves such records out"; {
		case strings.Contains(record.Err.Error(), leave):
			return ""
		case record.Offset > 0:
			return "; " + leave
		case strings.Contains(record.Err.Error(), "--"): // the name of a flag
			return ""
		}
		return "; mend it, or read the file otherwise: --format, --text-field, --label-field, --weight-field"
	}
	refused, is := errors.AsType[syscall.Errno](err)
	if !is || !strings.HasSuffix(err.Error(), refused.Error()) {
		return ""
	}
	switch {
	case errors.Is(refused, fs.ErrNotExist):
		return "; check its name, and the folder from which it is named"
	case errors.Is(refused, fs.ErrPermission):
		return "; change its permissions, or name another file"
	case refused == syscall.ENOTDIR:
		return ": a file stands where a folder belongs; take another path"
	case refused == syscall.ENAMETOOLONG:
		return "; take a shorter name"
	case refused == syscall.ENOSPC:
		return "; make room there, or write elsewhere"
	case refused == syscall.EROFS:
		return "; write elsewhere"
	}
	return ""
}

// pathFirst is the text of an error, with the path of a file in front of what is wrong with it, and without the call
// of the operating system that said so.
func pathFirst(err error) string {
	text := err.Error()
	if refused, is := errors.AsType[*fs.PathError](err); is {
		text = strings.Replace(text, refused.Error(), refused.Path+": "+refused.Err.Error(), 1)
	}
	return text
}
