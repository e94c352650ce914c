package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

var errOther = errors.New("not a file of tests")

var format = &Format{
	Name: "test", Magic: "\x89TESTS\r\n", Version: 1, Other: errOther, Maker: "go test", Again: "test again",
}

// sections are those of the sample.
var sections = []struct {
	name     string
	optional bool
	data     string
}{{"EMPTY", false, ""}, {"ONE", true, "x"}, {"LINE", false, strings.Repeat("y", 64)}, {"12345678", false, strings.Repeat("z", 100)}}

func sample(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := format.NewWriter(&b)
	for _, s := range sections {
		w.Begin(s.name, s.optional)
		for _, c := range s.data {
			_, err := w.Write([]byte(string(c)))
			must.OK(t, err)
		}
	}
	must.OK(t, w.Close())
	if w.Written() != int64(b.Len()) {
		t.Errorf("%d bytes are said to be written, not %d", w.Written(), b.Len())
	}
	return b.Bytes()
}

// read reads a file and checks all of it.
func read(data []byte) (*Table, error) {
	table, bad := format.Read(data)
	if bad == nil {
		bad = format.CheckAll(table, data)
	}
	if bad != nil {
		return table, bad
	}
	return table, nil
}

func TestRoundTrip(t *testing.T) {
	data := sample(t)
	table, err := read(data)
	must.OK(t, err)
	for i, want := range sections {
		s := table.Sections[i]
		if s.Name != want.name || s.Optional != want.optional || string(s.Bytes(data)) != want.data || s.Offset%64 != 0 || !s.OK {
			t.Errorf("section %+v, want %+v", s, want)
		}
	}
	if table.Find("NONE") != nil || table.Find("ONE") != &table.Sections[1] {
		t.Error("Find returns another section")
	}
	var b bytes.Buffer
	must.OK(t, format.NewWriter(&b).Close())
	if table, err := read(b.Bytes()); err != nil || len(table.Sections) != 0 {
		t.Errorf("no sections: %+v, %v", table, err)
	}
}

// TestEveryTruncation: no beginning of a file is one, and neither is a file with more behind it.
func TestEveryTruncation(t *testing.T) {
	must.SkipUnderRace(t)
	data := sample(t)
	for n := range data {
		want := ErrTruncated
		if n == 0 {
			want = errOther
		}
		if _, err := read(data[:n]); !errors.Is(err, want) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := read(append(data[:len(data):len(data)], 0)); !errors.Is(err, ErrTruncated) ||
		!strings.Contains(err.Error(), "a program before 1.0 wrote it") { // files of which began alike
		t.Errorf("a byte more: %v", err)
	}
}

// TestEveryBit: no flipped bit goes unnoticed, also where nothing is stored, and every error says what to do.
func TestEveryBit(t *testing.T) {
	data := sample(t)
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			_, err := read(data)
			data[i] ^= 1 << bit
			e, is := errors.AsType[*Error](err)
			if !is || !strings.HasSuffix(err.Error(), ": "+e.advice()) {
				t.Fatalf("bit %d of byte %d: %v", bit, i, err)
			}
		}
	}
}

func TestOther(t *testing.T) {
	for message, data := range map[string]string{
		"it is empty":                          "",
		`it begins with "label\tte"`:           "label\ttext\n",
		"compressed with gzip":                 "\x1f\x8b\x08\x00",
		"compressed with zstd":                 "\x28\xb5\x2f\xfd\x04",
		`it begins with "\x89TESTS\nT"`:        "\x89TESTS\nTT",
		"give a file that go test has written": "x",
	} {
		_, err := read([]byte(data))
		if !errors.Is(err, errOther) || !strings.Contains(err.Error(), message) {
			t.Errorf("got error %v, want one with %q", err, message)
		}
	}
}

// TestLies: headers, tables and footers with right checksums and wrong contents.
func TestLies(t *testing.T) {
	le := binary.LittleEndian
	for message, lie := range map[string]func(header, table, footer []byte){
		"of a newer format: it has format version 2": func(header, _, _ []byte) { header[8] = 2 },
		"which there never was":                      func(header, _, _ []byte) { header[8] = 0 },
		"is said to have 1":                          func(_, _, footer []byte) { le.PutUint64(footer[8:], 1) },
		"the table is said to begin at byte 63":      func(_, _, footer []byte) { le.PutUint64(footer, 63) },
		"the table is said to begin at byte 0":       func(_, _, footer []byte) { le.PutUint64(footer, 0) },
		"the table is said to begin at byte 9223":    func(_, _, footer []byte) { le.PutUint64(footer, 1<<63) },
		`is "ONE", which is empty, taken`:            func(_, table, _ []byte) { copy(table, "ONE\x00\x00") },
		`is "", which is empty`:                      func(_, table, _ []byte) { clear(table[:8]) },
		`is "E\x00PTY", which is empty`:              func(_, table, _ []byte) { table[1] = 0 },
		`"ONE" is said to have 1 bytes from byte 128`: func(_, table, _ []byte) {
			le.PutUint64(table[entrySize+8:], 128)
		},
		`"ONE" is said to have 18446744073709551552`: func(_, table, _ []byte) {
			le.PutUint64(table[entrySize+16:], math.MaxUint64-63)
		},
		`"12345678" is said to have 300 bytes`: func(_, table, _ []byte) { le.PutUint64(table[3*entrySize+16:], 300) },
		"the sections end at byte":             func(_, table, _ []byte) { le.PutUint64(table[3*entrySize+16:], 0) },
		`"ONE" has unknown flags, 0x2`:         func(_, table, _ []byte) { table[entrySize+28] = 2 },
		"bytes behind it are not zero":         func(_, table, _ []byte) { le.PutUint64(table[3*entrySize+16:], 1) },
	} {
		data := sample(t)
		table, err := read(data)
		must.OK(t, err)
		header, end := data[:headerSize], data[len(data)-footerSize:]
		entries := data[table.Own.Offset : len(data)-footerSize]
		lie(header, entries, end)
		le.PutUint32(end[16:], CRC(entries))
		le.PutUint32(end[footerSum:], sumOf(header, end[:footerSum]))
		if _, err := read(data); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("got error %v, want one with %q", err, message)
		}
	}
}

// TestWriteError: the first error of writing stays.
func TestWriteError(t *testing.T) {
	full := errors.New("full")
	for room := range len(sample(t)) {
		w := format.NewWriter(writer(func(p []byte) (int, error) {
			if room -= len(p); room < 0 {
				return 0, full
			}
			return len(p), nil
		}))
		for _, s := range sections {
			w.Begin(s.name, s.optional)
			fmt.Fprint(w, s.data)
		}
		if err := w.Close(); err != full {
			t.Fatal(err)
		}
	}
}

type writer func(p []byte) (int, error)

func (f writer) Write(p []byte) (int, error) { return f(p) }

// FuzzRead: whatever a file holds, it is refused, or all its sections lie within it.
func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := read(data)
		if err != nil {
			return
		}
		for _, s := range table.Sections {
			_ = s.Bytes(data)
		}
	})
}
