package sparse

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"unsafe"
)

// MaxSVMLightID is the largest feature number that SVMlight text may use.
const MaxSVMLightID = math.MaxInt32 - 1

// FeatureError says which feature of an SVMlight row is wrong.
type FeatureError struct {
	Offset int    // in bytes, from the start of the row's text
	Text   string // the offending field, shortened
	Err    error
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("sparse: feature %q at byte %d of the row: %v", e.Text, e.Offset, e.Err)
}

func (e *FeatureError) Unwrap() error { return e.Err }

var (
	errNoColon   = errors.New("want index:value")
	errBadIndex  = fmt.Errorf("the index must be a whole number from 1 to %d", MaxSVMLightID)
	errZeroBased = errors.New("indices begin at 1 (scikit-learn's dump_svmlight_file writes them so with zero_based=False)")
	errNotRising = errors.New("indices must rise from left to right")
	errBadValue  = errors.New("the value must be a finite number within float32")
)

// AppendSVMLight parses "index:value index:value …" (blanks or tabs between)
// and appends it to idx and val. The indices stay as they are in the text (from
// 1) and must rise strictly. Explicit zeros are left out. The error is a
// *FeatureError.
func AppendSVMLight(idx []uint32, val []float32, text []byte) ([]uint32, []float32, error) {
	last := int64(0)
	for pos := 0; ; {
		for pos < len(text) && isBlank(text[pos]) {
			pos++
		}
		if pos == len(text) {
			return idx, val, nil
		}
		start := pos
		for pos < len(text) && !isBlank(text[pos]) {
			pos++
		}
		j, v, err := parseFeature(text[start:pos])
		if err == nil && int64(j) <= last {
			err = errNotRising
		}
		if err != nil {
			field := text[start:pos]
			return idx, val, &FeatureError{Offset: start, Text: string(field[:min(len(field), 40)]), Err: err}
		}
		last = int64(j)
		if v != 0 {
			idx, val = append(idx, j), append(val, v)
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func parseFeature(field []byte) (uint32, float32, error) {
	var j int64
	k := 0
	for k < len(field) && field[k] >= '0' && field[k] <= '9' && j <= MaxSVMLightID {
		j = j*10 + int64(field[k]-'0')
		k++
	}
	switch {
	case k == len(field) && j <= MaxSVMLightID:
		return 0, 0, errNoColon
	case k > 0 && k < len(field) && field[k] == ':' && j == 0:
		return 0, 0, errZeroBased
	case k == 0 || k == len(field) || field[k] != ':' || j < 1 || j > MaxSVMLightID:
		return 0, 0, errBadIndex
	}
	number := field[k+1:]
	if len(number) == 1 && number[0] >= '0' && number[0] <= '9' {
		return uint32(j), float32(number[0] - '0'), nil
	}
	// ParseFloat keeps nothing of its argument unless it fails.
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(number), len(number)), 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, 0, errBadValue
	}
	return uint32(j), float32(v), nil
}

// AppendSVMLightRow appends a row in SVMlight text, "label index:value …" and a
// line feed. ids are ascending, from 0; their indices are from 1. Values have as
// many digits as bring them back exactly.
func AppendSVMLightRow(dst []byte, label string, ids []uint32, values []float64) []byte {
	dst = append(dst, label...)
	for k, j := range ids {
		dst = append(dst, ' ')
		dst = strconv.AppendUint(dst, uint64(j)+1, 10)
		dst = append(dst, ':')
		dst = strconv.AppendFloat(dst, values[k], 'g', -1, 64)
	}
	return append(dst, '\n')
}

// SortRow sorts ids in ascending order and moves values along.
func SortRow[K uint32 | uint64, V float32 | float64](ids []K, values []V) {
	sort.Sort(&row[K, V]{ids, values})
}

type row[K uint32 | uint64, V float32 | float64] struct {
	ids    []K
	values []V
}

func (r *row[K, V]) Len() int           { return len(r.ids) }
func (r *row[K, V]) Less(i, k int) bool { return r.ids[i] < r.ids[k] }
func (r *row[K, V]) Swap(i, k int) {
	r.ids[i], r.ids[k] = r.ids[k], r.ids[i]
	r.values[i], r.values[k] = r.values[k], r.values[i]
}
