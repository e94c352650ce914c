package records

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// Condition says which rows are read: those of which all comparisons hold.
type Condition struct{ all []comparison }

// comparison compares a field with a value. Nothing but null equals null, and nothing compares with it otherwise.
type comparison struct {
	path, op string
	text     string // of the value
	quoted   bool
	null     bool
}

var comparisonParts = regexp.MustCompile(`^\s*([^\s=<>!]+)\s*(==|=|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|[^\s'"]+)\s*`)

// ParseCondition reads comparisons as lang = 'en' and score >= 0.5.
func ParseCondition(text string) (*Condition, error) {
	c := &Condition{}
	for rest := text; ; {
		m := comparisonParts.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("%q must be comparisons FIELD OP VALUE joined by and, with OP one of = != < <= > >=, as in lang = 'en' and score >= 0.5", text)
		}
		of := comparison{path: m[1], op: strings.Replace(m[2], "==", "=", 1), text: m[3]}
		if q := of.text[0]; q == '\'' || q == '"' {
			of.text, of.quoted = of.text[1:len(of.text)-1], true
		} else if of.text == "null" {
			if of.null = true; of.op != "=" && of.op != "!=" {
				return nil, fmt.Errorf("%q: null has no order: use = or !=", text)
			}
		}
		c.all = append(c.all, of)
		rest = rest[len(m[0]):]
		if rest == "" {
			return c, nil
		}
		behind, is := strings.CutPrefix(rest, "and")
		if !is || behind == strings.TrimLeft(behind, " \t\n") {
			return nil, fmt.Errorf("%q: comparisons must be joined by and, got %q", text, rest)
		}
		rest = behind
	}
}

// test is a comparison with a column.
type test struct {
	*field
	comparison
	// order compares a value that is not null with the comparison's; ok is false where they have no order.
	order func(v parquet.Value) (order int, ok bool)
}

func (f *File) tests(c *Condition) (tests []*test, err error) {
	if c == nil {
		return nil, nil
	}
	for _, of := range c.all {
		t := &test{comparison: of}
		if t.field, err = f.field(kept, of.path, "field of --only", "--only"); err != nil {
			return nil, err
		}
		if t.list {
			return nil, refuse("column %s is a list; --only compares single values", wording.Excerpt(of.path))
		}
		if !of.null {
			if err := t.compile(); err != nil {
				return nil, refuse("--only: column %s is %s, which can't be compared with %s: %w", wording.Excerpt(of.path), typeName(t.Column), wording.Excerpt(of.text), err)
			}
		}
		tests = append(tests, t)
	}
	return tests, nil
}

// compile makes the order of the column's values and the comparison's.
func (t *test) compile() error {
	s := &t.scalar
	if s.names != nil && s.meaning == asSigned && t.quoted {
		k := int64(slices.Index(s.names, t.text))
		if k < 0 {
			return fmt.Errorf("the labels are %s", wording.Excerpts(s.names))
		}
		t.order = func(v parquet.Value) (int, bool) { return cmp.Compare(v.Int64(), k), true }
		return nil
	}
	switch s.meaning {
	case asBytes:
		want := []byte(t.text)
		t.order = func(v parquet.Value) (int, bool) { return bytes.Compare(v.Bytes(), want), true }
	case asUUID:
		t.order = func(v parquet.Value) (int, bool) {
			return strings.Compare(string(appendUUID(nil, v.Bytes())), strings.ToLower(t.text)), true
		}
	case asBool:
		want, err := strconv.ParseBool(t.text)
		t.order = func(v parquet.Value) (int, bool) {
			return cmp.Compare(strconv.FormatBool(v.Boolean()), strconv.FormatBool(want)), true
		}
		return err
	case asSigned:
		if want, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			t.order = func(v parquet.Value) (int, bool) { return cmp.Compare(v.Int64(), want), true }
			return nil
		}
		return t.number(func(v parquet.Value) float64 { return float64(v.Int64()) })
	case asUnsigned:
		if want, err := strconv.ParseUint(t.text, 10, 64); err == nil {
			t.order = func(v parquet.Value) (int, bool) { return cmp.Compare(unsigned(v), want), true }
			return nil
		}
		return t.number(func(v parquet.Value) float64 { return float64(unsigned(v)) })
	case asFloat, asHalf, asDecimal:
		return t.number(func(v parquet.Value) float64 {
			text, _ := s.appendText(nil, v)
			x, _ := strconv.ParseFloat(string(text), 64)
			return x
		})
	case asDate, asTimestamp, asTime:
		want, err := parseTime(t.text)
		t.order = func(v parquet.Value) (int, bool) {
			text, _ := s.appendText(nil, v)
			at, err := parseTime(string(text))
			return at.Compare(want), err == nil
		}
		return err
	}
	return nil
}

func (t *test) number(of func(v parquet.Value) float64) error {
	want, err := strconv.ParseFloat(t.text, 64)
	t.order = func(v parquet.Value) (int, bool) {
		x := of(v)
		return cmp.Compare(x, want), !math.IsNaN(x)
	}
	return err
}

// parseTime reads a time as appendText writes it; what is left out is 0.
func parseTime(text string) (at time.Time, err error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "15:04:05.999999999"} {
		if at, err = time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return at, fmt.Errorf("a time must be written as 2006-01-02 or 2006-01-02T15:04:05")
}

// passes tells whether a value passes; null where there is none.
func (t *test) passes(v parquet.Value) bool {
	if v.IsNull() || t.null {
		return t.null && v.IsNull() == (t.op == "=")
	}
	order, ok := t.order(v)
	if !ok {
		return t.op == "!="
	}
	return holds(t.op, order)
}

func holds(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// mayPass tells by the statistics of a column chunk whether a value of it may pass.
func (t *test) mayPass(chunk parquet.ColumnChunk) bool {
	of, is := chunk.(*parquet.FileColumnChunk)
	switch t.scalar.meaning {
	case asBytes, asSigned, asUnsigned, asDate, asTimestamp, asTime:
	default: // orders that statistics may not have
		return true
	}
	if !is || t.null {
		return true
	}
	lo, hi, ok := of.Bounds()
	if !ok || lo.IsNull() || hi.IsNull() || lo.Kind() == parquet.Int96 {
		return true
	}
	low, ok1 := t.order(lo)
	high, ok2 := t.order(hi)
	if !ok1 || !ok2 || low > high {
		return true
	}
	switch t.op {
	case "=":
		return low <= 0 && high >= 0
	case "!=":
		return low != 0 || high != 0
	case "<", "<=":
		return holds(t.op, low)
	}
	return holds(t.op, high)
}
