package model

import "slices"

// Sections of rules.
const (
	Trees      = "TREES"    // boosted decision trees
	Neighbours = "NEIGHBRS" // documents, of which the nearest decide
)

// ruleSections are all of them; a model has one at most.
var ruleSections = []string{Trees, Neighbours}

// Rule is how a model that is not linear decides. What the data mean is known to the package that decides by them,
// which checks them, too.
type Rule struct {
	Section string // Trees or Neighbours
	Data    []byte // begins at a multiple of 8 bytes in memory, and of 64 in the file
}

// checkRule checks what stands beside a rule.
func (m *Model) checkRule() *fileError {
	switch {
	case !slices.Contains(ruleSections, m.Rule.Section):
		return at("HEADER", 0, "a rule of section %q: it must be one of %v", m.Rule.Section, ruleSections)
	case m.Ratio != nil || m.SparseRatio != nil:
		return at("HEADER", 0, "there is a ratio beside section %s, which has no weights", m.Rule.Section)
	case slices.ContainsFunc(m.Base, func(b float64) bool { return b != 0 }):
		return at("BASE", 0, "a number is not zero beside section %s, which has no weights", m.Rule.Section)
	}
	return nil
}
