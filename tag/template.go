package tag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// DefaultTemplates suit parts of speech and chunks: the word and its neighbours, prefixes, suffixes and shapes.
const DefaultTemplates = "bias w[0] l[0] p1[0] p2[0] p3[0] p4[0] s1[0] s2[0] s3[0] s4[0] shape[0] " +
	"l[-2] l[-1] l[1] l[2] shape[-1] shape[1] s2[-1] s2[1] s3[-1] s3[1] " +
	"l[-2]|l[-1] l[-1]|l[0] l[0]|l[1] l[1]|l[2] l[-1]|l[1] shape[-1]|shape[0] shape[0]|shape[1] s3[0]|l[-1] s3[0]|l[1]"

// ColumnTemplates are added to DefaultTemplates for each further column of a CoNLL file, such as the part of speech,
// with the column's number in place of N (Ramshaw and Marcus, "Text chunking using transformation-based learning",
// 1995).
const ColumnTemplates = "cN[-2] cN[-1] cN[0] cN[1] cN[2] cN[-2]|cN[-1] cN[-1]|cN[0] cN[0]|cN[1] cN[1]|cN[2] " +
	"cN[-2]|cN[-1]|cN[0] cN[-1]|cN[0]|cN[1] cN[0]|cN[1]|cN[2] l[0]|cN[0]"

// mostFull is how many columns get all of ColumnTemplates; where there are more, each has the column of the word
// itself.
const mostFull = 3

// templatesOf returns the default templates for a file with this number of columns. Those of CoNLL-U are what a
// tagger is
// to find out, and are not taken.
func templatesOf(as Reading, columns int) string {
	all := DefaultTemplates
	if as.Format != CoNLL {
		return all
	}
	for column := 1; column <= columns; column++ {
		if column == as.WordColumn || column == as.Column {
			continue
		}
		of := ColumnTemplates
		if columns-2 > mostFull {
			of = "cN[0]"
		}
		all += " " + strings.ReplaceAll(of, "N", strconv.Itoa(column))
	}
	return all
}

const (
	mostTemplates = 2000
	mostReach     = 8
	mostAffix     = 9
)

// attribute is a property of a word that a template uses.
type attribute struct {
	kind   byte // w, l, p, s, shape's 'x', c
	length int  // of a prefix or suffix; the number of a column
	offset int  // of the word, from the one that is tagged
	index  int  // among the distinct attributes of the templates
}

// template makes a feature of some attributes together.
type template struct {
	text       string
	seed       uint64
	attributes []attribute
}

// templates are the templates of a model.
type templates struct {
	list     []template
	distinct []attribute // without their offsets
	affix    int         // the longest
	columns  int         // the highest number of a column
}

// parseTemplates reads templates between blanks; the attributes of one are joined by |.
func parseTemplates(text string) (*templates, error) {
	t := &templates{}
	seen := map[string]bool{}
	for field := range strings.FieldsSeq(text) {
		if seen[field] {
			return nil, fmt.Errorf("tag: template %s is given twice", field)
		}
		seen[field] = true
		one := template{text: field, seed: hashString(field)}
		if field != "bias" {
			for part := range strings.SplitSeq(field, "|") {
				a, err := parseAttribute(part)
				if err != nil {
					return nil, fmt.Errorf("tag: template %s: %w", field, err)
				}
				a.index = t.index(a)
				one.attributes = append(one.attributes, a)
			}
		}
		t.list = append(t.list, one)
	}
	switch n := len(t.list); {
	case n == 0:
		return nil, errors.New("tag: there are no templates")
	case n > mostTemplates:
		return nil, fmt.Errorf("tag: templates must be at most %d, got %d", mostTemplates, n)
	}
	return t, nil
}

// index returns the place of an attribute among the distinct ones, and adds a new one.
func (t *templates) index(a attribute) int {
	a.offset = 0
	for i, b := range t.distinct {
		if a == b {
			return i
		}
	}
	t.distinct = append(t.distinct, a)
	switch a.kind {
	case 'p', 's':
		t.affix = max(t.affix, a.length)
	case 'c':
		t.columns = max(t.columns, a.length)
	}
	return len(t.distinct) - 1
}

// parseAttribute reads NAME[OFFSET].
func parseAttribute(text string) (a attribute, err error) {
	name, rest, ok := strings.Cut(text, "[")
	number, after, closed := strings.Cut(rest, "]")
	if !ok || !closed || after != "" {
		return a, fmt.Errorf("%q is not like w[0] or s3[-1]", text)
	}
	if a.offset, err = strconv.Atoi(number); err != nil || a.offset < -mostReach || a.offset > mostReach {
		return a, fmt.Errorf("[%s] must be a whole number from -%d to %d", number, mostReach, mostReach)
	}
	switch {
	case name == "w", name == "l":
		a.kind = name[0]
		return a, nil
	case name == "shape":
		a.kind = 'x'
		return a, nil
	case name == "" || !strings.Contains("psc", name[:1]):
		return a, fmt.Errorf("unknown name %q; use w (word), l (lower case), p1 to p%d (prefix), s1 to s%d (suffix), shape, "+
			"or c1, c2, … (column)", name, mostAffix, mostAffix)
	}
	a.kind = name[0]
	most := mostAffix
	if a.kind == 'c' {
		most = mostColumns
	}
	if a.length, err = strconv.Atoi(name[1:]); err != nil || a.length < 1 || a.length > most {
		return a, fmt.Errorf("%s: the number behind %c must be from 1 to %d", name, a.kind, most)
	}
	return a, nil
}

// FNV-1a, 64 bits.
const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
)

func hashBytes(h uint64, text []byte) uint64 {
	for _, c := range text {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

func hashString(text string) uint64 { return kernels.Mix(hashBytes(fnvBasis, []byte(text))) }
