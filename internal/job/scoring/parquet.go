package scoring

// Columns that are added to rows of Parquet. Inputs of training have a column label often enough.
const (
	predictedColumn = "predicted"
	scoreColumn     = "score"
)

// parquetArgs are the arguments of the program that writes Parquet.
func (s *Scoring) parquetArgs() (args []string) {
	o := s.options
	label, score := predictedColumn, scoreColumn
	switch {
	case o.Records() && o.AddField == "":
		return nil
	case o.AddField != "" && o.Label != nil:
		label, score = "", o.AddField
	case o.AddField != "":
		args, label = append(args, "--group="+o.AddField), "label"
	case o.Label != nil:
		label = ""
	}
	if s.lists {
		args = append(args, "--lists")
		if o.AddField != "" {
			label, score = "labels", "scores"
		}
	}
	if label != "" {
		args = append(args, "--label="+label)
	}
	if !o.Records() {
		args = append(args, "--all")
	}
	return append(args, "--score="+score)
}
