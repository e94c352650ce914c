package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// maxSVMLightID is the largest feature number that SVMlight text may have here: 2^31-2.
const maxSVMLightID = math.MaxInt32 - 1

// FeatureError is the error of [AppendSVMLight]: it says which feature of a row is wrong, and why.
type FeatureError struct {
	Offset int    // byte of the row's text at which the feature begins, from 0
	Text   string // the feature, or its first 40 bytes
	Err    error  // the reason
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("sparse: feature %q at byte %d of the row: %v", e.Text, e.Offset, e.Err)
}

func (e *FeatureError) Unwrap() error { return e.Err }

var (
	errNoColon   = errors.New("a feature must look like index:value")
	errBadIndex  = fmt.Errorf("the index must be a whole number from 1 to %d", maxSVMLightID)
	errZeroBased = errors.New("indices must start at 1 (scikit-learn's dump_svmlight_file needs zero_based=False)")
	errNotRising = errors.New("indices must increase from left to right")
	errBadValue  = errors.New("the value must be a finite number in the range of float32")
)

// AppendSVMLight parses the features of a row of SVMlight text, "index:value index:value …", separated by spaces, tabs
// or carriage returns. It appends the indices to idx and the values to val. Indices are whole numbers from 1 to
// 2^31-2 and must increase. They are returned as they stand in the text: subtract 1 for the columns of a
// [CSR]. Features whose value is 0 are left out. The error is a [*FeatureError].
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
	for k < len(field) && field[k] >= '0' && field[k] <= '9' && j <= maxSVMLightID {
		j = j*10 + int64(field[k]-'0')
		k++
	}
	switch {
	case k == len(field) && j <= maxSVMLightID:
		return 0, 0, errNoColon
	case k > 0 && k < len(field) && field[k] == ':' && j == 0:
		return 0, 0, errZeroBased
	case k == 0 || k == len(field) || field[k] != ':' || j < 1 || j > maxSVMLightID:
		return 0, 0, errBadIndex
	}
	number := field[k+1:]
	if len(number) == 1 && number[0] >= '0' && number[0] <= '9' {
		return uint32(j), float32(number[0] - '0'), nil
	}
	// ParseFloat keeps nothing of its argument unless it fails.
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(number), len(number)), 32)
	// Go takes underscores between digits.
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || bytes.IndexByte(number, '_') >= 0 {
		return 0, 0, errBadValue
	}
	return uint32(j), float32(v), nil
}

// AppendSVMLightRow appends a row of SVMlight text to dst: "label index:value …" and a line feed. ids are columns,
// from 0, which must ascend; the indices in the text are one higher. Values have as many digits as it takes to read
// back the same float64; columns beyond their end have the value 1.
func AppendSVMLightRow(dst []byte, label string, ids []uint32, values []float64) []byte {
	dst = append(dst, label...)
	for k, j := range ids {
		dst = append(dst, ' ')
		dst = strconv.AppendUint(dst, uint64(j)+1, 10)
		dst = append(dst, ':')
		value := 1.0
		if k < len(values) {
			value = values[k]
		}
		dst = strconv.AppendFloat(dst, value, 'g', -1, 64)
	}
	return append(dst, '\n')
}
