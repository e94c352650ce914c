// Command lib is the C library behind the Python package. It is built with -buildmode=c-shared.
//
// A function that can fail returns null or a message, which the caller frees with nbsvm_free. The first character of a
// message is the kind of error, see kindOf. Memory that is passed in belongs to the caller and must stay valid until
// the call returns, or until the job that the call started is done. Nothing here ends the process: panics become
// errors.
package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/cgo"
	"runtime/debug"
	"syscall"
	"unsafe"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/tag"
)

func main() {}

// kindOf returns the kind of an error: O for an error of the system, followed by its number, the length of the path,
// and the path; C for a cancelled job; V for a wrong input.
func kindOf(err error) string {
	var path *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return "C"
	case errors.As(err, &path):
		var number syscall.Errno
		errors.As(path.Err, &number)
		return fmt.Sprintf("O%d %d %s", uint(number), len(path.Path), path.Path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("O%d 0 ", uint(syscall.ENOENT))
	}
	return "V"
}

// message returns an error in the form in which functions return it. A panic has the kind P.
func message(fn func() error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("Pnbsvm: %v; this is a fault of nbsvm; please report it with these lines\n%s", r,
				debug.Stack())
		}
	}()
	if err := fn(); err != nil {
		kind := kindOf(err)
		if kind == "V" {
			return "Vnbsvm: " + facts.Plain(err.Error())
		}
		return kind + err.Error()
	}
	return ""
}

// try is message for C.
func try(fn func() error) *C.char {
	if text := message(fn); text != "" {
		return C.CString(text)
	}
	return nil
}

// reply passes bytes to the caller, who frees them.
func reply(data []byte, out **C.char, size *C.size_t) {
	*out, *size = (*C.char)(C.CBytes(data)), C.size_t(len(data))
}

// replyJSON is reply for a value.
func replyJSON(value any, out **C.char, size *C.size_t) error {
	data, err := json.Marshal(value)
	if err == nil {
		reply(data, out, size)
	}
	return err
}

// view returns memory of the caller.
func view[T any](first unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(first), n) }

// views returns texts of the caller.
func views(texts *C.nbsvm_texts) ([][]byte, error) {
	starts := view[*byte](unsafe.Pointer(texts.starts), int(texts.count))
	list := make([][]byte, texts.count)
	for k, size := range view[int64](unsafe.Pointer(texts.sizes), int(texts.count)) {
		if size < 0 || size > 0 && starts[k] == nil {
			return nil, fmt.Errorf("nbsvm: text %d has %d bytes at %p", k+1, size, starts[k])
		}
		list[k] = unsafe.Slice(starts[k], size)
	}
	return list, nil
}

func classifierOf(handle C.uintptr_t) *nbsvm.Classifier {
	return cgo.Handle(handle).Value().(*nbsvm.Classifier)
}

//export nbsvm_version
func nbsvm_version() *C.char { return C.CString(nbsvm.Version) }

//export nbsvm_free
func nbsvm_free(memory unsafe.Pointer) { C.free(memory) }

// The kinds of models. A file of fastText holds a classifier; opened as such, it tells of words and their vectors.
const (
	tagger       = 1
	fastTextFile = 2
)

// nbsvm_open opens a model file of a kind; 0 is a classifier.
//
//export nbsvm_open
func nbsvm_open(path *C.char, kind C.int32_t, out *C.uintptr_t) *C.char {
	return open(out, func() (model, error) {
		switch kind {
		case tagger:
			return tag.Open(C.GoString(path))
		case fastTextFile:
			return fasttext.OpenFile(C.GoString(path))
		}
		return nbsvm.Open(C.GoString(path))
	})
}

// nbsvm_open_bytes opens a model in memory, which must not change until nbsvm_close.
//
//export nbsvm_open_bytes
func nbsvm_open_bytes(data unsafe.Pointer, size C.size_t, kind C.int32_t, out *C.uintptr_t) *C.char {
	return open(out, func() (model, error) {
		if kind == tagger {
			return tag.OpenBytes(view[byte](data, int(size)))
		}
		return nbsvm.OpenBytes(view[byte](data, int(size)))
	})
}

func open(out *C.uintptr_t, with func() (model, error)) *C.char {
	return try(func() error {
		m, err := with()
		if err == nil {
			*out = C.uintptr_t(cgo.NewHandle(m))
		}
		return err
	})
}

// modelOf returns a model of any kind: an [nbsvm.Classifier], a [tag.Model] or a [fasttext.File].
func modelOf(handle C.uintptr_t) model { return cgo.Handle(handle).Value().(model) }

type model interface {
	io.Closer
	io.WriterTo
	Save(path string) error
}

// nbsvm_close frees a model that nothing uses any more.
//
//export nbsvm_close
func nbsvm_close(handle C.uintptr_t) *C.char {
	return try(func() error {
		m := modelOf(handle)
		cgo.Handle(handle).Delete()
		return m.Close()
	})
}

//export nbsvm_save
func nbsvm_save(handle C.uintptr_t, path *C.char) *C.char {
	return try(func() error { return modelOf(handle).Save(C.GoString(path)) })
}

// nbsvm_bytes returns the bytes of the model file.
//
//export nbsvm_bytes
func nbsvm_bytes(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		var data bytes.Buffer
		if _, err := modelOf(handle).WriteTo(&data); err != nil {
			return err
		}
		reply(data.Bytes(), out, size)
		return nil
	})
}
