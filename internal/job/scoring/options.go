package scoring

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Options say what is made of documents: rows of scores or, with Where or AddField, the records themselves.
type Options struct {
	OutputFormat string   `group:"output" placeholder:"FORMAT" help:"tsv, csv (with a header), jsonl, parquet (the columns of the input, then the scores), fasttext (as predict-prob prints) or fasttext-labels (as predict prints) (default: from the name of the output, otherwise tsv, or jsonl with --json)."`
	OutputHeader bool     `group:"output" help:"Begin tsv with a row that names the columns, as csv has it."`
	Top          *int     `values:"1 or more" group:"output" not:"all-scores,label" placeholder:"K" help:"Print the K best classes with their scores (default: the predicted ones)."`
	AllScores    bool     `group:"output" not:"label" help:"Print the scores of all classes, best first."`
	Label        *string  `group:"output" placeholder:"LABEL" help:"Print the score of this class, whichever is predicted."`
	Threshold    *float64 `values:"a margin, or a probability from 0 to 1" group:"output" placeholder:"SCORE" help:"Leave out classes with a score below SCORE."`
	IDField      string   `name:"id-field" group:"output" placeholder:"NAME" help:"Put this field of the record before its row (JSON lines, CSV, TSV)."`
	KeepFields   []string `sep:"," group:"output" placeholder:"NAME" help:"Put these fields after it."`
	Where        string   `group:"output" placeholder:"EXPR" help:"Write the records that match this condition, unchanged, instead of scores."`
	AddField     string   `group:"output" placeholder:"NAME" help:"Write the records (JSON lines, Parquet) with their score in a new field, such as quality or meta.quality."`
}

// Records reports whether records are written.
func (o *Options) Records() bool { return o.Where != "" || o.AddField != "" }

// Validate finds what contradicts itself, whatever the inputs are, and fills in the format of rows for an output of
// this name, empty for none. JSON asks for rows of that.
func (o *Options) Validate(in *flags.Input, output string, json bool) (err error) {
	switch {
	case o.Top != nil && *o.Top < 1:
		return fmt.Errorf("--top must be 1 or more, got %d; --all-scores shows all classes", *o.Top)
	case o.Threshold != nil && math.IsNaN(*o.Threshold):
		return errors.New("--threshold must be a number, got NaN")
	}
	if err := o.validateRecords(in, json); err != nil {
		return err
	}
	switch {
	case o.OutputFormat == "" && json:
		o.OutputFormat = "jsonl"
	case o.OutputFormat == "":
		if o.OutputFormat, err = o.formatOfRows(output); err != nil {
			return err
		}
	case Rows[o.OutputFormat] == nil:
		return fmt.Errorf("unknown --output-format %q: use tsv, csv, jsonl, parquet, fasttext or fasttext-labels",
			o.OutputFormat)
	case o.OutputFormat != "jsonl" && json:
		return errors.New("--json and --output-format " + o.OutputFormat + " contradict each other: leave one out")
	}
	if !o.Records() && o.OutputFormat != Parquet && corpus.FormatOfName(output) == corpus.Parquet {
		return fmt.Errorf("-o %s is named as Parquet, but the rows are %s: choose another name, or --output-format parquet", output, o.OutputFormat)
	}
	return o.validateFields()
}

// validateRecords finds what contradicts records.
func (o *Options) validateRecords(in *flags.Input, json bool) error {
	flag := "--where"
	if o.AddField != "" {
		flag = "--add-field"
	}
	switch {
	case !o.Records():
	case o.OutputFormat != "" || json:
		return fmt.Errorf("%s writes records unchanged: leave --output-format and --json out", flag)
	case o.Top != nil || o.AllScores || o.Threshold != nil:
		return fmt.Errorf("%s writes records, not rows of scores: leave --top, --all-scores and --threshold out", flag)
	case o.AddField != "" && in.Format != corpus.Auto && in.Format != corpus.JSONL && in.Format != corpus.Parquet:
		return fmt.Errorf("--add-field needs records of format jsonl or parquet, not %s: leave it or --format out",
			in.Format)
	case o.AddField != "" && in.Delimiter != 0:
		return errors.New("--add-field needs records of format jsonl or parquet, and --delimiter is of csv: leave one of them out")
	}
	if !utf8.ValidString(o.AddField) {
		return errors.New("--add-field: the name is not valid UTF-8")
	}
	if o.AddField != "" && slices.Contains(strings.Split(o.AddField, "."), "") {
		return fmt.Errorf("--add-field %s: a dot must have a name on both sides", display.Label(o.AddField))
	}
	return nil
}

// formatOfRows returns the format that the output's name says.
func (o *Options) formatOfRows(output string) (string, error) {
	switch of := corpus.FormatOfName(output); {
	case o.Records() || of == corpus.Auto || of == corpus.Lines:
		return "tsv", nil
	case Rows[string(of)] != nil:
		return string(of), nil
	default:
		return "", fmt.Errorf("-o %s: scores can't be written as %s: use a name in .tsv, .csv, .jsonl or .ft, or give --output-format", output, of)
	}
}

// validateFields finds rows that have no place for fields of records.
func (o *Options) validateFields() error {
	for i, name := range o.KeepFields {
		o.KeepFields[i] = strings.TrimSpace(name)
	}
	switch {
	case o.OutputHeader && o.Records():
		return errors.New("--where and --add-field write records with the header that they have: leave --output-header out")
	case o.OutputHeader && !o.table():
		return fmt.Errorf("--output-header needs --output-format tsv or csv, not %s", o.OutputFormat)
	case o.IDField == "" && len(o.KeepFields) == 0:
		return nil
	case o.Records():
		return errors.New("--where and --add-field write whole records: leave --id-field and --keep-fields out")
	case o.OutputFormat != "jsonl" && !o.table():
		return fmt.Errorf("--id-field and --keep-fields need --output-format tsv, csv or jsonl, not %s", o.OutputFormat)
	case slices.Contains(o.KeepFields, ""):
		return errors.New("--keep-fields has an empty name: give names of fields, separated by commas")
	}
	return nil
}

// Parquet reports whether the output of an input is a Parquet file. It is if the input is one, and the output has its
// records or columns.
func (o *Options) Parquet(input string) bool {
	return (o.Records() || o.OutputFormat == Parquet) && input != "-" &&
		(corpus.FormatOfName(input) == corpus.Parquet || parquetfile.Is(input))
}

// CheckInput refuses an input that can't have the output that is asked for.
func (o *Options) CheckInput(input string, compress *flags.Compress) error {
	switch {
	case !o.Parquet(input):
		if o.OutputFormat == Parquet {
			return fmt.Errorf("%s is not a Parquet file, and Parquet output needs Parquet input, because scores are added to its columns: use tsv, csv, jsonl, fasttext or fasttext-labels", input)
		}
	case strings.Contains(o.AddField, "."):
		return fmt.Errorf("--add-field %s: %s is Parquet and gets a new column, whose name can't have dots",
			display.Label(o.AddField), input)
	case compress.How != "auto" && compress.How != "":
		return fmt.Errorf("--compress %s: %s is Parquet, and so is its output, which is compressed internally: leave --compress out", compress.How, input)
	}
	return nil
}

// table reports whether rows have columns.
func (o *Options) table() bool { return o.OutputFormat == "tsv" || o.OutputFormat == "csv" }

// ReadFields has the fields read that rows have of records.
func (o *Options) ReadFields(in *corpus.Input) { in.ID, in.Keep = o.IDField, o.KeepFields }

// rowSuffixes are the ends of the names of files of rows.
var rowSuffixes = map[string]string{
	"tsv": ".tsv", "csv": ".csv", "jsonl": ".jsonl", "fasttext": ".txt",
	"fasttext-labels": ".txt", Parquet: ".parquet",
}

// OutputName returns the name of what is made of an input of this name, one among others of a folder.
func (o *Options) OutputName(input string, compress *flags.Compress) string {
	if o.Records() {
		return compress.Name(input)
	}
	return compress.Name(flags.Stem(input) + rowSuffixes[o.OutputFormat])
}

// Recorded returns the options on which outputs depend, as flags are written.
func (o *Options) Recorded(in *flags.Input) map[string]string {
	all := in.Recorded()
	maps.Copy(all, map[string]string{
		"output-format": o.OutputFormat, "where": o.Where, "add-field": o.AddField,
		"id-field": o.IDField, "keep-fields": strings.Join(o.KeepFields, ","),
	})
	if o.Top != nil {
		all["top"] = strconv.Itoa(*o.Top)
	}
	if o.AllScores {
		all["all-scores"] = "true"
	}
	if o.OutputHeader {
		all["output-header"] = "true"
	}
	if o.Label != nil {
		all["label"] = *o.Label
	}
	if o.Threshold != nil {
		all["threshold"] = strconv.FormatFloat(*o.Threshold, 'g', -1, 64)
	}
	for name, value := range all {
		if value == "" && name != "label" {
			delete(all, name)
		}
	}
	return all
}
