package tests

import (
	"bytes"
	"context"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Oracles look behind the face: at the matrix that the solver sees, and at the numbers of models.

// prepare reads an input as Train does, and returns the options with what they leave to the documents.
func prepare(t testing.TB, in corpus.Input, o nbsvm.Options) (*dataset.Dataset, nbsvm.Options) {
	t.Helper()
	ds, err := inside.Prepare(context.Background(), in, &o, false)
	must.OK(t, err)
	return ds, o
}

// solutionOf sums up the solver's work on a model.
func solutionOf(f *learn.Fitted) *solver.Stats {
	sum, _, _ := f.Solution()
	return sum
}

// modelOf reads the numbers of a classifier.
func modelOf(t testing.TB, c *nbsvm.Classifier) *model.Model {
	t.Helper()
	m, err := model.Read(encode(t, c))
	must.OK(t, err)
	return m
}

// unmade is the bytes of a model without the record of how it was made.
func unmade(t testing.TB, c *nbsvm.Classifier) []byte {
	t.Helper()
	m := modelOf(t, c)
	m.Meta.Made = nil
	return encode(t, classifier(t, m))
}

// inner is the classifier behind the face.
func inner(t testing.TB, c *nbsvm.Classifier) *score.Classifier {
	t.Helper()
	of, err := score.OpenBytes(encode(t, c))
	must.OK(t, err)
	return of
}

// classifier makes one of a model's numbers.
func classifier(t testing.TB, m *model.Model) *nbsvm.Classifier {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	c, err := nbsvm.OpenBytes(b.Bytes())
	must.OK(t, err)
	return c
}
