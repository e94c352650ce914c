package kernels

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkText is of a block of English-like text, in bytes of it.
func BenchmarkText(b *testing.B) {
	before := Active()
	defer mustUse(b, before)
	r := rand.New(rand.NewPCG(45, 46))
	var text []byte
	for len(text) < TextBlock {
		for range 1 + r.IntN(4) + r.IntN(5) {
			text = append(text, byte('a'+r.IntN(26)))
		}
		if r.IntN(8) == 0 {
			text = append(text, '.')
		}
		text = append(text, ' ')
	}
	text = text[:TextBlock]
	for _, name := range Implementations() {
		mustUse(b, name)
		w := NewWords(textClasses(), 0x20, 1, 2)
		run := func(what string, loop func()) {
			b.Run(what+"/"+name, func(b *testing.B) {
				b.SetBytes(TextBlock)
				for b.Loop() {
					loop()
				}
			})
		}
		run("split", func() { w.Split(text) })
		n, _ := w.Split(text)
		tokens, level, both := make([]uint64, n), make([]uint64, n), make([]uint64, 2*n)
		three, four := make([]uint64, 3*n), make([]uint64, 4*n)
		run("hash", func() { w.Hash(tokens, 0) })
		run("mix", func() { MixSums(level, tokens, tokens, 1) })
		run("interleave2", func() { Interleave(both, tokens, level) })
		run("interleave3", func() { Interleave(three, tokens, level, tokens) })
		run("interleave4", func() { Interleave(four, tokens, level, tokens, level) })
	}
}
