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
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/cli/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/render"
)

// Options say what is made of documents: rows of scores or, with Where or AddField, the records themselves.
type Options struct {
	OutputFormat string   `group:"output" placeholder:"FORMAT" help:"tsv: label, score; jsonl: an object a line; parquet: the input's columns, then these; fasttext: as its predict-prob does; fasttext-labels: as its predict does (default: as the name of the output says, else tsv, or jsonl with --json)."`
	Top          *int     `group:"output" xor:"classes" placeholder:"K" help:"The K best classes with their scores, best first (default: the predicted ones)."`
	AllScores    bool     `group:"output" xor:"classes" help:"The scores of all classes, best first."`
	Label        *string  `group:"output" xor:"classes" placeholder:"LABEL" help:"The score of this class, whichever is predicted."`
	Threshold    *float64 `group:"output" placeholder:"SCORE" help:"Leave out classes with a score below SCORE."`
	IDField      string   `name:"id-field" group:"output" placeholder:"NAME" help:"Put this field of the record in front of its row (JSON lines, CSV, TSV)."`
	KeepFields   []string `sep:"," group:"output" placeholder:"NAME,..." help:"Put these fields behind it, likewise."`
	Where        string   `group:"output" placeholder:"EXPR" help:"Write the records that pass, as they stand, instead of scores."`
	AddField     string   `group:"output" placeholder:"NAME" help:"Write the records (JSON lines, Parquet) with their score in a field of this name, instead of scores alone; dots descend into objects."`

	parquet bool `kong:"-"`
}

// Records says whether records are written.
func (o *Options) Records() bool { return o.Where != "" || o.AddField != "" }

// Validate finds what contradicts itself, and fills in what follows from the rest: the format of rows for an output of
// this name, empty for none, and the one of records to which a field is added. JSON asks for rows of that.
func (o *Options) Validate(in *flags.Input, output string, json bool) (err error) {
	switch {
	case o.Top != nil && *o.Top < 1:
		return fmt.Errorf("--top is %d, want 1 or more; --all-scores shows all classes", *o.Top)
	case o.Threshold != nil && math.IsNaN(*o.Threshold):
		return errors.New("--threshold is NaN, want a number")
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
	case render.Rows[o.OutputFormat] == nil:
		return fmt.Errorf("unknown --output-format %q, want tsv, jsonl, parquet, fasttext or fasttext-labels", o.OutputFormat)
	case o.OutputFormat != "jsonl" && json:
		return errors.New("--json and --output-format " + o.OutputFormat + " contradict each other: leave one out")
	}
	o.parquet = in.Format == corpus.Parquet && (o.Records() || o.OutputFormat == render.Parquet)
	if o.OutputFormat == render.Parquet && !o.parquet {
		return errors.New("scores in Parquet are columns beside those of their input, and that is not Parquet: want tsv, jsonl, fasttext or fasttext-labels")
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
		return fmt.Errorf("%s writes records as they stand: --output-format and --json have no say in it", flag)
	case o.Top != nil || o.AllScores || o.Threshold != nil:
		return fmt.Errorf("%s writes records, not rows of scores: --top, --all-scores and --threshold have no say in it", flag)
	case o.AddField != "" && in.Format == corpus.Auto:
		in.Format = corpus.JSONL
	case o.AddField != "" && in.Format == corpus.Parquet && strings.Contains(o.AddField, "."):
		return fmt.Errorf("--add-field %s: a column is added beside those of a Parquet file, not within: leave dots out", printable.Label(o.AddField))
	case o.AddField != "" && in.Format != corpus.JSONL && in.Format != corpus.Parquet:
		return fmt.Errorf("--add-field: records of format %s have no place for a field: only those of jsonl and parquet", in.Format)
	}
	if !utf8.ValidString(o.AddField) {
		return errors.New("--add-field: the name is not valid UTF-8")
	}
	if o.AddField != "" && slices.Contains(strings.Split(o.AddField, "."), "") {
		return fmt.Errorf("--add-field %s: dots descend into objects, so there must be a name on both sides", printable.Label(o.AddField))
	}
	return nil
}

// formatOfRows is the format that the output's name says.
func (o *Options) formatOfRows(output string) (string, error) {
	switch of := corpus.FormatOfName(output); {
	case o.Records() || of == corpus.Auto || of == corpus.Lines:
		return "tsv", nil
	case render.Rows[string(of)] != nil:
		return string(of), nil
	default:
		return "", fmt.Errorf("-o %s: rows can't be %s: want a name in .tsv, .jsonl or .ft, or insist with --output-format", output, of)
	}
}

// validateFields finds rows that have no place for fields of records.
func (o *Options) validateFields() error {
	for i, name := range o.KeepFields {
		o.KeepFields[i] = strings.TrimSpace(name)
	}
	switch {
	case o.IDField == "" && len(o.KeepFields) == 0:
		return nil
	case o.Records():
		return errors.New("--id-field and --keep-fields are for rows of scores; --where and --add-field write records, which have all their fields")
	case o.OutputFormat != "tsv" && o.OutputFormat != "jsonl":
		return fmt.Errorf("--id-field and --keep-fields have no place in rows of --output-format %s: only in those of tsv and jsonl", o.OutputFormat)
	case slices.Contains(o.KeepFields, ""):
		return errors.New("--keep-fields has an empty name: it takes names of fields with commas between them")
	}
	return nil
}

// ReadFields has the fields read that rows have of records.
func (o *Options) ReadFields(in *corpus.Input) { in.ID, in.Keep = o.IDField, o.KeepFields }

// rowSuffixes are the ends of the names of files of rows.
var rowSuffixes = map[string]string{"tsv": ".tsv", "jsonl": ".jsonl", "fasttext": ".txt", "fasttext-labels": ".txt", render.Parquet: ".parquet"}

// OutputName is the name of what is made of an input of this name, one among others of a folder.
func (o *Options) OutputName(input string, compress *flags.Compress) string {
	if o.Records() {
		return compress.Name(input)
	}
	return compress.Name(corpus.Stem(input) + rowSuffixes[o.OutputFormat])
}

// Recorded are the options on which outputs depend, as flags are written.
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
