package plan

import "testing"

// TestTrainedColumns: of very many documents, training keeps the n-grams with a certain share of them, and so as many as
// in fewer documents with MinDF 2.
func TestTrainedColumns(t *testing.T) {
	r := &rehearsal{
		sample: &sample{},
		job:    &Job{}, all: 1 << 24, classes: []int64{1 << 23, 1 << 23},
		columns: newGrowth([3]count{{1 << 10, 1 << 11}, {1 << 12, 1 << 12}, {1 << 14, 1 << 13}}, 1e9),
	}
	o := &r.job.Options
	for _, test := range []struct {
		minDF     int
		auto      bool
		documents int64
		want      int64 // documents with as many columns
	}{
		{2, true, 1 << 24, 1 << 21}, // MinDF 16
		{2, true, 1 << 20, 1 << 20}, // of a part, all are counted
		{2, false, 1 << 24, 1 << 24},
		{7, true, 1 << 24, 1 << 24},
	} {
		o.MinDF, o.AutoMinDF = test.minDF, test.auto
		if got, want := r.trainedColumns(test.documents), r.columns.at(test.want); got != want {
			t.Errorf("%+v: %v columns, want %v", test, got, want)
		}
	}
}
