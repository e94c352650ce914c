package gunzip

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// texts are of many kinds, so that all kinds of blocks and codes come up.
func texts() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	random, words, skewed := make([]byte, 150_000), []byte{}, make([]byte, 150_000)
	for k := range random {
		random[k] = byte(rng.Uint32())
		skewed[k] = byte(rng.ExpFloat64() * 9) // codes of many lengths
	}
	for len(words) < 200_000 {
		words = fmt.Appendf(words, "%d %x ", rng.IntN(3000), rng.IntN(300))
	}
	far := bytes.Clone(random[:window])
	return map[string][]byte{
		"empty": nil, "a byte": []byte("a"), "short": []byte("a short text"),
		"random": random, "words": words, "skewed": skewed,
		"runs":      []byte(strings.Repeat("a", 50_000) + strings.Repeat("ab", 50_000) + strings.Repeat("abcdefg", 10_000)),
		"distances": append(append(far, random[:1000]...), far...),
		"mixed":     bytes.Join([][]byte{words[:70_000], random[:70_000], skewed[:70_000], words[:9]}, []byte("|")),
	}
}

func zip(t testing.TB, text []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTexts(t *testing.T) {
	for name, text := range texts() {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			zipped := zip(t, text, level)
			members := bytes.Join([][]byte{zipped, zip(t, nil, 1), zipped}, nil)
			got, err := io.ReadAll(NewReader(bytes.NewReader(members)))
			if err != nil || !bytes.Equal(got, append(bytes.Clone(text), text...)) {
				t.Errorf("%s, level %d: %d bytes of %d, %v", name, level, len(got), 2*len(text), err)
			}
			short := text[:min(len(text), 9000)]
			zipped = zip(t, short, level)
			for kind, src := range map[string]io.Reader{
				"byte by byte": iotest.OneByteReader(bytes.NewReader(zipped)),
				"end at once":  iotest.DataErrReader(bytes.NewReader(zipped)),
			} {
				if got, err := io.ReadAll(NewReader(src)); err != nil || !bytes.Equal(got, short) {
					t.Errorf("%s, level %d, %s: %d bytes of %d, %v", name, level, kind, len(got), len(short), err)
				}
			}
		}
	}
}

// TestCutOff cuts a file everywhere: its text is a beginning of the text, and the end an error.
func TestCutOff(t *testing.T) {
	text := texts()["mixed"][67_000:73_000]
	zipped := zip(t, text, 6)
	broken := errors.New("broken")
	for n := range zipped {
		got, err := io.ReadAll(NewReader(bytes.NewReader(zipped[:n])))
		if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(text, got) {
			t.Errorf("cut off at %d: %d bytes, %v", n, len(got), err)
		}
		if lost := len(text)*n/len(zipped) - len(got); lost > 4000 {
			t.Errorf("cut off at %d: only %d bytes of text", n, len(got))
		}
		got, err = io.ReadAll(NewReader(io.MultiReader(bytes.NewReader(zipped[:n]), iotest.ErrReader(broken))))
		if err != broken || !bytes.HasPrefix(text, got) {
			t.Errorf("broken at %d: %d bytes, %v", n, len(got), err)
		}
	}
}

func TestFaults(t *testing.T) {
	good := zip(t, []byte("text"), 6)
	changed := func(at int, b byte) []byte {
		z := bytes.Clone(good)
		z[(at+len(z))%len(z)] ^= b
		return z
	}
	plain := "\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\xff"
	withSum := binary.LittleEndian.AppendUint16([]byte(plain), uint16(crc32.ChecksumIEEE([]byte(plain))))
	withSum = append(withSum, good[10+len("..extraname.comment."):]...)
	for name, test := range map[string]struct {
		in   []byte
		want error
	}{
		"nothing":            {nil, io.ErrUnexpectedEOF},
		"magic":              {changed(0, 1), errHeader},
		"method":             {changed(2, 1), errHeader},
		"checksum":           {changed(-5, 1), errChecksum},
		"size":               {changed(-1, 1), errChecksum},
		"garbage":            {append(bytes.Clone(good), "garbage that is long"...), ErrGarbage},
		"half a magic":       {append(bytes.Clone(good), 0x1f), io.ErrUnexpectedEOF},
		"zeros":              {append(bytes.Clone(good), make([]byte, 1000)...), nil},
		"zeros, garbage":     {append(bytes.Clone(good), 0, 0, 1), ErrGarbage},
		"zeros, member":      {append(append(bytes.Clone(good), 0), good...), ErrGarbage},
		"sum of header":      {withSum, nil},
		"wrong sum of it":    {append([]byte(plain+"\x00\x00"), withSum[12:]...), errHeader},
		"block of kind 3":    {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x07"), errCorrupt},
		"stored, no lengths": {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01\x01\x00\x01\x00"), errCorrupt},
	} {
		if _, err := io.ReadAll(NewReader(bytes.NewReader(test.in))); err != test.want {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	late := iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(good)))
	if _, err := io.ReadAll(NewReader(late)); err != iotest.ErrTimeout {
		t.Errorf("an error of the source: %v", err)
	}
	if _, err := io.ReadAll(NewReader(idle{})); err != io.ErrNoProgress {
		t.Errorf("no progress: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// FuzzReader compares with compress/gzip.
func FuzzReader(f *testing.F) {
	for _, text := range texts() {
		text = text[:min(len(text), 5000)]
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
			f.Add(zip(f, text, level), uint16(1000))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, atOnce uint16) {
		var want []byte
		z, wantErr := gzip.NewReader(bytes.NewReader(in))
		if wantErr == nil {
			want, wantErr = io.ReadAll(z)
		}
		got, err := io.ReadAll(NewReader(&pieces{bytes.NewReader(in), int(atOnce) + 1}))
		switch {
		case wantErr == nil && (err != nil || !bytes.Equal(got, want)):
			t.Fatalf("%d bytes, %v, want %d", len(got), err, len(want))
		case err == nil && wantErr != nil && wantErr != gzip.ErrHeader && wantErr != io.ErrUnexpectedEOF: // zeros behind
			t.Fatalf("%d bytes, want %v", len(got), wantErr)
		case !bytes.HasPrefix(got, want) && !bytes.HasPrefix(want, got):
			t.Fatal("another text")
		}
	})
}

// pieces gives so many bytes at a time.
type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

func BenchmarkReader(b *testing.B) {
	text := bytes.Repeat(texts()["words"], 20)
	zipped := zip(b, text, 6)
	room := make([]byte, 1<<20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(zipped))
		for {
			if _, err := r.Read(room); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}
