package dataset

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestSampleOfInput: one in so many documents, the same ones whenever texts are read.
func TestSampleOfInput(t *testing.T) {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "%d\tdocument number%d\n", i%2, i)
	}
	o := Options{Text: hashing.DefaultOptions(), MinDF: 1}
	for _, memory := range []int64{0, MinMemory} {
		o.Memory = memory
		in := lines([]byte(text.String()))
		o.Sample = 4
		ds, err := Build(context.Background(), in, o)
		must.OK(t, err)
		if ds.Documents < 850 || ds.Documents > 1150 {
			t.Errorf("%d documents, want about 1000", ds.Documents)
		}
		rows := 0
		must.OK(t, ds.EachRow(context.Background(), ds.All(), func(int, []uint32) { rows++ }))
		if rows != ds.Documents {
			t.Errorf("%d rows of %d documents", rows, ds.Documents)
		}
		if ds.HasTexts() {
			texts := map[string]bool{}
			if err := ds.EachText(context.Background(), ds.All(), 1, func(_, _ int, text []byte) { texts[string(text)] = true }); err != nil {
				t.Fatal(err)
			}
			if len(texts) != ds.Documents {
				t.Errorf("%d texts of %d documents", len(texts), ds.Documents)
			}
		}
		ds.Close()
	}
}
