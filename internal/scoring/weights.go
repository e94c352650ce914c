package scoring

import (
	"io"
	"strconv"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// weightDigits are as many as tell any two float32 apart.
const weightDigits = 9

// Weights writes a table of n-grams and their weights.
func Weights(w io.Writer, c *nbsvm.Classifier) error {
	row := []byte("ngram\tkey")
	for _, label := range written(c, TSVLabel) {
		row = append(append(row, '\t'), label...)
	}
	if _, err := w.Write(append(row, '\n')); err != nil {
		return err
	}
	return c.Weights(func(f *explain.Feature, weights []float64) error {
		row = row[:0]
		if f == nil {
			row = append(row, "(bias)\t"...)
		} else {
			row = append(append(row, TSVLabel(f.Name)...), '\t')
			row = strconv.AppendUint(row, f.Key, 10)
		}
		for _, weight := range weights {
			row = strconv.AppendFloat(append(row, '\t'), weight, 'g', weightDigits, 64)
		}
		_, err := w.Write(append(row, '\n'))
		return err
	})
}

// WeightsJSON writes an object for each n-gram.
func WeightsJSON(w io.Writer, c *nbsvm.Classifier) error {
	labels := written(c, jsonLabel)
	var row []byte
	return c.Weights(func(f *explain.Feature, weights []float64) error {
		row = append(row[:0], `{"bias":{`...)
		if f != nil {
			row = display.AppendJSON(append(row[:0], `{"ngram":`...), f.Name)
			row = strconv.AppendUint(append(row, `,"key":`...), f.Key, 10)
			row = append(row, `,"weights":{`...)
		}
		for k, weight := range weights {
			if k > 0 {
				row = append(row, ',')
			}
			row = strconv.AppendFloat(append(append(row, labels[k]...), ':'), weight, 'g', weightDigits, 64)
		}
		_, err := w.Write(append(row, "}}\n"...))
		return err
	})
}
