package corpus

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
)

// Majority returns the label with the largest share of a document, the first one of equals. Of a document without
// Shares, it returns Labels.
func (d *Document) Majority() [][]byte {
	if d.Shares == nil {
		return d.Labels
	}
	k := slices.Index(d.Shares, slices.Max(d.Shares))
	return d.Labels[k : k+1]
}

const (
	notShares = "must have a number from 0 to 1 for each label"
	shareHint = "list labels that hold independently of each other in an array; name a member of the object by its path, such as label.name; and divide numbers of votes by their sum"
)

// shares takes labels with their shares from an object of them.
func (p *parser) shares(d *Document, object []byte) error {
	var wrong error
	s := jsonscan.Scanner{Data: object}
	s.Object(func(label, value []byte) {
		share, err := strconv.ParseFloat(string(value), 64)
		switch {
		case err != nil || !(share >= 0 && share <= 1):
			wrong = &fault{reason: wrongLabel, what: "an object of labels " + notShares, near: object, hint: shareHint}
		case len(bytes.Trim(label, blanks)) == 0:
			wrong = &fault{reason: wrongLabel, what: "a label is empty", near: object}
		case share > 0:
			p.labels, d.Shares = append(p.labels, label), append(d.Shares, share)
		}
	})
	if wrong == nil {
		wrong = addUp(d.Shares, object)
	}
	return wrong
}

// checkShares makes sure that there is a share for each label.
func (d *Document) checkShares() error {
	wrong := func(share float64) bool { return !(share >= 0 && share <= 1) }
	if len(d.Shares) != len(d.Labels) || slices.ContainsFunc(d.Shares, wrong) {
		return &fault{reason: wrongLabel, what: fmt.Sprintf("Shares %v %s", d.Shares, notShares), near: d.Text}
	}
	return addUp(d.Shares, d.Text)
}

// addUp makes shares add up to 1 exactly, and refuses those that are not meant to.
func addUp(shares []float64, near []byte) error {
	const rounded = 0.01 // shares may be
	var sum float64
	for _, share := range shares {
		sum += share
	}
	if !(math.Abs(sum-1) <= rounded) {
		return &fault{
			reason: wrongLabel, what: fmt.Sprintf("the shares of the labels add up to %.4g, not to 1", sum), near: near,
			hint: shareHint,
		}
	}
	for k := range shares {
		shares[k] /= sum
	}
	return nil
}

// votes appends the labels of all raters but the first. Null and empty values are no vote.
func (p *parser) votes(d *Document) error {
	own := len(d.Kept) - p.file.raters
	for k, v := range d.Kept[own:] {
		switch {
		case v.column && len(bytes.Trim(v.raw, blanks)) > 0:
			p.labels = append(p.labels, v.raw)
		case v.column || v.raw == nil || v.raw[0] == 'n':
		case v.raw[0] == '{' || v.raw[0] == '[':
			return &fault{
				reason: wrongLabel, near: v.raw,
				what: "field " + display.Excerpt(p.file.keeps[own+k]) + " must be one label, as several fields have labels",
			}
		case jsonscan.HasHalfPair(v.raw):
			return &fault{reason: wrongLabel, what: "a label has half of a surrogate pair", near: v.raw, hint: halfHint}
		default:
			if label := p.scalar(v.raw); len(bytes.Trim(label, blanks)) > 0 {
				p.labels = append(p.labels, label)
			}
		}
	}
	d.Kept = d.Kept[:own:own]
	return nil
}

// count sets the labels of a document to those that raters gave, each once, with the shares of the votes.
func (d *Document) count(votes [][]byte) {
	d.Labels = distinct(votes)
	if len(d.Labels) == 1 {
		return
	}
	d.Shares = make([]float64, len(d.Labels))
	for _, vote := range votes {
		k := slices.IndexFunc(d.Labels, func(label []byte) bool { return bytes.Equal(label, vote) })
		d.Shares[k]++
	}
	for k := range d.Shares {
		d.Shares[k] /= float64(len(votes))
	}
}
