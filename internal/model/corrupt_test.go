package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// files are those of all samples.
func files(t testing.TB) (all [][]byte) {
	for name := range samples() {
		all = append(all, golden(t, name))
	}
	return all
}

// TestEveryByte: no byte with a flipped bit goes unnoticed, and no beginning of a file is taken for a model.
func TestEveryByte(t *testing.T) {
	must.SkipUnderRace(t)
	for _, data := range files(t) {
		for i := range data {
			data[i] ^= 1 << (i % 8)
			_, err := decode(data)
			data[i] ^= 1 << (i % 8)
			if _, is := errors.AsType[*fileError](err); !is {
				t.Fatalf("a bit of byte %d: error %v", i, err)
			}
			if _, err := decode(data[:i]); err == nil {
				t.Fatalf("the first %d bytes are a model", i)
			}
		}
	}
}

// file is a model file taken to pieces, to be put together with right checksums.
type file struct {
	sections []Section
	contents map[string][]byte
}

func takeApart(t testing.TB, data []byte) *file {
	t.Helper()
	table, bad := format.Read(data)
	if bad != nil {
		t.Fatal(bad)
	}
	f := &file{table.Sections, map[string][]byte{}}
	for _, s := range f.sections {
		f.contents[s.Name] = bytes.Clone(s.Bytes(data))
	}
	return f
}

func (f *file) add(name string, data []byte, optional bool) {
	f.sections = append(f.sections, Section{Name: name, Optional: optional})
	f.contents[name] = data
}

func (f *file) remove(name string) {
	f.sections = slices.DeleteFunc(f.sections, func(s Section) bool { return s.Name == name })
}

// build puts the file together.
func (f *file) build() []byte {
	var b bytes.Buffer
	w := format.NewWriter(&b)
	for _, s := range f.sections {
		w.Begin(s.Name, s.Optional)
		w.Write(f.contents[s.Name])
	}
	w.Close()
	return b.Bytes()
}

// TestMalice: files with right checksums and wrong contents.
func TestMalice(t *testing.T) {
	le := binary.LittleEndian
	// set replaces a section; put changes a number in one.
	set := func(name string, data []byte) func(*file) { return func(f *file) { f.contents[name] = data } }
	put32 := func(name string, offset int, x uint32) func(*file) {
		return func(f *file) { le.PutUint32(f.contents[name][offset:], x) }
	}
	remove := func(name string) func(*file) { return func(f *file) { f.remove(name) } }
	names := 8 + 8*3 // where the text of three strings begins
	for _, c := range []struct {
		message string
		change  func(*file)
	}{
		{"there is no section META", remove("META")},
		{"there is no section LABELS", remove("LABELS")},
		{"there is no section KEYS", remove("KEYS")},
		{"there is no section BIAS", remove("BIAS")},
		{"there is no section BASE", remove("BASE")},
		{"there is no section THRESH", remove("THRESH")},
		{"there is no section OUTPUTS", remove("OUTPUTS")},
		{"there is no section VALUE", remove("VALUE")},
		{"there must be either dense or sparse", func(f *file) { f.add("DENSE", nil, false) }},
		{"there must be either dense or sparse", func(f *file) { f.remove("OUTPUTS"); f.remove("VALUE") }},
		{"link platt needs", remove("PLATT")},
		{"META at byte", set("META", []byte("{"))},
		{"META at byte", set("META", nil)},
		{"META at byte", set("META", []byte(`{"text":{"tokenizer":"guess"}}`))},
		{"META at byte", set("META", []byte(strings.Repeat("[", 1<<16)))},
		{"it has 7 bytes, and a string table at least 8", set("LABELS", make([]byte, 7))},
		{"too few for 4294967299 strings", put32("LABELS", 4, 1)},
		{"too few for 4294967295 strings", put32("LABELS", 0, math.MaxUint32)},
		{"string 1 ends at 4294967295", put32("LABELS", 8+8+4, math.MaxUint32)},
		{"label 2 has the tag 1", put32("LABELS", 8+16, 1)},
		{"string 2 ends at 7, which is not between 11 and 12", put32("NAMES", 8+16+4, 7)},
		{"1 bytes follow the last string", put32("NAMES", 8+16+4, 11)},
		{"row 254, named", put32("NAMES", 8+16, 254)},
		{"row 2 follows row 3", put32("NAMES", 8+16, 2)},
		{"12 bytes, not a multiple of 8", set("KEYS", make([]byte, 12))},
		{"PLATT at byte", set("PLATT", make([]byte, 8*7))},
		{"PLATT at byte", set("PLATT", make([]byte, 8*5))},
		{"PLATT at byte", set("PLATT", make([]byte, 8*4))},
		{"VALUE at byte", put32("VALUE", 8, 0x7fc00000)},
		{"no section SIZE of 24 bytes", remove(sizeSection)},
		{"no section SIZE of 24 bytes", set(sizeSection, make([]byte, 23))},
		{"7 rows in a universe of 6 keys", set(sizeSection, container.Encode(size{6, 7, 3}))},
		{"a universe of 18446744073709551615 keys", set(sizeSection, container.Encode(size{math.MaxUint64, 6, 3}))},
		{"must be 1 to 16777216", set(sizeSection, container.Encode(size{255, 6, math.MaxUint64}))},
		{"must be 1 to 16777216", set(sizeSection, container.Encode(size{255, 6, 0}))},
		{"KEYS at byte", set(sizeSection, container.Encode(size{255, 7, 3}))},
	} {
		f := takeApart(t, encode(t, sample()))
		if len(f.contents["NAMES"]) != names+12 {
			t.Fatal("the sample has other names than this test thinks")
		}
		c.change(f)
		_, err := decode(f.build())
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("got error %v, want one with %q", err, c.message)
		}
	}
}

// spoiled is a case of a file with right checksums, one section of which has wrong contents.
type spoiled struct {
	file, section string
	offset        int // within it
	message       string
	change        func([]byte) []byte // nil removes the section, and the error is one of the header
}

// Changes of sections.
func resized(n int) func([]byte) []byte { return func([]byte) []byte { return make([]byte, n) } }

func shorter(by int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-by] } }

func put8(offset int, x uint8) func([]byte) []byte {
	return func(b []byte) []byte { b[offset] = x; return b }
}

func put16(offset int, x uint16) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint16(b[offset:], x); return b }
}

func put32(offset int, x uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[offset:], x); return b }
}

// checkSpoiled finds out whether errors tell what is wrong, and the place in the file.
func checkSpoiled(t *testing.T, cases []spoiled) {
	t.Helper()
	for _, c := range cases {
		f := takeApart(t, golden(t, c.file))
		if !slices.ContainsFunc(f.sections, func(s Section) bool { return s.Name == c.section }) {
			t.Fatalf("%s has no section %s", c.file, c.section)
		}
		want := "TABLE at byte "
		if c.change == nil {
			f.remove(c.section)
		} else {
			f.contents[c.section] = c.change(f.contents[c.section])
		}
		data := f.build()
		for _, s := range f.sections {
			if s.Name == c.section {
				want = fmt.Sprintf("%s at byte %d: ", s.Name, s.Offset+int64(c.offset))
			}
		}
		_, err := decode(data)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: got error %v, want one with %q and %q", c.file, err, want, c.message)
		}
	}
}

// TestMaliciousRows: the same for the rows of weights; errors tell the place in the file.
func TestMaliciousRows(t *testing.T) {
	checkSpoiled(t, []spoiled{
		{"sample", "OUTPUTS", 0, "it has 5 bytes, too few for 6 rows", resized(5)},
		{"sample", "OUTPUTS", 6, "7 bytes follow the last row", resized(13)},
		{"sample", "OUTPUTS", 0, "row 0 has no number of outputs up to 3", put8(0, 4)},
		{"sample", "OUTPUTS", 12, "row 5 has no output from 0 up to 2", shorter(1)},
		{"sample", "OUTPUTS", 1, "row 0 has no output from 0 up to 2", put8(1, 3)},
		{"sample", "VALUE", 0, "it has 6 numbers, one per output of a row, which should be 7", shorter(4)},
		{"wide", "OUTPUTS", 3, "row 0 has no output from 8 up to 299", put16(3, 0x7fff)},
		{"wide", "OUTPUTS", 0, "row 0 has no number of outputs up to 300", put32(0, math.MaxUint32)},
		{"wide", "VALUE", 4, "number 1 of the section is NaN", put32(4, 0x7fc00000)},
	})
}

// TestMaliciousNumbers: the same for numbers of 8 bits.
func TestMaliciousNumbers(t *testing.T) {
	le := binary.LittleEndian
	checkSpoiled(t, []spoiled{
		{"dense-8", "DENSE8", 0, "its levels alone 1024", resized(1023)},
		{"dense-8", "DENSE8", 0, "it has 0 numbers, which should be 2", resized(1024)},
		{"dense-8", "DENSE8", 4 * 255, "number 255 of the section is NaN", func(b []byte) []byte { le.PutUint32(b[4*255:], 0x7fc00000); return b }},
		{"sample-8", "VALUE8", 0, "number 0 of the section is +Inf", func(b []byte) []byte { le.PutUint32(b, 0x7f800000); return b }},
		{"sample-8", "RATIO8", 0, "it has 7 numbers, which should be 6", func(b []byte) []byte { return append(b, 0) }},
		{"sample-8", "RATIO8", 0, "it has 5 numbers, which should be 6", func(b []byte) []byte { return b[:len(b)-1] }},
		{"tempered", "TEMP", 0, "it has 0 numbers, which should be 1", resized(0)},
		{"tempered", "TEMP", 0, "it has 2 numbers, which should be 1", func(b []byte) []byte { return append(b, b...) }},
		{"tempered", "TEMP", 0, "it has 7 bytes", resized(7)},
		{"tempered", "TEMP", 0, "the temperature is 0", func([]byte) []byte { return make([]byte, 8) }},
		{"tempered", "TEMP", 0, "the temperature is NaN", func(b []byte) []byte { le.PutUint64(b, math.Float64bits(math.NaN())); return b }},
		{"sample-8", "VALUE8", 0, "it has 6 numbers, one per output of a row, which should be 7", func(b []byte) []byte { return b[:len(b)-1] }},
	})
	for message, change := range map[string]func(f *file){
		"section DENSE8 is there as well: ": func(f *file) { f.add("DENSE", make([]byte, 8), false) },
		"there is no section OUTPUTS":       func(f *file) { f.add("VALUE8", make([]byte, 1024), false) },
	} {
		f := takeApart(t, encode(t, rounded(dense())))
		change(f)
		if _, err := decode(f.build()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), message) {
			t.Errorf("got error %v, want one with %q", err, message)
		}
	}
}

// TestLater: what later versions add.
func TestLater(t *testing.T) {
	for _, name := range []string{"LATER", "TREES2", "RROW4", "ROWPTR16"} {
		f := takeApart(t, encode(t, sample()))
		f.add(name, []byte("anything"), true)
		if m, err := decode(f.build()); err != nil || len(m.Names) != 3 {
			t.Errorf("section %s, which may be skipped: %v", name, err)
		}
	}

	f := takeApart(t, encode(t, sample()))
	f.add("LATER", []byte("anything"), false)
	if _, err := decode(f.build()); !errors.Is(err, ErrNewerVersion) || !strings.Contains(err.Error(), "LATER at byte") {
		t.Errorf("a section that is needed: %v", err)
	}

	f = takeApart(t, encode(t, sample()))
	f.contents["META"] = append([]byte(`{"labels":["not","here"],"later":1,`), f.contents["META"][1:]...)
	if m, err := decode(f.build()); err != nil || !slices.Equal(m.Meta.Labels, sample().Meta.Labels) {
		t.Errorf("fields that are not known: %v", err)
	}
}

// FuzzDecode: any bytes give a model or an error; what is accepted can be used
// and written, and reads the same.
func FuzzDecode(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data)
	}
	empty := dense()
	empty.Universe, empty.Keys, empty.Dense = 0, KeySet{}, Float32s{}
	f.Add(encode(f, empty))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, testkit.Mended(format, data)} {
			m, err := decode(data)
			if err != nil {
				if e, is := errors.AsType[*fileError](err); !is || e.Kind == nil {
					t.Fatalf("error without a kind: %v", err)
				}
				continue
			}
			use(t, m)
			again, err := decode(encode(t, m))
			if err != nil {
				t.Fatalf("written again it is refused: %v", err)
			}
			if !bytes.Equal(encode(t, again), encode(t, m)) {
				t.Fatal("written again it differs")
			}
		}
	})
}

var sink []float64 // keeps sums from being optimized away

// use does what scoring does, without any check: wrong contents would panic.
func use(t *testing.T, m *Model) {
	sums, scratch := make([]float64, m.Outputs), make([]float32, m.Outputs)
	count := 0
	for row, key := range m.Keys.All() {
		if r, ok := m.Keys.Rank(key); !ok || r != row || row != count {
			t.Fatalf("key %d has row %d, then %d (%v)", key, row, r, ok)
		}
		count++
		switch {
		case m.Dense != nil:
			for k, w := range m.Dense.Range(scratch, row*m.Outputs, (row+1)*m.Outputs) {
				sums[k] += float64(w)
			}
		case m.Sparse != nil:
			outputs, weights := m.Sparse.Row(scratch, row)
			for e, w := range weights {
				sums[outputs[e]] += float64(w)
			}
		case m.Rule == nil:
			t.Fatal("there is nothing to decide by")
		}
		if m.Ratio != nil {
			sums[0] += float64(m.Ratio.At(row))
		}
		if m.IDF != nil {
			sums[0] += float64(m.IDF[row])
		}
	}
	if count != m.Keys.Size() {
		t.Fatalf("%d keys, but Size is %d", count, m.Keys.Size())
	}
	for k := range sums {
		sums[k] += m.Bias[k] + m.Base[k] + m.Threshold[k]
		if m.Platt != nil {
			sums[k] *= m.Platt[k].A + m.Platt[k].B
		}
		if m.Temperature != 0 {
			sums[k] /= m.Temperature
		}
	}
	sink = sums
	if m.Meta.Source == "text" {
		if _, err := hashing.NewExtractor(m.Meta.Text); err != nil {
			t.Fatal(err)
		}
	}
}
