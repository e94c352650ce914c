package corpus

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// XMLRepo is the format of the Extreme Classification Repository: a header with the numbers of points, features and
// labels, then label,label index:value index:value …, with ready-made features. Labels and indices count from 0. A line
// may have no labels; it then begins with a blank, or is empty. Documents are read as [SVMLight], whose indices count
// from 1: feature 0 is 1 there.
const XMLRepo Format = "xmlrepo"

var xmlrepoFormat = format{
	name: XMLRepo, as: SVMLight, shape: "a header of points, features and labels, then label,label index:value from 0",
	open:  openXMLRepo,
	parse: (*parser).xmlrepo,
	empty: onlyBlanks, // where there is no header, as all lines are
}

// points are what a header of XMLRepo says.
type points struct {
	count, features, labels int64
	line                    int64 // of the header
}

var (
	pointsHeader = regexp.MustCompile(`^(\d{1,10}) (\d{1,10}) (\d{1,10}) *$`)
	pointsLine   = regexp.MustCompile(`^[\d,]*([ \t]+\d+:[-+.\deE]+)*[ \t]*$`)
)

// hasPoints tells whether a file begins with a header of XMLRepo, and then with such lines, one of which has a feature.
func (p *peeker) hasPoints() (has bool) {
	if !pointsHeader.Match(p.first) {
		return false
	}
	q := *p
	for range sniffRecords {
		line, ok := q.next()
		if !ok || !pointsLine.Match(line) {
			break
		}
		if has = bytes.IndexByte(line, ':') >= 0; has {
			break
		}
	}
	p.line = p.cut.buf[p.cut.start+p.begin:][:len(p.line)] // which may have moved
	return has
}

// openXMLRepo takes the header.
func openXMLRepo(r *Reader, p *peeker) (contents, error) {
	f := r.file
	t := &text{file: f, cut: r.cut}
	if p.first == nil { // the file is empty, or has blank lines alone, which are too many without a header
		f.points = &points{}
		return t, nil
	}
	parts := pointsHeader.FindSubmatch(p.first)
	switch {
	case parts == nil:
		return nil, p.refuse("is not xmlrepo: its first line must be the numbers of points, features and labels; without them, svmlight has indices from 1")
	case r.o.Headers:
		return nil, p.refuse("is xmlrepo, whose header counts its lines, so that some of them can't stand in a file: make it svmlight first, tail -n +2 FILE | perl -pe 's/(\\d+):/($1+1).\":\"/ge'")
	}
	var numbers [3]int64
	for i := range numbers {
		numbers[i], _ = strconv.ParseInt(string(parts[i+1]), 10, 64) // of digits, which fit
	}
	f.points = &points{numbers[0], numbers[1], numbers[2], p.number}
	t.takeHeader(p, len(p.line))
	return t, nil
}

// xmlrepo is a record of XMLRepo. Its text is that of SVMLight.
func (p *parser) xmlrepo(d *Document, record []byte) error {
	of, start := p.file.points, len(p.labels)
	if d.Line-of.line > of.count {
		return &fault{reason: Other, what: fmt.Sprintf("more lines than the %d points of the header", of.count), near: record, hint: "correct the header, or remove the lines"}
	}
	labels, rest := cutField(record)
	if bytes.IndexByte(labels, ':') >= 0 {
		labels, rest = nil, trimBlanks(record)
	}
	for label := range bytes.SplitSeq(labels, []byte{','}) {
		switch n, err := strconv.ParseInt(string(label), 10, 64); {
		case p.file.o.Unlabelled || len(labels) == 0:
		case err != nil || n < 0 || n >= of.labels:
			return &fault{reason: WrongLabel, what: fmt.Sprintf("label %s is not one of the header's %d, which are 0 to %d", display.Excerpt(label), of.labels, of.labels-1), near: record, hint: "correct the header or the line"}
		default:
			p.labels = append(p.labels, p.number(label))
		}
	}
	size := len(rest) + bytes.Count(rest, []byte{':'}) // an index that is one higher has one more digit at most
	text, last := p.Room(size), int64(-1)
	for len(rest) > 0 {
		var feature []byte
		feature, rest = cutField(rest)
		index, value, _ := bytes.Cut(feature, []byte{':'})
		n, err := strconv.ParseInt(string(index), 10, 64)
		if err != nil || !isFeature(feature) || n >= of.features || n <= last {
			return &fault{reason: Features, what: fmt.Sprintf("no feature of the header's %d, which are 0 to %d: index:value, with indices that rise", of.features, of.features-1), near: feature, hint: "correct the header or the line"}
		}
		last = n
		text = append(append(append(strconv.AppendInt(text, n+1, 10), ':'), value...), ' ')
	}
	if text = bytes.TrimSuffix(text, []byte{' '}); size <= arenaSize/2 {
		p.Trim(text, size)
	}
	d.Text = slices.Clip(text)
	return p.finish(d, start, record)
}

// missing is the error of a file that ends before all its points.
func (t *text) missing(count int64) error {
	return &FileError{Path: t.file.path, Line: t.file.points.line + t.read, Offset: t.cut.offset, Damaged: true, Err: fmt.Errorf(
		"the file ends after %d of the %d points of its header: it was cut off, or the header is wrong", t.read, count)}
}
