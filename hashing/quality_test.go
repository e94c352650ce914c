package hashing

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// families are sets of distinct tokens that weak hash functions confuse.
func families() map[string][][]byte {
	numbers := make([][]byte, 300000)
	for i := range numbers {
		numbers[i] = strconv.AppendInt(nil, int64(i), 10)
	}
	var repeated [][]byte
	for c := range 256 {
		if '0' <= c && c <= '9' {
			continue // 11 is a number too
		}
		for n := 1; n <= 400; n++ {
			repeated = append(repeated, bytes.Repeat([]byte{byte(c)}, n))
		}
	}
	// All that differ in at most three bits from one.
	base := []byte("sixteencharacter")
	neighbours := [][]byte{base}
	flip := func(p []byte, bit int) []byte {
		p = slices.Clone(p)
		p[bit/8] ^= 1 << (bit % 8)
		return p
	}
	for i := range 128 {
		one := flip(base, i)
		neighbours = append(neighbours, one)
		for j := range i {
			two := flip(one, j)
			neighbours = append(neighbours, two)
			for k := range j {
				neighbours = append(neighbours, flip(two, k))
			}
		}
	}
	return map[string][][]byte{"numbers": numbers, "repeated": repeated, "neighbours": neighbours}
}

// gramsOf are the hashes of all n-grams of order n over the first tokens, about
// size of them.
func gramsOf(k *keys, tokens [][]byte, n, size int) []uint64 {
	count := min(len(tokens), int(math.Pow(float64(size), 1/float64(n))))
	hashes := make([]uint64, count)
	for i := range hashes {
		hashes[i] = k.token(tokens[i])
	}
	g := ngrams{keys: k, lo: n, hi: n}
	var out []uint64
	index := make([]int, n)
	for {
		g.start()
		for _, i := range index {
			g.step(hashes[i])
		}
		out = append(out, g.last[n])
		p := n - 1
		for ; p >= 0; p-- {
			if index[p]++; index[p] < count {
				break
			}
			index[p] = 0
		}
		if p < 0 {
			return out
		}
	}
}

func TestHashQuality(t *testing.T) {
	for _, seed := range []uint64{1} {
		k := newKeys(seed)
		var all []uint64
		for name, tokens := range families() {
			for order := 1; order <= 3; order++ {
				hashes := gramsOf(&k, tokens, order, 350000)
				// The bits that choose a bucket, and others, fill as a random
				// function fills them: chi-square has df degrees of freedom and
				// variance 2·df.
				for _, shift := range []int{52, 42, 32, 16, 0} {
					const buckets = 1 << 12
					var counts [buckets]float64
					for _, h := range hashes {
						counts[h>>shift%buckets]++
					}
					mean := float64(len(hashes)) / buckets
					chi := 0.0
					for _, c := range counts {
						chi += (c - mean) * (c - mean) / mean
					}
					const df = buckets - 1
					if z := (chi - df) / math.Sqrt(2*df); math.Abs(z) > 5 {
						t.Errorf("seed %d, %s, order %d, bits from %d: chi-square is %.1f standard deviations off", seed, name, order, shift, z)
					}
				}
				// At 22 bits, as many buckets are in use as by chance.
				var used [1 << 22 / 64]uint64
				for _, h := range hashes {
					b := Key(h, 22)
					used[b/64] |= 1 << (b % 64)
				}
				n := 0
				for _, w := range used {
					n += bits.OnesCount64(w)
				}
				const m = 1 << 22
				load := float64(len(hashes)) / m
				want := m * (1 - math.Exp(-load))
				deviation := math.Sqrt(m * math.Exp(-load) * (1 - (1+load)*math.Exp(-load)))
				if math.Abs(float64(n)-want) > 5*deviation {
					t.Errorf("seed %d, %s, order %d: %d buckets in use, want %.0f±%.0f", seed, name, order, n, want, deviation)
				}
				all = append(all, hashes...)
			}
		}
		slices.Sort(all)
		total := len(all)
		if all = slices.Compact(all); len(all) != total {
			t.Errorf("seed %d: %d of %d n-grams share a hash, want none", seed, total-len(all), total)
		}
	}
}

// TestManyNgrams looks for any two of nearly a million n-grams with one hash.
func TestManyNgrams(t *testing.T) {
	o := DefaultOptions()
	o.NgramHi = 3
	e := newExtractor(t, o)
	var doc []byte
	for i := range 300_000 {
		doc = append(strconv.AppendInt(doc, int64(i), 36), ' ')
	}
	hashes := e.AppendHashes(nil, doc)
	n := len(hashes)
	slices.Sort(hashes)
	if distinct := len(slices.Compact(hashes)); distinct != n || n != 3*300_000-3 {
		t.Errorf("%d distinct hashes of %d distinct n-grams", distinct, n)
	}
}

// TestAvalanche: a bit of any token of an n-gram changes each bit of the hash in
// half of the cases.
func TestAvalanche(t *testing.T) {
	const trials = 4096
	k := newKeys(1)
	r := rand.New(rand.NewPCG(7, 8))
	for _, length := range []int{1, 8, 9, 17} {
		for order := 1; order <= 3; order++ {
			for position := range order {
				for bit := 0; bit < 8*length; bit += 1 + length/4 {
					var flips [64]int
					for range trials {
						tokens := make([][]byte, order)
						for i := range tokens {
							tokens[i] = make([]byte, length)
							for j := range tokens[i] {
								tokens[i][j] = byte(r.Uint32())
							}
						}
						hash := func() uint64 {
							g := ngrams{keys: &k, lo: order, hi: order}
							for _, p := range tokens {
								g.step(k.token(p))
							}
							return g.last[order]
						}
						before := hash()
						tokens[position][bit/8] ^= 1 << (bit % 8)
						for d := before ^ hash(); d != 0; d &= d - 1 {
							flips[bits.TrailingZeros64(d)]++
						}
					}
					for i, n := range flips {
						share := float64(n) / trials
						// A token of one byte has no 4096 different values.
						slack := 0.05
						if length == 1 {
							slack = 0.15
						}
						if math.Abs(share-0.5) > slack {
							t.Errorf("length %d, order %d: bit %d of token %d flips bit %d in %.1f %%", length, order, bit, position, i, 100*share)
						}
					}
				}
			}
		}
	}
}

func TestTokensOfEqualBytes(t *testing.T) {
	k := newKeys(1)
	seen := map[uint64]int{}
	for n := range 200 {
		h := k.token(make([]byte, n))
		if m, ok := seen[h]; ok {
			t.Errorf("%d and %d zero bytes have one hash", m, n)
		}
		seen[h] = n
	}
}

func TestTokenAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 100 {
		p := make([]byte, n)
		for range 20 {
			for i := range p {
				p[i] = byte(r.Uint32())
			}
			seed := r.Uint64()
			k := newKeys(seed)
			if got, want := k.token(p), referenceToken(seed, string(p)); got != want {
				t.Fatalf("token(%x) with seed %d is %#x, want %#x", p, seed, got, want)
			}
		}
	}
}
