package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// Oracles look behind the face: at the matrix that the solver sees, and at the numbers of models.

// learner is options as the learners have them, by way of the JSON that models record.
func learner(o *nbsvm.Options) *train.Options {
	recorded, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	of := new(train.Options)
	if err := json.Unmarshal(recorded, of); err != nil {
		panic(err)
	}
	of.Temp, of.Threads, of.Progress, of.Valid = o.Temp, o.Threads, o.Progress, o.Valid
	return of
}

// faceOf is options of the learners as the face has them.
func faceOf(of train.Options) (o nbsvm.Options) {
	recorded, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(recorded, &o); err != nil {
		panic(err)
	}
	o.Temp, o.Threads, o.Progress, o.Valid = of.Temp, of.Threads, of.Progress, of.Valid
	return o
}

// prepare is train.Prepare with the options of the face.
func prepare(t testing.TB, in corpus.Input, o nbsvm.Options) (*dataset.Dataset, nbsvm.Options) {
	t.Helper()
	ds, of, err := train.Prepare(context.Background(), in, *learner(&o), false)
	must.OK(t, err)
	return ds, faceOf(of)
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
