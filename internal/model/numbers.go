package model

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Numbers are the weights or ratios of a model: [Float32s], or numbers of 8 bits, each of which
// stands for a float32, exactly.
type Numbers interface {
	Len() int
	At(i int) float32 // for single ones

	// Range gives the numbers from lo up to hi: a view of them where they are
	// float32s, else dst, which must have room for them, and in which they are put.
	Range(dst []float32, lo, hi int) []float32

	bits() int // of each: 32 or 8
	check(section string) *fileError
	encode() []byte
}

// Float32s are numbers of 32 bits.
type Float32s []float32

// Len returns how many there are.
func (s Float32s) Len() int { return len(s) }

func (s Float32s) bits() int { return 32 }

// At gives one number.
func (s Float32s) At(i int) float32 { return s[i] }

// Range gives a view of numbers.
func (s Float32s) Range(_ []float32, lo, hi int) []float32 { return s[lo:hi] }

func (s Float32s) check(section string) *fileError { return finite(section, s) }
func (s Float32s) encode() []byte                  { return mem.ViewBytes(s) }

// widths are the numbers of bits there are, the widest first.
var widths = [...]int{32, 8}

// sectionOf names the section for numbers of a width: DENSE, DENSE8.
func sectionOf(name string, bits int) string {
	if bits == 32 {
		return name
	}
	return fmt.Sprint(name, bits)
}

// checkNumbers finds out whether there are as many as should be, all finite.
func checkNumbers(name string, s Numbers, want uint64, what string) *fileError {
	if s == nil {
		return at(name, 0, "it is missing")
	}
	section := sectionOf(name, s.bits())
	if uint64(s.Len()) != want {
		return wrongLength(section, s.Len(), want, what)
	}
	return s.check(section)
}

// numbersField returns numbers of any width.
func numbersField(name string, of *Numbers) field {
	f := field{}
	for _, bits := range widths {
		f.names = append(f.names, sectionOf(name, bits))
	}
	f.encode = func() (string, []byte) {
		if *of == nil {
			return name, nil
		}
		return sectionOf(name, (*of).bits()), (*of).encode()
	}
	f.decode = func(section string, data []byte) (bad *fileError) {
		if section == f.names[0] {
			var wide []float32
			wide, bad = array[float32](section, data)
			*of = Float32s(wide)
			return bad
		}
		*of, bad = bytesOf(section, data)
		return bad
	}
	return f
}
