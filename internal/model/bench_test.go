package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// large is a model for text of about 64 MiB, of the kind "dense", where all
// buckets of 22 bits have a row, or "sparse", or "many", which is sparse with a
// sparse ratio, and twice as large.
func large(b *testing.B, kind string) *Model {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	k := 4
	rows, bits := 1<<22, 22
	if kind != "dense" {
		k, rows = 100, 1<<21
	}
	keys := make([]uint64, rows)
	for i := range keys {
		keys[i] = uint64(i * (1 << bits / rows))
	}
	m := &Model{
		Meta:     Meta{Task: "multiclass", Link: "margin", Source: "text", Text: hashing.DefaultOptions(), Values: "binary"},
		Universe: 1 << bits, Keys: keysOf(1<<bits, keys...), Outputs: k,
		Bias: make([]float64, k), Base: make([]float64, k), Threshold: make([]float64, k),
	}
	m.Meta.Text.Bits = bits
	for i := range k {
		m.Meta.Labels = append(m.Meta.Labels, fmt.Sprint(i))
	}
	if kind == "dense" {
		weights := make(Float32s, rows*k)
		for i := range weights {
			weights[i] = float32(rng.NormFloat64())
		}
		m.Dense = weights
		return m
	}
	var entries []entry
	for row := range uint32(rows) {
		o := rng.IntN(k)
		for range rng.IntN(9) {
			if o < k {
				entries = append(entries, entry{row, o, rng.Float32()})
			}
			o += 1 + rng.IntN(9)
		}
	}
	m.Sparse = sparseOf(entries, rows)
	return m
}

func eachKind(b *testing.B, fn func(b *testing.B, m *Model, data []byte)) {
	for _, kind := range []string{"dense", "sparse"} {
		b.Run(kind, func(b *testing.B) {
			m := large(b, kind)
			var file bytes.Buffer
			if _, err := m.WriteTo(&file); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(file.Len()))
			b.ReportAllocs()
			fn(b, m, file.Bytes())
			b.ReportMetric(float64(file.Len())/(1<<20), "MiB")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	eachKind(b, func(b *testing.B, m *Model, data []byte) {
		for b.Loop() {
			if _, err := decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	eachKind(b, func(b *testing.B, m *Model, data []byte) {
		path := filepath.Join(b.TempDir(), "large.nbm")
		must.OK(b, os.WriteFile(path, data, 0o644))
		for b.Loop() {
			f, err := Open(path)
			must.OK(b, err)
			f.Close()
		}
	})
}

func BenchmarkWriteTo(b *testing.B) {
	eachKind(b, func(b *testing.B, m *Model, data []byte) {
		var file bytes.Buffer
		for b.Loop() {
			file.Reset()
			if _, err := m.WriteTo(&file); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSparse adds up rows of a sparse model, in any order, as documents do that are scored from the file.
func BenchmarkSparse(b *testing.B) {
	m := large(b, "sparse")
	rng := rand.New(rand.NewPCG(5, 6))
	rows := make([]uint32, 1<<16)
	for i := range rows {
		rows[i] = rng.Uint32N(uint32(m.Keys.Size()))
	}
	sums := make([]float64, m.Outputs)
	for _, bits := range widths {
		s := m.Sparse
		if bits < 32 {
			s = quantize(m).Sparse
		}
		b.Run(fmt.Sprint(bits), func(b *testing.B) {
			var room Room
			for i := 0; b.Loop(); i++ {
				outputs, numbers := s.Row(&room, rows[i%len(rows)])
				for e, x := range numbers {
					sums[outputs[e]] += float64(x)
				}
			}
		})
	}
}
