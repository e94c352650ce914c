package hashing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEstimateDistinct(t *testing.T) {
	if got := EstimateDistinct(nil); got != 0 {
		t.Errorf("EstimateDistinct of nothing = %d", got)
	}
	for _, distinct := range []int{10_000, 100_000, 2_000_000} {
		var sample []uint64
		r := rand.New(rand.NewPCG(1, uint64(distinct)))
		document := make([]uint64, 0, 100)
		for i := range distinct {
			document = append(document, mix(uint64(i)))
			if r.IntN(2) == 0 { // again what came before: duplicates do not count
				document = append(document, mix(uint64(r.IntN(i+1))))
			}
			if len(document) > 98 || i == distinct-1 {
				sample = AppendSample(sample, document)
				document = document[:0]
			}
		}
		got := float64(EstimateDistinct(slices.Clone(sample)))
		deviation := math.Exp2(sampleBits/2) / math.Sqrt(float64(distinct))
		if off := got/float64(distinct) - 1; math.Abs(off) > 4*deviation {
			t.Errorf("estimate of %d is %v: off by %.2g, more than four standard deviations of %.2g", distinct, got, off, deviation)
		}
		slices.Reverse(sample)
		if again := float64(EstimateDistinct(sample)); again != got {
			t.Errorf("the order of the sample matters: %v, then %v", got, again)
		}
		if again := float64(EstimateDistinct(sample)); again != got {
			t.Errorf("the same sample again gives %v, then %v", got, again)
		}
	}
}

// TestSampleIsIndependent wants the sample to be as spread over shards as all
// hashes are.
func TestSampleIsIndependent(t *testing.T) {
	p := Partition{minShardBits}
	shards := map[int]int{}
	var sample []uint64
	for i := range uint64(1 << 19) {
		sample = AppendSample(sample, []uint64{mix(i)})
	}
	for _, h := range sample {
		shards[int(Bucket(h, p.bits))]++
	}
	for i := range p.Shards() {
		mean := float64(len(sample)) / float64(p.Shards())
		if n := shards[i]; math.Abs(float64(n)-mean) > 6*math.Sqrt(mean) {
			t.Errorf("shard %d has %d of the sample, want about %.0f", i, n, mean)
		}
	}
}

func BenchmarkEstimateDistinct(b *testing.B) {
	hashes := make([]uint64, 1<<20)
	for i := range hashes {
		hashes[i] = mix(uint64(i))
	}
	b.SetBytes(8 << 20)
	var sample []uint64
	for b.Loop() {
		sample = AppendSample(sample[:0], hashes)
		EstimateDistinct(sample)
	}
}
