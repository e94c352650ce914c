package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// MatrixOptions say which n-grams have columns, and what entries count for.
type MatrixOptions struct {
	MinDF        int
	MaxDF        float64 // a share of the documents where it is at most 1, a number of them above
	Counts       bool    // entries count for the number of occurrences, else for 1 or by word
	ByWord       bool    // n-grams within words count for the number of distinct words that have them, else for 1
	Sublinear    bool    // 1+log(count) for counts
	IDF          bool    // times log((1+n)/(1+df)) + 1
	Prenormalize bool    // scale a document's features to unit length

	// Memory is how many bytes training may take, 0 for as many as it does. Where rows don't fit, they are mapped from
	// files in the folder Temp.
	Memory  int64
	Temp    string
	Threads int
	// Mapped has rows mapped even if there is memory for them, to test and to measure that.
	Mapped bool

	Known *Known // nil, or features that have columns anyway

	Outputs int // that the solver trains, for the memory plan; 0 for none
	// RowsEach is how many rows of the problem a document is, as it is for several thresholds or shares of labels; 0 if
	// the rows of the matrix are those of the problem. It is for the memory plan, too.
	RowsEach int
}

// Matrix is the rows of some documents of a dataset, in ascending order.
type Matrix struct {
	Documents *roaring.Bitmap
	X         *sparse.CSR
	Mapped    bool     // the arrays of X are mapped from files, and may be larger than memory
	Temp      string   // folder of these
	Plan      string   // what is in memory and what is mapped
	Workers   int      // groups of classes that may be solved at a time, so that memory suffices; 0 for any number
	Keys      []uint64 // of every column
	// Frequencies are in how many documents each column is.
	Frequencies []uint32
	IDF         []float32 // of every column; nil without
	RowScale    []float64 // of every row, what makes it of unit length; nil without Prenormalize
	Universe    uint64    // keys are below it
	Stats       Stats

	valued  bool
	threads int
	free    []func()
	spare   sync.Pool // of numbers for every column, all 0; see Some
}

// Stats tell what became of the n-grams of a training set.
type Stats struct {
	Entries  int64  `json:"entries"`  // distinct n-grams, summed over documents
	Distinct uint64 `json:"distinct"` // distinct n-grams
	Selected uint64 `json:"selected"` // n-grams that count: columns
	NonZeros int64  `json:"non_zeros"`
}

// NewMatrix lays out the matrix of some documents.
func NewMatrix(ctx context.Context, ds *Dataset, documents *roaring.Bitmap, o MatrixOptions) (*Matrix, error) {
	ctx, end := par.WithStage(ctx, par.StageLayout)
	defer end()
	m := &Matrix{Documents: documents, valued: o.valued(ds), threads: o.Threads}
	err := m.layOut(ctx, ds, o)
	if err == nil && len(m.Keys) == 0 {
		err = fmt.Errorf("nbsvm: no features are left in %d documents of %s: every n-gram is filtered out (Options.MinDF %d, Options.MaxDF %v) or the texts are empty; Options.MinDF 1 keeps n-grams of a single document", documents.GetCardinality(), ds.From(), o.MinDF, o.MaxDF)
	}
	if err == nil && o.Prenormalize {
		m.RowScale = InverseNorms(m.X, m.IDF, o.Threads)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	m.Stats.NonZeros = m.X.NNZ()
	return m, nil
}

// InverseNorms returns the inverse norms of the rows (see [sparse.CSR.InverseNorms]), computed by several threads.
func InverseNorms(x *sparse.CSR, scale []float32, threads int) []float64 {
	const least = 1 << 10 // rows for a thread
	parts := max(min(threads, x.Rows/least), 1)
	norms := make([][]float64, parts)
	par.Do(parts, func(part int) {
		lo, hi := x.Rows*part/parts, x.Rows*(part+1)/parts
		some := *x
		some.Rows, some.Indptr = hi-lo, x.Indptr[lo:hi+1]
		norms[part] = some.InverseNorms(scale)
	})
	return slices.Concat(norms...)
}

// valued reports whether entries have values.
func (o *MatrixOptions) valued(ds *Dataset) bool {
	if ds.Ready() {
		return ds.Rows.Kind != vocab.Binary
	}
	return o.Counts || o.ByWord
}

// DocumentFrequencies returns the least and the most of n-grams that count, among so many documents.
func (o *MatrixOptions) DocumentFrequencies(documents int) (least, most uint32) {
	switch {
	case o.MaxDF < 1:
		most = uint32(o.MaxDF * float64(documents))
	case o.MaxDF > 1:
		most = uint32(o.MaxDF)
	default:
		most = math.MaxUint32
	}
	return uint32(o.MinDF), most
}

// Close gives the rows up. It may be called again.
func (m *Matrix) Close() {
	for _, free := range m.free {
		free()
	}
	m.free, m.X = nil, nil
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return m.X.Rows }

// Valued reports whether entries have values, and not all 1.
func (m *Matrix) Valued() bool { return m.valued }

// inverseDocumentFrequency computes log((1+n)/(1+df)) + 1, scikit-learn's smoothed idf.
func (m *Matrix) inverseDocumentFrequency() {
	n := float64(m.Documents.GetCardinality())
	m.IDF = make([]float32, len(m.Frequencies))
	for j, count := range m.Frequencies {
		m.IDF[j] = float32(xmath.Log((1+n)/(1+float64(count))) + 1)
	}
}

// sublinear takes 1+log(tf) of occurrences, where that is asked for.
func (o *MatrixOptions) sublinear(values []float32) {
	if !o.Sublinear {
		return
	}
	for k, v := range values {
		values[k] = xmath.Sublinear(v)
	}
}
