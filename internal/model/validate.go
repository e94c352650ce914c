package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// check finds out whether the parts of a model fit each other (lengths, orders, ranges), and
// whether all numbers are finite. It looks at small things before large ones.
func (m *Model) check() *fileError {
	for _, check := range []func() *fileError{
		m.checkShape, func() *fileError { return m.Meta.check(m) }, m.checkOutputs,
		m.checkWeights, m.checkNames,
	} {
		if bad := check(); bad != nil {
			return bad
		}
	}
	return nil
}

// checkSize checks what must be right before sections can be read.
func (m *Model) checkSize() *fileError {
	switch {
	case m.Universe > 1<<hashing.MaxKeyBits:
		return at(sizeSection, 0, "a universe of %d keys: at most %d are possible", m.Universe, uint64(1)<<hashing.MaxKeyBits)
	case m.Outputs < 1 || m.Outputs > MaxOutputs:
		return at(sizeSection, 16, "%d outputs: must be 1 to %d", m.Outputs, MaxOutputs)
	}
	return nil
}

func (m *Model) checkShape() *fileError {
	if bad := m.checkSize(); bad != nil {
		return bad
	}
	switch {
	case m.Rule != nil && (m.Dense != nil || m.Sparse != nil):
		return at("TABLE", 0, "there are weights beside section %s: one is possible", m.Rule.Section)
	case m.Rule == nil && (m.Dense == nil) == (m.Sparse == nil):
		return at("TABLE", 0, "there must be either dense or sparse weights")
	}
	return nil
}

func (meta *Meta) check(m *Model) *fileError {
	wrong := func(format string, args ...any) *fileError { return at("META", 0, format, args...) }
	labels, outputs := len(meta.Labels), m.Outputs
	switch meta.Task {
	case "binary":
		if labels != 2 || outputs != 1 {
			return wrong("%d labels and %d outputs: a binary model has 2 and 1", labels, outputs)
		}
	case "regression":
		if labels != 1 || outputs != 1 || meta.Paths != nil {
			return wrong("%d labels and %d outputs: a model of numbers has 1 of each", labels, outputs)
		}
	case "multiclass", "multilabel":
		if labels != outputs && meta.Paths == nil {
			return wrong("%d labels and %d outputs: a %s model has as many", labels, outputs, meta.Task)
		}
	default:
		return wrong("task %q: must be binary, multiclass, multilabel or regression", meta.Task)
	}
	if (meta.Task == "regression") != (meta.Link == "number" || meta.Link == "levels" || meta.Link == "level") {
		return wrong("link %q of task %q: links number, levels and level are for regression, and no other", meta.Link, meta.Task)
	}
	if (meta.Link == "levels" || meta.Link == "level") != (meta.Levels != nil) || meta.Levels != nil && !meta.Levels.check() {
		return wrong("link %q: levels must ascend, each but the last with an intercept, and no other link has any", meta.Link)
	}
	if r := meta.Range; r != nil && (meta.Link != "number" || !(r[0] <= r[1])) {
		return wrong("a range from %v to %v: it is for numbers, and must ascend", r[0], r[1])
	}
	switch meta.Link {
	case "margin", "sigmoid", "paths", "number", "levels", "level":
	case "share":
		if m.Rule == nil {
			return wrong("link share is for documents that vote, and there are none")
		}
	case "softmax":
		if meta.Task == "binary" {
			return wrong("link softmax needs an output per label, and a binary model has one")
		}
	case "platt":
		if m.Platt == nil {
			return wrong("link platt needs the numbers of section PLATT")
		}
	case "temperature":
		if m.Temperature == 0 || meta.Task != "multiclass" {
			return wrong("link temperature needs the number of section TEMP, and a task multiclass")
		}
	default:
		return wrong("link %q: must be margin, sigmoid, share, softmax, platt, temperature, paths, number or levels", meta.Link)
	}
	switch meta.Source { // other sources are for those who score
	case "":
		return wrong("no source of features")
	case "text":
		if err := meta.Text.Validate(); err != nil {
			return wrong("%v", err)
		}
		if meta.Text.Bits > hashing.MaxKeyBits || m.Universe != 1<<meta.Text.Bits {
			return wrong("%d bits of hash and a universe of %d keys: it must be %d",
				meta.Text.Bits, m.Universe, uint64(1)<<meta.Text.Bits)
		}
	}
	if strings.HasPrefix(meta.Values, "log-") && meta.Source != "text" {
		return wrong("features of %s have no counts that their logarithm could be taken of", meta.Source)
	}
	if err := meta.Input.Validate(); err != nil {
		return wrong("input: %v", err)
	}
	if meta.Made != nil && !json.Valid(meta.Made) {
		return wrong("how the model was made is not valid JSON")
	}
	seen := make(map[string]struct{}, labels)
	for i, label := range meta.Labels {
		if _, ok := seen[label]; ok {
			return at("LABELS", 8+8*i, "label %.100q is there twice", label)
		}
		seen[label] = struct{}{}
	}
	if bad := checkStrings("LABELS", meta.labelNames()); bad != nil {
		return bad
	}
	if meta.Closed != "" {
		nodes, err := PathNodes(meta.Labels, meta.Closed, MaxOutputs)
		if err != nil || meta.Task != "multilabel" || meta.Paths != nil || !slices.Equal(nodes, meta.Labels) {
			return wrong("labels are to be all nodes of a tree, of which a document has any number, and they are not")
		}
	}
	return meta.checkPaths(outputs)
}

// A margin below 2^952 (see moderate), divided by a temperature from 1e-9 on, is one that a float64 holds.
const leastTemperature, mostTemperature = 1e-9, 1e9

// checkOutputs checks what is there per output.
func (m *Model) checkOutputs() *fileError {
	for _, s := range []struct {
		name   string
		values []float64
		check  func(section string, s []float64) *fileError
	}{{"BIAS", m.Bias, moderate}, {"BASE", m.Base, moderate}, {"THRESH", m.Threshold, finite[float64]}} {
		if len(s.values) != m.Outputs {
			return wrongLength(s.name, len(s.values), m.Outputs, "numbers, one per output")
		}
		if p := s.check(s.name, s.values); p != nil {
			return p
		}
	}
	if t := m.Temperature; t != 0 && !(t >= leastTemperature && t <= mostTemperature) {
		return at("TEMP", 0, "the temperature is %v: it must be from %v to %v", t, leastTemperature, mostTemperature)
	}
	if m.Rule != nil {
		if p := m.checkRule(); p != nil {
			return p
		}
	}
	if m.Platt == nil {
		return nil
	}
	if len(m.Platt) != m.Outputs {
		return wrongLength("PLATT", len(m.Platt), m.Outputs, "pairs, one per output")
	}
	flat := make([]float64, 0, 2*len(m.Platt))
	for _, p := range m.Platt {
		flat = append(flat, p.A, p.B)
	}
	return finite("PLATT", flat)
}

// checkWeights checks what is there per row.
func (m *Model) checkWeights() *fileError {
	rows := m.Keys.Size()
	all := uint64(rows) * uint64(m.Outputs)
	for _, s := range []struct {
		name    string
		numbers Numbers
		missing bool
		want    uint64
	}{
		{"DENSE", m.Dense, m.Dense == nil, all},
		{"RATIO", m.Ratio, m.Ratio == nil, uint64(rows)},
		{"IDF", Float32s(m.IDF), m.IDF == nil, uint64(rows)},
	} {
		if s.missing {
			continue
		}
		if p := checkNumbers(s.name, s.numbers, s.want, "numbers"); p != nil {
			return p
		}
	}
	if m.Sparse != nil {
		if p := m.Sparse.check(outputsSection, numbersSection, rows, m.Outputs); p != nil {
			return p
		}
	}
	return nil
}

func (m *Model) checkNames() *fileError {
	for i, name := range m.Names {
		if i > 0 && name.Row <= m.Names[i-1].Row {
			return at("NAMES", 8+8*i, "row %d follows row %d: names must ascend by row", name.Row, m.Names[i-1].Row)
		}
		if int(name.Row) >= m.Keys.Size() {
			return at("NAMES", 8+8*i, "row %d, named %.100q, is not one of %d", name.Row, name.Text, m.Keys.Size())
		}
	}
	return checkStrings("NAMES", m.Names)
}
