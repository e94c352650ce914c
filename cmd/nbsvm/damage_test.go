package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

func pressed(kind string, data []byte) ([]byte, error) {
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if kind == "zstd" {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			return nil, err
		}
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// cmdCompress is "compress gzip|zstd FILE OUT".
func cmdCompress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: compress gzip|zstd FILE OUT")
	}
	data, err := pressed(args[0], []byte(ts.ReadFile(args[1])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data, 0o666))
}

// cmdBytes is "bytes FILE HEX...": the file gets these bytes appended.
func cmdBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: bytes FILE HEX...")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	ts.Check(err)
	for _, text := range args[1:] {
		data, err := hex.DecodeString(text)
		ts.Check(err)
		_, err = f.Write(data)
		ts.Check(err)
	}
	ts.Check(f.Close())
}

// edit is "COMMAND FILE OUT NUMBER": out becomes what f makes of the file.
func edit(ts *testscript.TestScript, neg bool, args []string, f func(data []byte, n int) []byte) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: COMMAND FILE OUT NUMBER")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), f([]byte(ts.ReadFile(args[0])), n), 0o666))
}

// cmdCut is "cut FILE OUT N": N bytes at the end are gone.
func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	edit(ts, neg, args, func(data []byte, n int) []byte { return data[:len(data)-n] })
}

// cmdFlip is "flip FILE OUT N": the lowest bit of byte N is another.
func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	edit(ts, neg, args, func(data []byte, n int) []byte { data[n] ^= 1; return data })
}

// cmdPatch is "patch FILE OUT N": byte 8, where a model's version is, becomes N.
func cmdPatch(ts *testscript.TestScript, neg bool, args []string) {
	edit(ts, neg, args, func(data []byte, n int) []byte { data[8] = byte(n); return data })
}
