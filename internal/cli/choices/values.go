package choices

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// Preset is the name of a preset.
type Preset string

// UnmarshalText refuses unknown names.
func (p *Preset) UnmarshalText(text []byte) error {
	*p = Preset(text)
	_, err := nbsvm.PresetNamed(string(text))
	return err
}

// Families are kinds of n-grams. Those without orders are given some.
type Families []hashing.Family

// Orders are a range of orders of n-grams, or what suits the documents.
type Orders struct {
	Lo, Hi int
	Auto   bool
}

// UnmarshalText reads a range such as 1-3, one order, or auto.
func (n *Orders) UnmarshalText(text []byte) error {
	if n.Auto = string(text) == "auto"; n.Auto {
		return nil
	}
	lo, hi, ranged := strings.Cut(string(text), "-")
	if !ranged {
		hi = lo
	}
	var err error
	if n.Lo, err = strconv.Atoi(lo); err == nil {
		n.Hi, err = strconv.Atoi(hi)
	}
	if err != nil {
		return fmt.Errorf("%q must be a range such as 1-2, or auto", text)
	}
	return nil
}

// UnmarshalJSON reads a pair of orders, or a text.
func (n *Orders) UnmarshalJSON(data []byte) error {
	var pair []int
	if json.Unmarshal(data, &pair) == nil && len(pair) == 2 {
		n.Lo, n.Hi = pair[0], pair[1]
		return nil
	}
	if n.UnmarshalText(unquoted(data)) != nil {
		return fmt.Errorf("nbsvm: ngrams must be a range such as (1, 2), or \"auto\", got %s", data)
	}
	return nil
}

// Beta is nbsvm.Options.Beta, or what suits the number of classes.
type Beta struct {
	Value float64
	Auto  bool
}

// UnmarshalText reads a number, or auto.
func (b *Beta) UnmarshalText(text []byte) (err error) {
	if b.Auto = string(text) == "auto"; b.Auto {
		return nil
	}
	if b.Value, err = strconv.ParseFloat(string(text), 64); err != nil {
		return fmt.Errorf("%q must be a number, or auto", text)
	}
	return nil
}

// UnmarshalJSON reads a number, or a text.
func (b *Beta) UnmarshalJSON(data []byte) error {
	return named("beta", b.UnmarshalText(unquoted(data)))
}

// MinDF is nbsvm.Options.MinDF, or AutoMinDF.
type MinDF struct {
	Value int
	Auto  bool
}

// UnmarshalText reads a number, or auto.
func (m *MinDF) UnmarshalText(text []byte) (err error) {
	if m.Auto = string(text) == "auto"; m.Auto {
		return nil
	}
	if m.Value, err = strconv.Atoi(string(text)); err != nil {
		return fmt.Errorf("%q is not a valid whole number; it must be 1 document or more, or auto", text)
	}
	return nil
}

// UnmarshalJSON reads a number, or a text.
func (m *MinDF) UnmarshalJSON(data []byte) error {
	return named("min_df", m.UnmarshalText(unquoted(data)))
}

// ClassWeight is nbsvm.Options.ClassWeight.
type ClassWeight nbsvm.ClassWeight

// UnmarshalText reads balanced, or labels with weights.
func (c *ClassWeight) UnmarshalText(text []byte) error {
	weights, err := nbsvm.ParseClassWeight(string(text))
	*c = ClassWeight(weights)
	return err
}

// UnmarshalJSON reads "balanced", or an object of labels.
func (c *ClassWeight) UnmarshalJSON(data []byte) error {
	if c.Balanced = string(data) == `"balanced"`; c.Balanced {
		return nil
	}
	if err := json.Unmarshal(data, &c.Weights); err != nil {
		return fmt.Errorf("nbsvm: class_weight must be \"balanced\" or a dict of labels and factors, got %s", data)
	}
	return nil
}

// Size is a number of bytes, with or without a unit.
type Size int64

// byteUnits are the units in capitals. A letter alone is a multiple of 1024, as most programs take it.
var byteUnits = map[string]float64{
	"": 1, "B": 1,
	"K": 1 << 10, "KI": 1 << 10, "KIB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MI": 1 << 20, "MIB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GI": 1 << 30, "GIB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TI": 1 << 40, "TIB": 1 << 40, "TB": 1e12,
}

// UnmarshalText reads a size such as 512MiB.
func (s *Size) UnmarshalText(text []byte) error {
	size := strings.ToUpper(strings.TrimSpace(string(text)))
	number := strings.TrimRight(size, "KMGTIB")
	unit, known := byteUnits[size[len(number):]]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known || !(n >= 0) || n*unit > 1<<62 {
		return fmt.Errorf("%q is not a size such as 512MiB or 8GiB; units are KiB, MiB, GiB and TiB (or K, Ki and so on), KB, MB, GB and TB, and none for bytes", text)
	}
	*s = Size(n * unit)
	return nil
}

// UnmarshalJSON reads a number of bytes, or a text.
func (s *Size) UnmarshalJSON(data []byte) error {
	return named("memory or max_model", s.UnmarshalText(unquoted(data)))
}

// unquoted is a JSON number or string as text.
func unquoted(data []byte) []byte { return bytes.Trim(data, `"`) }

// named says of which argument of Python a value is.
func named(argument string, err error) error {
	if err != nil {
		return fmt.Errorf("nbsvm: %s: %w", argument, err)
	}
	return nil
}
