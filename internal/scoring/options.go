package scoring

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Options say what is made of documents: rows of scores or, with Where or AddField, the records themselves.
type Options struct {
	OutputFormat string   `choices:"${rows}" group:"output" placeholder:"FORMAT" help:"tsv, csv (with a header), jsonl, parquet (scores, behind the columns of a Parquet input or the fields of --id-field and --keep-fields), fasttext (as predict-prob prints), fasttext-labels (as predict prints) or dolma (attributes with spans) (default: from the name of the output, otherwise tsv, or jsonl with --json and --attributes)."`
	OutputHeader bool     `group:"output" help:"Begin tsv with a row that names the columns, as csv has it."`
	Top          *int     `values:"1 or more" group:"output" not:"all-scores,label" placeholder:"K" help:"Print the K best classes with their scores (default: the predicted ones)."`
	AllScores    bool     `group:"output" not:"label" help:"Print the scores of all classes, best first. Of ordinal models, jsonl has the probability of each level."`
	Label        *string  `group:"output" placeholder:"LABEL" help:"Print the score of this class, whichever is predicted."`
	Labels       []string `sep:"none" group:"output" placeholder:"LABEL,…" help:"Choose among these labels only, whose probabilities are divided by their sum; a label that has a comma in a flag of its own."`
	Threshold    *float64 `values:"a margin, or a probability from 0 to 1" group:"output" placeholder:"SCORE" help:"Leave out classes with a score below SCORE."`
	IDField      string   `name:"id-field" group:"output" placeholder:"NAME" help:"Put this field of the record before its row (JSON lines, CSV, TSV)."`
	KeepFields   []string `group:"output" placeholder:"NAME" help:"Put these fields after it."`
	Where        string   `group:"output" placeholder:"EXPR" help:"Write the records that match this condition, unchanged, instead of scores."`
	KeepShare    *float64 `values:"more than 0, at most 1" group:"output" placeholder:"SHARE" help:"Write this share of the records, those with the highest scores of --label, unchanged: 0.1 keeps the best tenth, of those that match --where if that is given. Inputs are files, which are read twice."`
	By           []string `group:"output" placeholder:"NAME,…" help:"With --keep-share, keep the share of each group of records: of those that have the same value in this field, or get the same label by the model of this name."`
	KeepPareto   *float64 `values:"above 0" group:"output" placeholder:"ALPHA" help:"Write a sample of the records, unchanged: those for which numpy.random.pareto(ALPHA) would exceed 1 - p, p being the probability of --label. ALPHA is 9 for GPT-3, 3 by default in NeMo Curator. The same records are drawn every time: see --seed. With --id-field, they are drawn by their ids."`
	Seed         *uint64  `group:"output" placeholder:"N" help:"Draw other records with --keep-pareto (default: 1)."`
	Per          string   `group:"output" placeholder:"PART" help:"Score each part of a text by itself: document, paragraph (a line), sentence, or pieces of at most so many bytes. The score of a text is then that of --over, and rows of jsonl and dolma have the parts (default: document)."`
	Over         string   `choices:"mean,min,max" needs:"per" group:"output" placeholder:"WHAT" help:"Make the score of a text of those of its parts: their mean, weighted by characters, or their min or max, for each class (default: mean)."`
	Window       string   `group:"output" placeholder:"WINDOW" help:"Look at the beginning of a text, its end, or both, of so many bytes each: begin:5000, end:5000 or begin:5000,end:5000 (default: the whole text)."`
	AddField     string   `group:"output" placeholder:"NAME" help:"Write the records (JSON lines, Parquet, WARC) with their score in a new field, such as quality or meta.quality."`

	beside bool // rows stand beside the records
}

// forRows names the flags given that say what rows are.
func (o *Options) forRows() (given []string) {
	for name, is := range map[string]bool{
		"output-format": o.OutputFormat != "", "output-header": o.OutputHeader, "top": o.Top != nil, "all-scores": o.AllScores,
		"threshold": o.Threshold != nil, "id-field": o.IDField != "", "keep-fields": o.KeepFields != nil,
	} {
		if is {
			given = append(given, "--"+name)
		}
	}
	slices.Sort(given)
	return given
}

// Records reports whether records are written.
func (o *Options) Records() bool { return o.Filters() || o.AddField != "" }

// Filters reports whether only some of the records are written.
func (o *Options) Filters() bool { return o.Where != "" || o.KeepShare != nil || o.KeepPareto != nil }

// Validate finds what contradicts itself, whatever the inputs are, and fills in the format of rows for an output of
// this name, empty for none. Attributes name the output of rows beside records, if there is one. JSON asks for rows of
// that.
func (o *Options) Validate(in *Input, output, attributes string, json bool) error {
	o.beside = attributes != ""
	given := o.forRows()
	if o.KeepPareto != nil { // records are drawn by ids
		given = slices.DeleteFunc(given, func(flag string) bool { return flag == "--id-field" })
	}
	for _, names := range [][]string{o.KeepFields, o.By} {
		for i, name := range names {
			names[i] = strings.TrimSpace(name)
		}
	}
	rows := output // has them
	if o.beside {
		rows = attributes
	}
	of := corpus.FormatOfName(rows)
	if _, err := o.divided(); err != nil {
		return err
	}
	switch {
	case o.beside && !o.Records():
		return errors.New("--attributes writes scores beside records, so it needs --where, --keep-share, --keep-pareto or --add-field; without them, -o has the scores")
	case o.Records() && !o.beside && len(given) > 0:
		of := "--add-field"
		switch {
		case o.Where != "":
			of = "--where"
		case o.KeepShare != nil:
			of = "--keep-share"
		case o.KeepPareto != nil:
			of = "--keep-pareto"
		}
		return fmt.Errorf("%s and %s contradict each other: leave one out, or write rows beside the records with --attributes FILE", given[0], of)
	case o.KeepShare != nil && !(*o.KeepShare > 0 && *o.KeepShare <= 1):
		return fmt.Errorf("--keep-share must be more than 0 and at most 1, got %v: write 10 %% as 0.1", *o.KeepShare)
	case o.KeepPareto != nil && !(*o.KeepPareto > 0 && *o.KeepPareto < math.Inf(1)):
		return fmt.Errorf("--keep-pareto must be above 0, got %v: GPT-3 used 9, and a lower number keeps more", *o.KeepPareto)
	case o.KeepPareto != nil && o.KeepShare != nil:
		return errors.New("--keep-share and --keep-pareto contradict each other: leave one out")
	case o.Seed != nil && o.KeepPareto == nil:
		return errors.New("--seed is for the random numbers of --keep-pareto: give that, too, or leave it out")
	case o.By != nil && o.KeepShare == nil:
		return errors.New("--by divides records into groups of which --keep-share keeps a share: give that, too")
	case slices.Contains(o.By, ""):
		return errors.New("--by has an empty name: name fields or models, with commas between them, such as lang,source")
	case HasTwice(o.By):
		return fmt.Errorf("--by %s has a name twice: leave one out", strings.Join(o.By, ","))
	case o.Top != nil && *o.Top < 1:
		return fmt.Errorf("--top must be 1 or more, got %d; --all-scores shows all classes", *o.Top)
	case o.Threshold != nil && math.IsNaN(*o.Threshold):
		return errors.New("--threshold must be a number, got NaN")
	case json && (o.Records() || o.OutputFormat != "" && o.OutputFormat != "jsonl"):
		return errors.New("--json prints rows of JSON: leave it, or --where, --add-field and --output-format out")
	case o.AddField != "" && (in.Delimiter != 0 || in.Format != corpus.Auto && in.Format != corpus.JSONL && in.Format != corpus.Parquet && in.Format != corpus.WARC):
		return errors.New("--add-field needs records of format jsonl, parquet or warc: leave it, or --format and --delimiter out")
	case !utf8.ValidString(o.AddField):
		return errors.New("--add-field: the name is not valid UTF-8")
	case o.AddField != "" && slices.Contains(strings.Split(o.AddField, "."), ""):
		return fmt.Errorf("--add-field %s: a dot must have a name on both sides", display.Label(o.AddField))
	case o.OutputFormat != "":
	case json:
		o.OutputFormat = "jsonl"
	case o.beside && (of == corpus.Auto || of == corpus.Lines):
		o.OutputFormat = "jsonl"
	case o.Records() && !o.beside || of == corpus.Auto || of == corpus.Lines:
		o.OutputFormat = "tsv"
	default:
		o.OutputFormat = string(of)
	}
	switch table := o.OutputFormat == "tsv" || o.OutputFormat == "csv"; {
	case Rows[o.OutputFormat] == nil:
		return fmt.Errorf("scores can't be written as %s: give --output-format tsv, csv, jsonl, parquet, fasttext or fasttext-labels, or dolma", o.OutputFormat)
	case o.OutputFormat == "dolma" && o.IDField == "":
		return errors.New("--output-format dolma needs --id-field, the field by which attributes find their documents")
	case (o.beside || !o.Records()) && o.OutputFormat != Parquet && of == corpus.Parquet:
		return fmt.Errorf("%s is named as Parquet, but the rows are %s: choose another name, or --output-format parquet", rows, o.OutputFormat)
	case o.OutputFormat == Parquet && osfile.CompressionOf(rows) != osfile.Uncompressed:
		return fmt.Errorf("%s: Parquet is compressed internally: leave %s out of its name", rows, osfile.CompressionOf(rows).Suffix())
	case o.OutputHeader && !table:
		return fmt.Errorf("--output-header needs --output-format tsv or csv, not %s", o.OutputFormat)
	case (o.IDField != "" || o.KeepFields != nil) && strings.HasPrefix(o.OutputFormat, "fasttext"):
		return fmt.Errorf("--id-field and --keep-fields need --output-format tsv, csv, jsonl or parquet, not %s", o.OutputFormat)
	case o.Over != "" && o.tagsParts():
		return errors.New("--over is for scores of records, of which rows of dolma have none: leave it out")
	case o.KeepFields != nil && o.OutputFormat == "dolma":
		return errors.New("--output-format dolma has no place for --keep-fields: use jsonl")
	case slices.Contains(o.KeepFields, ""):
		return errors.New("--keep-fields has an empty name: give names of fields, separated by commas")
	}
	return nil
}

// Parquet reports whether the output of an input is a Parquet file. It is if the input is one, and the output has its
// records or columns. An input that can't be read is an error.
func (o *Options) Parquet(input string) (bool, error) {
	if !o.Records() && o.OutputFormat != Parquet || input == "-" {
		return false, nil
	}
	if corpus.FormatOfName(input) == corpus.Parquet {
		return true, nil
	}
	return parquetfile.Is(input)
}

// CheckInput refuses an input that can't have the output that is asked for.
func (o *Options) CheckInput(input string, compress *Compress) error {
	parquet, err := o.Parquet(input)
	switch given := compress.How != "auto" && compress.How != ""; {
	case err != nil:
		return err
	case given && !o.Records() && o.OutputFormat == Parquet:
		return fmt.Errorf("--compress %s: Parquet is compressed internally: leave --compress out", compress.How)
	case !parquet:
	case !o.Records() && (o.IDField != "" || o.KeepFields != nil):
		return fmt.Errorf("%s is Parquet, and Parquet rows of it have all its columns: leave --id-field and --keep-fields out, or use tsv, csv or jsonl", input)
	case strings.Contains(o.AddField, "."):
		return fmt.Errorf("--add-field %s: %s is Parquet and gets a new column, whose name can't have dots",
			display.Label(o.AddField), input)
	case given:
		return fmt.Errorf("--compress %s: %s is Parquet, and so is its output, which is compressed internally: leave --compress out", compress.How, input)
	}
	return nil
}

// ReadFields has the fields read that rows have of records.
func (o *Options) ReadFields(in *corpus.Input) { in.ID, in.Keep = o.IDField, o.KeepFields }

// HasTwice reports whether a name is there several times.
func HasTwice(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names)
}

// firstKept is the place of the first of KeepFields in Document.Kept.
func (o *Options) firstKept() int {
	if o.IDField != "" {
		return 1
	}
	return 0
}

// rowSuffixes are the ends of the names of files of rows.
var rowSuffixes = map[string]string{
	"tsv": ".tsv", "csv": ".csv", "jsonl": ".jsonl", "fasttext": ".txt",
	"fasttext-labels": ".txt", Parquet: ".parquet",
}

// OutputName returns the name of what is made of an input of this name, one among others of a folder.
func (o *Options) OutputName(input string, compress *Compress) string {
	switch {
	case o.AddField != "" && namedWARC(input):
		return compress.Name(Stem(input) + rowSuffixes["jsonl"] + osfile.CompressionOf(input).Suffix())
	case o.Records():
		return compress.Name(input)
	}
	return o.RowsName(input, compress)
}

// RowsName returns the name of the rows that are made of an input of this name. Attributes of Dolma have the names of
// the inputs.
func (o *Options) RowsName(input string, compress *Compress) string {
	switch o.OutputFormat {
	case "dolma":
		return compress.Name(input)
	case Parquet:
		return Stem(input) + rowSuffixes[Parquet]
	}
	return compress.Name(Stem(input) + rowSuffixes[o.OutputFormat])
}

// Recorded returns the options on which outputs depend, as flags are written.
func (o *Options) Recorded(in *Input) map[string]string {
	all := in.Recorded()
	maps.Copy(all, flags.Values(o))
	return all
}
