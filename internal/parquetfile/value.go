package parquetfile

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// meaning is what the values of a column are.
type meaning int

const (
	asBytes meaning = iota // text, or bytes
	asSigned
	asUnsigned
	asBool
	asFloat
	asDecimal
	asDate
	asTimestamp
	asUUID
	asOther // not supported
)

// scalar says how the values of a column are written.
type scalar struct {
	meaning meaning
	double  bool          // of floats
	scale   int           // of decimals
	unit    time.Duration // of timestamps
	utc     bool
	names   []string // of labels that are numbers; nil if they have none
}

// maxScale is more than decimals of 128 or 256 bits can have.
const maxScale = 100

func scalarOf(column *parquet.Column, e *format.SchemaElement) scalar {
	logical := &e.LogicalType
	if logical.Value == nil { // older files have converted types
		logical = column.Type().LogicalType()
	}
	if logical != nil {
		switch t := logical.Value.(type) {
		case *format.IntType:
			if !t.IsSigned {
				return scalar{meaning: asUnsigned}
			}
		case *format.DecimalType:
			return scalar{meaning: asDecimal, scale: min(max(int(t.Scale), 0), maxScale)}
		case *format.DateType:
			return scalar{meaning: asDate}
		case *format.TimestampType:
			return scalar{meaning: asTimestamp, unit: unitOf(t.Unit), utc: t.IsAdjustedToUTC}
		case *format.UUIDType:
			return scalar{meaning: asUUID}
		case *format.TimeType, *format.Float16Type:
			return scalar{meaning: asOther}
		}
	}
	switch e.Type.V {
	case format.Boolean:
		return scalar{meaning: asBool}
	case format.Int32, format.Int64:
		return scalar{meaning: asSigned}
	case format.Int96:
		return scalar{meaning: asTimestamp, unit: time.Nanosecond}
	case format.Float, format.Double:
		return scalar{meaning: asFloat, double: e.Type.V == format.Double}
	}
	return scalar{}
}

func unitOf(u format.TimeUnit) time.Duration {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	}
	return time.Nanosecond
}

// appendText appends what a value means as text: a string as it is, anything else as JSON without quotes. isNull tells
// numbers that are no label.
func (s *scalar) appendText(dst []byte, v parquet.Value) (text []byte, isNull bool) {
	if s.names != nil && s.meaning == asSigned {
		switch k := v.Int64(); {
		case k < 0: // -1 is no label in Hugging Face's datasets
			return dst, true
		case k < int64(len(s.names)):
			return append(dst, s.names[k]...), false
		}
	}
	switch s.meaning {
	case asBytes:
		return append(dst, v.Bytes()...), false
	case asSigned:
		return strconv.AppendInt(dst, v.Int64(), 10), false
	case asUnsigned:
		return strconv.AppendUint(dst, unsigned(v), 10), false
	case asBool:
		return strconv.AppendBool(dst, v.Boolean()), false
	case asFloat:
		if s.double {
			return appendFloat(dst, v.Double(), 64), false
		}
		return appendFloat(dst, float64(v.Float()), 32), false
	case asDecimal:
		return s.appendDecimal(dst, v), false
	case asDate:
		return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().AppendFormat(dst, time.DateOnly), false
	case asTimestamp:
		return s.appendTimestamp(dst, v), false
	case asUUID:
		return appendUUID(dst, v.Bytes()), false
	}
	return dst, true
}

// hasName reports whether a label that is a number has one of its names; all have where there are none.
func (s *scalar) hasName(v parquet.Value) bool {
	return s.names == nil || s.meaning != asSigned || v.Int64() < int64(len(s.names))
}

// isNumber reports whether values are numbers.
func (s *scalar) isNumber() bool {
	switch s.meaning {
	case asSigned, asUnsigned, asFloat, asDecimal:
		return true
	}
	return false
}

func unsigned(v parquet.Value) uint64 {
	if v.Kind() == parquet.Int32 {
		return uint64(uint32(v.Int32()))
	}
	return uint64(v.Int64())
}

// appendFloat gives equal numbers one spelling, as labels of JSON lines have it.
func appendFloat(dst []byte, x float64, bits int) []byte {
	if x == 0 {
		x = 0 // not -0
	}
	return strconv.AppendFloat(dst, x, 'g', -1, bits)
}

func (s *scalar) appendDecimal(dst []byte, v parquet.Value) []byte {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32, parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.Bytes()
		n.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s.scale)), nil)
	return append(dst, new(big.Rat).SetFrac(n, scale).FloatString(s.scale)...)
}

func (s *scalar) appendTimestamp(dst []byte, v parquet.Value) []byte {
	const day = 24 * 60 * 60
	var at time.Time
	layout := "2006-01-02T15:04:05.999999999"
	if v.Kind() == parquet.Int96 { // nanoseconds of a day that is counted from Julian day 0
		i := v.Int96()
		nanos := int64(uint64(i[1])<<32 | uint64(i[0]))
		at = time.Unix((int64(i[2])-2440588)*day, 0).Add(time.Duration(nanos))
	} else {
		per := int64(time.Second / s.unit)
		at = time.Unix(v.Int64()/per, v.Int64()%per*int64(s.unit))
	}
	if s.utc {
		layout += "Z"
	}
	return at.UTC().AppendFormat(dst, layout)
}

func appendUUID(dst, b []byte) []byte {
	for i := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[i:i+1])
	}
	return dst
}

// appendJSON appends a value as JSON: numbers and bools as they are, all else in quotes. Bytes that are no UTF-8 become
// U+FFFD. Numbers that JSON does not have, such as NaN, are null.
func (s *scalar) appendJSON(dst []byte, v parquet.Value) []byte {
	if v.IsNull() {
		return append(dst, "null"...)
	}
	switch s.meaning {
	case asSigned, asUnsigned, asBool, asFloat, asDecimal:
		if s.names == nil || s.meaning != asSigned {
			start := len(dst)
			dst, _ = s.appendText(dst, v)
			if !json.Valid(dst[start:]) {
				dst = append(dst[:start], "null"...)
			}
			return dst
		}
	}
	text, isNull := s.appendText(nil, v)
	if isNull {
		return append(dst, "null"...)
	}
	return display.AppendJSON(dst, text)
}
