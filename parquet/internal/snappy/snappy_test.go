package snappy

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
)

// plain is the simplest way to decompress a block: byte by byte, as the format is described.
func plain(src []byte) (dst []byte, ok bool) {
	size, n := binary.Uvarint(src)
	if n <= 0 || size > 1<<20 {
		return nil, false
	}
	for src = src[n:]; len(src) > 0; {
		tag, width := src[0], []int{0, 1, 2, 4}[src[0]&3]
		length := int(tag>>2) + 1
		if tag&3 == 0 && length > 60 {
			width = length - 60
		}
		if src = src[1:]; len(src) < width {
			return nil, false
		}
		number := 0
		for i, b := range src[:width] {
			number |= int(b) << (8 * i)
		}
		src = src[width:]
		switch {
		case tag&3 == 0:
			if width > 0 {
				length = number + 1
			}
			if length > len(src) {
				return nil, false
			}
			dst, src = append(dst, src[:length]...), src[length:]
			continue
		case tag&3 == 1:
			length, number = int(tag>>2&7)+4, int(tag>>5)<<8+number
		}
		if number == 0 || number > len(dst) {
			return nil, false
		}
		for range length {
			dst = append(dst, dst[len(dst)-number])
		}
		if len(dst) > int(size) {
			return nil, false
		}
	}
	return dst, len(dst) == int(size)
}

// same compares Decode with plain, in memory that has sentinels on both sides.
func same(t *testing.T, block []byte) (ok bool) {
	t.Helper()
	want, ok := plain(block)
	size, n := binary.Uvarint(block)
	if n <= 0 || size > 1<<20 {
		return false
	}
	const guard = 64
	memory := bytes.Repeat([]byte{0xa5}, int(size)+2*guard)
	got := memory[guard : guard+size : guard+size]
	err := Decode(got, block)
	if ok && (err != nil || !bytes.Equal(got, want)) || !ok && err == nil && exact {
		t.Fatalf("block %x: error %v, %d bytes; want %v, %d bytes", block[:min(len(block), 200)], err, len(got), ok, len(want))
	}
	for i, b := range memory {
		if (i < guard || i >= guard+int(size)) && b != 0xa5 {
			t.Fatalf("block %x: wrote %d bytes behind the begin of %d", block[:min(len(block), 200)], i-guard, size)
		}
	}
	if size > 0 && Decode(got[:size-1], block) == nil {
		t.Fatal("a block fills memory for less")
	}
	return ok
}

// texts are words in some order, that repeat near and far.
func texts(r *rand.Rand, n int) []byte {
	words := strings.Fields("the of and a film plot lovely boring character scene music it was never quite what they said aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(byte(' ' + r.IntN(1+r.IntN(90))))
	}
	return b.Bytes()[:n]
}

// TestDecode: blocks of several encoders, whole and damaged.
func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, n := range []int{0, 1, 15, 16, 63, 64, 65, 100, 133, 134, 135, 200, 1000, 70_000, 300_000} {
		text := texts(r, n)
		for _, encode := range []func(dst, src []byte) []byte{snappy.Encode, s2.EncodeSnappyBetter, s2.EncodeSnappyBest} {
			block := encode(nil, text)
			if !same(t, block) {
				t.Fatalf("%d bytes are not decompressed", n)
			}
			for range min(len(block), 100) {
				mutant := bytes.Clone(block)
				mutant[r.IntN(len(mutant))] ^= 1 << r.IntN(8)
				same(t, mutant)
				same(t, block[:r.IntN(len(block))])
			}
		}
	}
}

// random is a block of elements of every kind, also such as no encoder writes, and perhaps not valid.
func random(r *rand.Rand) []byte {
	var elements []byte
	made := 0
	for range 1 + r.IntN(60) {
		kind := r.IntN(4)
		length := 1 + r.IntN(64)
		offset := 1 + r.IntN(made+1+r.IntN(2)*r.IntN(2)) // sometimes too far
		if r.IntN(3) == 0 {
			offset = 1 + r.IntN(20)
		}
		switch {
		case kind == 0 && r.IntN(4) > 0 || made == 0: // a literal whose tag has its length
			length = min(length, 60)
			elements = append(elements, byte(length-1)<<2)
			elements = append(elements, texts(r, length)...)
		case kind == 0: // or in more bytes than it needs
			width := 1 + r.IntN(4)
			elements = append(elements, byte(59+width)<<2)
			elements = append(elements, binary.LittleEndian.AppendUint32(nil, uint32(length-1))[:width]...)
			elements = append(elements, texts(r, length)...)
		case kind == 1:
			length, offset = 4+length&7, offset&2047
			elements = append(elements, 1|byte(length-4)<<2|byte(offset>>8)<<5, byte(offset))
		case kind == 2:
			elements = append(elements, 2|byte(length-1)<<2, byte(offset), byte(offset>>8))
		default:
			elements = binary.LittleEndian.AppendUint32(append(elements, 3|byte(length-1)<<2), uint32(offset))
		}
		made += length
	}
	if r.IntN(10) == 0 {
		made += r.IntN(3) - 1
	}
	return append(binary.AppendUvarint(nil, uint64(made)), elements...)
}

// TestElements: random elements, of which most blocks are valid.
func TestElements(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	valid := 0
	const blocks = 20_000
	for range blocks {
		if same(t, random(r)) {
			valid++
		}
	}
	if valid < blocks/4 || valid == blocks {
		t.Errorf("%d of %d blocks are valid: there should be many of both", valid, blocks)
	}
}

// FuzzDecode: any block decompresses as byte by byte, or is an error, and no other memory is written.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 20 {
		f.Add(random(r))
	}
	f.Add(snappy.Encode(nil, texts(r, 5000)))
	f.Fuzz(func(t *testing.T, block []byte) { same(t, block) })
}

// BenchmarkDecode decompresses a page of text.
func BenchmarkDecode(b *testing.B) {
	text := texts(rand.New(rand.NewPCG(1, 1)), 1<<20)
	block := snappy.Encode(nil, text)
	b.Run("here", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if err := Decode(text, block); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("klauspost", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := snappy.Decode(text, block); err != nil {
				b.Fatal(err)
			}
		}
	})
}
