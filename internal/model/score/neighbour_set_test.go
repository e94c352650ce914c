package score

import (
	encoding "encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRoundTrip: what is encoded is decoded, on machines of either byte order, and to the same bytes again.
func TestRoundTrip(t *testing.T) {
	for name, w := range sets() {
		s := w.set(t, rand.New(rand.NewPCG(3, 4)))
		data, err := s.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same := func() {
			got, err := DecodeNeighbours(data, s.Features, s.Labels)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := got.Encode()
			if err != nil || string(again) != string(data) || fmt.Sprint(got) != fmt.Sprint(s) {
				t.Errorf("%s: another set comes back: %v", name, err)
			}
		}
		same()
		mem.Copying(same)
		for n := range min(len(data), 300) {
			if _, err := DecodeNeighbours(data[:n], s.Features, s.Labels); err == nil {
				t.Errorf("%s: the first %d bytes are taken", name, n)
			}
		}
		if _, err := DecodeNeighbours(append(data, 0), s.Features, s.Labels); err == nil || !strings.Contains(err.Error(), "arrays end") {
			t.Errorf("%s: a byte more: %v", name, err)
		}
		if _, err := DecodeNeighbours(data, s.Features+1, s.Labels); err == nil || !strings.Contains(err.Error(), "features") {
			t.Errorf("%s: for another model: %v", name, err)
		}
	}
}

// TestCheck: sets whose parts don't fit are refused.
func TestCheck(t *testing.T) {
	many := sets()["products"]
	many.weighted = true
	for want, spoil := range map[string]func(s *NeighbourSet){
		"neighbours must be from":            func(s *NeighbourSet) { s.K = 0 },
		"labels must be from":                func(s *NeighbourSet) { s.Labels = 0 },
		"features must be from":              func(s *NeighbourSet) { s.Features = 0 },
		"documents must be from":             func(s *NeighbourSet) { s.Starts = s.Starts[:1] },
		"features and 3228 values":           func(s *NeighbourSet) { s.Values = s.Values[1:] },
		"entries of documents do not follow": func(s *NeighbourSet) { s.Starts[5] = math.MaxUint64 },
		"the features of document 299":       func(s *NeighbourSet) { s.Columns[len(s.Columns)-1] = uint32(s.Features) },
		"is NaN":                             func(s *NeighbourSet) { s.Values[3] = float32(math.NaN()) },
		"is +Inf":                            func(s *NeighbourSet) { s.Values[3] = float32(math.Inf(1)) },
		"weight 2 is 0":                      func(s *NeighbourSet) { s.Weights[2] = 0 },
		"1 weights":                          func(s *NeighbourSet) { s.Weights = s.Weights[:1] },
		"factor 1 is -1":                     func(s *NeighbourSet) { s.Factors[1] = -1 },
		"factors of":                         func(s *NeighbourSet) { s.Factors = s.Factors[:1] },
		"numbers of documents do not ascend": func(s *NeighbourSet) { s.Numbers[1] = s.Numbers[0] },
		"do not follow":                      func(s *NeighbourSet) { s.LabelEnd[1] = math.MaxUint32 },
		"labels of document 298":             func(s *NeighbourSet) { s.Of[len(s.Of)-1] = uint16(s.Labels) },
		"labels of 300 document":             func(s *NeighbourSet) { s.LabelEnd = nil },
	} {
		s := many.set(t, rand.New(rand.NewPCG(5, 7)))
		spoil(s)
		if _, err := s.Encode(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestShares: votes are counted as in a plain loop over the nearest.
func TestShares(t *testing.T) {
	for name, w := range sets() {
		w.documents = min(w.documents, 1000)
		r := rand.New(rand.NewPCG(8, uint64(len(name))))
		s := w.set(t, r)
		q := s.NewSearcher()
		for range 30 {
			columns, values := w.row(r)
			got := make([]float64, s.Labels)
			found := q.Search(columns, values, s.K)
			s.Shares(got, found)
			pro, all := make([]float64, s.Labels), 0.0
			near := bruteForce(s, columns, values, s.K)
			if len(near) == 0 {
				for i := range s.Documents() {
					near = append(near, Neighbour{uint32(i), 1})
				}
			}
			for _, n := range near {
				vote := 1.0
				if len(found) > 0 {
					vote = n.Similarity
				}
				if w.weighted {
					vote *= float64(s.Weights[n.Document])
				}
				all += vote
				for _, k := range s.LabelsOf(int(n.Document)) {
					pro[k] += vote
				}
			}
			sum := 0.0
			for k := range got {
				want := pro[k] / all
				if w.multi && pro[k] > 0 {
					want = pro[k] * s.Factors[2*k] / (pro[k]*s.Factors[2*k] + (all-pro[k])*s.Factors[2*k+1])
				}
				if math.Abs(got[k]-want) > 1e-12 {
					t.Fatalf("%s: label %d has %v, want %v", name, k, got[k], want)
				}
				sum += got[k]
			}
			if !w.multi && math.Abs(sum-1) > 1e-12 {
				t.Fatalf("%s: shares add up to %v", name, sum)
			}
			if len(found) == 0 || w.multi {
				continue
			}
			parts := make([]float64, len(columns))
			for k := range got {
				q.Contributions(parts, k, columns, values, found)
				sum = 0
				for _, p := range parts {
					sum += p
				}
				if math.Abs(sum-(2*got[k]-1)) > 1e-9 {
					t.Fatalf("%s: features add %v to label %d, want %v", name, sum, k, 2*got[k]-1)
				}
			}
		}
	}
}

// TestTypical: features of a class are those that are more in its documents than in all.
func TestTypical(t *testing.T) {
	s := &NeighbourSet{
		K: 1, Features: 2, Labels: 2, Starts: []uint64{0, 1, 3, 4},
		Columns: []uint32{0, 0, 1, 1}, Values: []float32{1, 2, 3, 6}, Of: []uint16{0, 0, 1},
	}
	if got, want := s.Typical(), []float64{0.5, -1, -1.5, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzDecodeNeighbours: any bytes give an error or a set that can be searched.
func FuzzDecodeNeighbours(f *testing.F) {
	for _, w := range sets() {
		if w.documents > 1000 {
			continue
		}
		w.documents = min(w.documents, 20)
		s := w.set(f, rand.New(rand.NewPCG(9, 10)))
		data, err := s.Encode()
		must.OK(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < headSize {
			return
		}
		features, labels := encoding.LittleEndian.Uint32(data[8:]), encoding.LittleEndian.Uint32(data[12:])
		if features > 1<<16 {
			return // as many as the model has rows
		}
		s, err := DecodeNeighbours(data, int(features), int(labels))
		if err != nil {
			return
		}
		var columns []uint32
		var values []float64
		for j := range min(s.Features, 50) {
			columns, values = append(columns, uint32(j)), append(values, float64(j%7)-1)
		}
		got, want := s.NewSearcher().Search(columns, values, min(s.K, 100)), bruteForce(s, columns, values, min(s.K, 100))
		if !reflect.DeepEqual(append([]Neighbour{}, got...), append([]Neighbour{}, want...)) {
			t.Fatalf("%v, want %v", got, want)
		}
		s.Shares(make([]float64, s.Labels), got)
	})
}
