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
	add := parquetfile.Added{All: !o.Records()}
	for i := range s.row.Of {
		show := &s.row.Of[i]
		of := parquetfile.Scores{
			Label: show.prefix() + predictedColumn, Score: show.prefix() + scoreColumn, Lists: show.Lists(),
		}
		if o.AddField != "" {
			of.Path, of.Label, of.Score = []string{o.AddField}, "label", "score"
			if show.Name != "" {
				of.Path = append(of.Path, show.Name)
			}
			if of.Lists {
				of.Label, of.Score = "labels", "scores"
			}
		}
		if show.Label != nil {
			if of.Label = ""; o.AddField != "" {
				of.Path, of.Score = of.Path[:len(of.Path)-1], of.Path[len(of.Path)-1]
			}
		}
		add.Of = append(add.Of, of)
	}
	return add
}
