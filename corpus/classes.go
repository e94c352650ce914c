package corpus

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// needsLabels reports whether the records of some file need a label.
func (o *Input) needsLabels() bool {
	return !o.Unlabelled && (o.Classes == nil || slices.Contains(o.Classes, ""))
}

// scored reports whether documents are read for scoring: blank records are documents, and weights are not read.
func (o *Input) scored() bool { return o.Unlabelled && o.class == "" && !o.FieldsOnly }

// checkClasses reports the first class that can't be a label.
func (o *Input) checkClasses() error {
	if o.Classes != nil && len(o.Classes) != len(o.Paths) {
		return fmt.Errorf("corpus: Input.Classes must have a label for each path: there are %d for %d paths",
			len(o.Classes), len(o.Paths))
	}
	for i, class := range o.Classes {
		what := ""
		switch {
		case class == "":
		case strings.Trim(class, blanks+o.LabelSep+",") == "":
			what = "is empty"
		case strings.Trim(class, blanks) != class:
			what = "begins or ends with white space"
		case !utf8.ValidString(class):
			what = "is not valid UTF-8"
		}
		if what != "" {
			return fmt.Errorf("corpus: the label %s of %s %s: give another with Input.Classes",
				display.Excerpt(class), o.Paths[i], what)
		}
	}
	return nil
}

// ofFile returns the options for the i-th file.
func (o *Input) ofFile(i int) *Input {
	if o.Unlabelled || o.Classes == nil || o.Classes[i] == "" {
		return o
	}
	own := *o
	own.class, own.Unlabelled = o.Classes[i], true
	return &own
}

// classLabels returns the labels of every record of a file that has a class, read as the file's format writes them; nil
// without one.
func (f *file) classLabels() [][]byte {
	p, sep := parser{file: f}, f.o.LabelSep
	if f.format == &svmlightFormat {
		sep = ","
	}
	switch {
	case f.o.class == "":
		return nil
	case sep == "":
		return [][]byte{[]byte(f.o.class)}
	}
	_ = p.split([]byte(f.o.class), sep) // which refuses nothing where records need no label
	for i := range p.labels {
		if f.format == &svmlightFormat {
			p.labels[i] = p.number(p.labels[i])
		}
	}
	return distinct(p.labels)
}

// checkOneClass refuses a file that is given with two classes, by whatever names. The infos are those of the paths, nil
// of standard input.
func (o *Input) checkOneClass(infos []fs.FileInfo) error {
	type look struct{ size, time int64 }
	alike := map[look][]int{}
	for i := range o.Classes {
		info := infos[i]
		if info == nil {
			continue
		}
		of := look{info.Size(), info.ModTime().UnixNano()}
		for _, k := range alike[of] {
			same := os.SameFile(info, infos[k]) || filepath.Clean(o.Paths[i]) == filepath.Clean(o.Paths[k])
			if a, b := o.Classes[k], o.Classes[i]; same && a != b {
				return &FileError{Path: o.Paths[i], Err: fmt.Errorf("is given with %s and with %s: give each file once",
					whose(a), whose(b))}
			}
		}
		alike[of] = append(alike[of], i)
	}
	return nil
}

// whose names a class for messages.
func whose(class string) string {
	if class == "" {
		return "labels of its own"
	}
	return "the label " + display.Excerpt(class)
}
