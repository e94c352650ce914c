package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAppendSVMLight(t *testing.T) {
	for _, test := range []struct {
		text string
		idx  []uint32
		val  []float32
	}{
		{"", nil, nil},
		{" \t\r ", nil, nil},
		{"1:1", []uint32{1}, []float32{1}},
		{"1:1\r", []uint32{1}, []float32{1}},
		{"  3:0.5\t\t7:-2e3 ", []uint32{3, 7}, []float32{0.5, -2000}},
		{"007:+.5", []uint32{7}, []float32{0.5}},
		{"1:0 2:9 3:0.0 4:-0 5:1e-60", []uint32{2}, []float32{9}},
		{"2147483646:1", []uint32{maxSVMLightID}, []float32{1}},
		{"1:3.4028235e38", []uint32{1}, []float32{math.MaxFloat32}},
		{"1:1e-45", []uint32{1}, []float32{math.SmallestNonzeroFloat32}},
	} {
		idx, val, err := AppendSVMLight([]uint32{99}, []float32{-1}, []byte(test.text))
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if idx[0] != 99 || val[0] != -1 || !slices.Equal(idx[1:], test.idx) || !slices.Equal(val[1:], test.val) {
			t.Errorf("%q: %v, %v; want %v, %v after what was there", test.text, idx, val, test.idx, test.val)
		}
	}
}

func TestAppendSVMLightRefuses(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, test := range []struct {
		text   string
		offset int
		field  string
		want   error
	}{
		{"1:1 2", 4, "2", errNoColon},
		{"1:1  7 8:1", 5, "7", errNoColon},
		{"9999999999", 0, "9999999999", errBadIndex},
		{"2147483647", 0, "2147483647", errBadIndex},
		{"99999999999999999999999999:1", 0, "99999999999999999999999999:1", errBadIndex},
		{"2147483647:1", 0, "2147483647:1", errBadIndex},
		{"4294967297:1", 0, "4294967297:1", errBadIndex},
		{"0:1", 0, "0:1", errZeroBased},
		{"-1:1", 0, "-1:1", errBadIndex},
		{"+1:1", 0, "+1:1", errBadIndex},
		{"a:1", 0, "a:1", errBadIndex},
		{":1", 0, ":1", errBadIndex},
		{"1x:1", 0, "1x:1", errBadIndex},
		{"qid:3 1:1", 0, "qid:3", errBadIndex},
		{"1:1\n2:1", 0, "1:1\n2:1", errBadValue},
		{"2:1 2:1", 4, "2:1", errNotRising},
		{"\t3:1\t2:1", 5, "2:1", errNotRising},
		{"3:0 2:1", 4, "2:1", errNotRising},
		{"1:", 0, "1:", errBadValue},
		{"1:1_0", 0, "1:1_0", errBadValue},
		{"1:x", 0, "1:x", errBadValue},
		{"1:1 2:1,5", 4, "2:1,5", errBadValue},
		{"1:1:1", 0, "1:1:1", errBadValue},
		{"1:nan", 0, "1:nan", errBadValue},
		{"1:-inf", 0, "1:-inf", errBadValue},
		{"1:1e39", 0, "1:1e39", errBadValue},
		{"1:" + long, 0, "1:" + long[:38], errBadValue},
	} {
		_, _, err := AppendSVMLight(nil, nil, []byte(test.text))
		var fe *FeatureError
		if !errors.As(err, &fe) || !errors.Is(err, test.want) || fe.Offset != test.offset || fe.Text != test.field {
			t.Errorf("%q: %v, want %q at %d: %v", test.text, err, test.field, test.offset, test.want)
			continue
		}
		if where := fmt.Sprintf("sparse: feature %q at byte %d", test.field, test.offset); !strings.HasPrefix(err.Error(), where) {
			t.Errorf("%q: message %q", test.text, err)
		}
	}
}

// slowParse splits with the standard library and says where it fails.
func slowParse(text string) (idx []uint32, val []float32, bad int) {
	at, last := 0, uint64(0)
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }) {
		at += strings.Index(text[at:], field)
		index, value, ok := strings.Cut(field, ":")
		j, err := strconv.ParseUint(index, 10, 64)
		v, err2 := strconv.ParseFloat(value, 32)
		if !ok || err != nil || err2 != nil || strings.Contains(value, "_") || math.IsNaN(v) || math.IsInf(v, 0) || j <= last || j > maxSVMLightID {
			return idx, val, at
		}
		if last = j; v != 0 {
			idx, val = append(idx, uint32(j)), append(val, float32(v))
		}
		at += len(field)
	}
	return idx, val, -1
}

// FuzzSVMLight compares with a parser made of the standard library, and writes
// what was read and reads it again.
func FuzzSVMLight(f *testing.F) {
	for _, seed := range []string{
		"", "1:1 2:0.5\t3:-1e-7", "9999999999", "99999999999", "2147483646:1 2147483647:1", "0:1", "2:1 1:1", "1:", ":", "1:nan 2:inf",
		"1:0x1p-2", "1:0x_1p4", "7:1e39", "12:00012.5", "1:1\x00", "\xff:1", "1:1 # comment", "qid:3 1:1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		idx, val, err := AppendSVMLight(nil, nil, text)
		if !bytes.Equal(text, before) {
			t.Fatalf("%q was changed to %q", before, text)
		}
		wantIdx, wantVal, bad := slowParse(string(text))
		if !slices.Equal(idx, wantIdx) || !slices.Equal(val, wantVal) {
			t.Fatalf("%q: %v, %v; want %v, %v", text, idx, val, wantIdx, wantVal)
		}
		var fe *FeatureError
		switch {
		case err == nil && bad >= 0:
			t.Fatalf("%q is accepted, with a bad feature at %d", text, bad)
		case err != nil && (!errors.As(err, &fe) || fe.Offset != bad):
			t.Fatalf("%q: %v, want the byte %d", text, err, bad)
		}
		checkRoundTrip(t, idx, val)
	})
}

// checkRoundTrip writes a row whose indices are from 1 and reads it.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, idx []uint32, val []float32) {
	ids, values := make([]uint32, len(idx)), make([]float64, len(val))
	for k := range idx {
		ids[k], values[k] = idx[k]-1, float64(val[k])
	}
	row := AppendSVMLightRow([]byte("before"), "+1", ids, values)
	text, ok := strings.CutPrefix(string(row), "before+1")
	text, ok2 := strings.CutSuffix(text, "\n")
	if !ok || !ok2 {
		t.Fatalf("the row is %q", row)
	}
	gotIdx, gotVal, err := AppendSVMLight(nil, nil, []byte(text))
	if err != nil || !slices.Equal(gotIdx, idx) || !slices.Equal(gotVal, val) {
		t.Fatalf("%q is read as %v, %v (%v); want %v, %v", row, gotIdx, gotVal, err, idx, val)
	}
}

func TestSVMLightRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idx := rapid.SliceOfDistinct(rapid.Uint32Range(1, maxSVMLightID), rapid.ID).Draw(t, "idx")
		slices.Sort(idx)
		val := rapid.SliceOfN(number.Filter(func(v float32) bool { return v != 0 }), len(idx), len(idx)).Draw(t, "val")
		checkRoundTrip(t, idx, val)
	})
}

// TestSVMLightRowKeepsFloat64 reads the digits as what they were written from.
func TestSVMLightRowKeepsFloat64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Float64().Draw(t, "value")
		row := string(AppendSVMLightRow(nil, "a", []uint32{0}, []float64{want}))
		got, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(row, "a 1:"), "\n"), 64)
		if err != nil || got != want {
			t.Errorf("%v is written as %q", want, row)
		}
	})
}
