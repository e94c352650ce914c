package scoring

import "github.com/seed-167f963f/nbsvm/internal/parquetfile"

// Columns that are added to rows of Parquet. Inputs of training have a column label often enough.
const (
	predictedColumn = "predicted"
	scoreColumn     = "score"
)

// added returns what is added to rows of Parquet.
func (s *Scoring) added() parquetfile.Added {
	o := s.options
	if o.Records() && o.AddField == "" {
		return parquetfile.Added{}
	}
	add := parquetfile.Added{Label: predictedColumn, Score: scoreColumn, Lists: s.lists, All: !o.Records()}
	switch {
	case o.AddField != "" && o.Label != nil:
		add.Label, add.Score = "", o.AddField
	case o.AddField != "" && s.lists:
		add.Group, add.Label, add.Score = o.AddField, "labels", "scores"
	case o.AddField != "":
		add.Group, add.Label = o.AddField, "label"
	case o.Label != nil:
		add.Label = ""
	}
	return add
}
