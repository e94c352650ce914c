package scoring

import (
	"bytes"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Columns that are added to rows of Parquet. Inputs of training have a column label often enough.
const (
	predictedColumn = "predicted"
	scoreColumn     = "score"
)

// columns returns the columns of scores in rows.
func (r *Row) columns() (all []parquetfile.Scores) {
	for i := range r.Of {
		show := &r.Of[i]
		of := parquetfile.Scores{Score: show.prefix() + scoreColumn, Lists: show.Lists()}
		if show.Label == nil {
			of.Label = show.prefix() + predictedColumn
		}
		all = append(all, of)
	}
	return all
}

// added returns what is added to rows of Parquet.
func (s *Scoring) added() parquetfile.Added {
	o := s.options
	switch {
	case !o.Records():
		return parquetfile.Added{All: true, Of: s.row.columns()}
	case o.AddField == "":
		return parquetfile.Added{}
	}
	var add parquetfile.Added
	row := s.row.ofRecords()
	for i := range row.Of {
		show := &row.Of[i]
		of := parquetfile.Scores{Path: []string{o.AddField}, Label: "label", Score: "score", Lists: show.Lists()}
		if show.Name != "" {
			of.Path = append(of.Path, show.Name)
		}
		if of.Lists {
			of.Label, of.Score = "labels", "scores"
		}
		if show.Label != nil {
			of.Label, of.Path, of.Score = "", of.Path[:len(of.Path)-1], of.Path[len(of.Path)-1]
		}
		add.Of = append(add.Of, of)
	}
	return add
}

// table begins a Parquet file of rows, with the id, fields that are kept, and scores.
func (s *Scoring) table(w io.Writer) (*parquetfile.Table, error) {
	names := s.row.Keep
	if s.row.ID {
		names = append([]string{s.options.IDField}, names...)
	}
	return parquetfile.NewTable(w, names, s.row.columns())
}

// writeTable runs write on what makes such a file.
func (s *Scoring) writeTable(to *Output, write func(io.Writer) error) error {
	table, err := s.table(to.W)
	if err != nil {
		return err
	}
	return table.Close(write(table))
}

// tableRow returns rows of a Parquet file of their own. Fields are strings, as in tables of text, or null.
func tableRow(row *Row) nbsvm.Render {
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		of := fileRow(row, d, p)
		for _, value := range d.Kept[:min(row.kept(), len(d.Kept))] {
			var field []byte
			if raw, is := value.JSON(); !is || string(raw) != "null" {
				field = bytes.ToValidUTF8(value.AppendText([]byte{}), []byte("\uFFFD"))
			}
			of.Fields = append(of.Fields, field)
		}
		return of.Append(dst)
	}
}
