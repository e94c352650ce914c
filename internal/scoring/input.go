package scoring

import (
	"fmt"
	"strconv"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/packed"
)

// Files says how files of records are read, whatever these hold.
type Files struct {
	Format    corpus.Format `choices:"${all_formats}" group:"input" placeholder:"FORMAT" default:"auto" help:"Format of the documents: ${formats}. auto looks at the name, then at the content (default: auto). Compression (gzip, zstd) is always detected."`
	Header    *bool         `group:"input" negatable:"" help:"The first line of TSV and CSV files names the columns (default: detected)."`
	Delimiter Delimiter     `group:"input" placeholder:"CHAR" help:"Column separator of CSV: a character, or tab (default: detected from the header, otherwise a comma)."`
	OnBad     corpus.OnBad  `file:"out" choices:"fail,skip,quarantine=" group:"input" placeholder:"WHAT" default:"fail" help:"What to do with a bad record: fail, skip, or quarantine=FILE (default: fail)."`
	MaxRecord int           `values:"1 to 1073741824" group:"input" placeholder:"BYTES" help:"Maximum length of a record; a longer one is bad (default: ${max_record})."`
}

// Input says how documents are read.
type Input struct {
	Files
	TextField   string `group:"input" placeholder:"NAME" help:"Field of the text: the name or number of a column, or a JSON field such as meta.body (default: text)."`
	LabelField  string `group:"input" placeholder:"NAME" help:"Field of the label, or a,b,c of the labels that several raters gave (default: label)."`
	WeightField string `group:"input" placeholder:"NAME" help:"Field of the document's weight (default: every weight is 1)."`
	LabelSep    string `group:"input" placeholder:"SEP" help:"Documents have any number of labels, separated by SEP."`
}

// Recorded returns the flags that determine what is read from files.
func (f *Input) Recorded() map[string]string {
	all := flags.Values(f)
	delete(all, "on-bad")
	return all
}

// From returns the files as an input of the library. The caller sets what to do with bad records.
func (f *Input) From(paths []string, unlabelled bool) corpus.Input {
	in := f.Files.From(paths)
	in.TextField, in.LabelField, in.WeightField, in.LabelSep = f.TextField, f.LabelField, f.WeightField, f.LabelSep
	in.Unlabelled = unlabelled
	return in
}

// From returns the files as an input of the library. The caller sets what to do with bad records.
func (f *Files) From(paths []string) corpus.Input {
	return corpus.Input{
		Paths: paths, Format: f.Format, Header: f.Header, Delimiter: byte(f.Delimiter), MaxRecord: f.MaxRecord,
	}
}

// Delimiter is between columns.
type Delimiter byte

func (d *Delimiter) UnmarshalText(text []byte) error {
	switch given := string(text); {
	case given == "tab" || given == `\t`:
		*d = '\t'
	case len(given) == 1:
		*d = Delimiter(given[0])
	default:
		return fmt.Errorf("%q is not a delimiter: give one character, such as ';', or tab", given)
	}
	return nil
}

// MarshalText returns the text of String.
func (d Delimiter) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns the delimiter as UnmarshalText reads it.
func (d Delimiter) String() string {
	if d == '\t' {
		return "tab"
	}
	return string(rune(d))
}

// RecordedPack returns the options on which a corpus depends that is packed of what is read, as flags are written.
func (f *Input) RecordedPack(o *packed.Options) map[string]string {
	all := f.Recorded()
	all["ngrams"] = o.Text.String()
	all["values"] = "binary"
	if o.Counts {
		all["values"] = "count"
	}
	all["names"] = strconv.FormatBool(o.Names)
	return all
}
