package model

import "slices"

// Sections of rules.
const (
	Trees      = "TREES"    // boosted decision trees
	Neighbours = "NEIGHBRS" // documents, of which the nearest vote
)

// ruleSections are all of them; a model has one at most.
var ruleSections = []string{Trees, Neighbours}

// Rule is how a model that is not linear decides.
type Rule struct {
	Section string // Trees or Neighbours
	// Data are trees, which package boost reads and checks. They begin at a multiple of 8 bytes in memory, and of 64 in
	// the file.
	Data      []byte
	Documents *Documents // of Neighbours; nil for Trees
}

func newRule(section string) *Rule {
	r := &Rule{Section: section}
	if section == Neighbours {
		r.Documents = &Documents{Postings: &Sparse{}, Votes: &Sparse{}}
	}
	return r
}

// fields returns the sections of a rule of a model with so many rows.
func (r *Rule) fields(rows int, meta *Meta) []field {
	if r.Documents != nil {
		return r.Documents.fields(rows, meta)
	}
	return require([]field{arrayField(r.Section, &r.Data)})
}

// checkRule checks a rule and what stands beside it.
func (m *Model) checkRule() *fileError {
	switch r := m.Rule; {
	case !slices.Contains(ruleSections, r.Section):
		return at("TABLE", 0, "a rule of section %q: it must be one of %v", r.Section, ruleSections)
	case (r.Section == Neighbours) != (r.Documents != nil):
		return at("TABLE", 0, "section %s is for documents that vote, and no other", Neighbours)
	case m.Ratio != nil:
		return at("TABLE", 0, "there is a ratio beside section %s, which has no weights", r.Section)
	case slices.ContainsFunc(m.Base, func(b float64) bool { return b != 0 }):
		return at("BASE", 0, "a number is not zero beside section %s, which has no weights", r.Section)
	case r.Documents != nil:
		return r.Documents.check(m)
	}
	return nil
}
