package facts

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Twice tells of the first file that is given twice, be it by a link; empty if none is.
func Twice(paths []string) string {
	given := make(map[string]string, len(paths))
	for _, path := range paths {
		real := path
		if followed, err := filepath.EvalSymlinks(path); err == nil {
			if real, err = filepath.Abs(followed); err != nil {
				real = followed
			}
		}
		switch other, twice := given[real]; {
		case twice && filepath.Clean(path) != filepath.Clean(other):
			return path + " is the same file as " + other + ", so its documents count twice"
		case twice:
			return path + " is given twice, so its documents count twice"
		}
		given[real] = path
	}
	return ""
}

// Unconverged tells of classifiers whose training ended too early; empty if none did.
func Unconverged(r *nbsvm.Report) string {
	s := r.Solution
	if s == nil || s.Unconverged == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d classifiers stopped after %s, before they converged: the gap is %.2g, --tol is %g; raise --max-epochs or lower --C",
		s.Unconverged, s.Outputs, display.Some(s.Epochs, "epoch"), s.Gap, r.Options.Tol)
}

// Unknown tells of labels that the model does not know, and of those that are spelled in several ways; nil if it knows
// all.
func Unknown(r *metrics.Report) []string {
	if r.Unknown == 0 {
		return nil
	}
	found := []string{"documents have labels that the model does not know; they count as errors: " + r.DescribeUnknown()}
	labels := slices.Collect(maps.Keys(r.UnknownLabels))
	for _, class := range r.PerClass {
		labels = append(labels, class.Label)
	}
	slices.Sort(labels)
	for _, labels := range doubt.Labels(labels, nil) {
		found = append(found, "the input "+labels.Message)
	}
	return found
}

// Notes remembers which kinds of notes about files were told: one of each is enough. The zero value knows none.
type Notes struct{ told sync.Map }

// Untold reports whether none of the note's kind was told before.
func (n *Notes) Untold(note string) bool {
	kind, _, _ := strings.Cut(note, ":")
	_, told := n.told.LoadOrStore(kind, true)
	return !told
}

// Remedy returns what to do about a bad record or a damaged file, to be put behind an error that does not say so
// itself. It is empty for other errors.
func Remedy(err error) string {
	if record, bad := errors.AsType[*corpus.RecordError](err); bad {
		switch text := record.Err.Error(); {
		case strings.Contains(text, "Input.Bad skip"):
			return ""
		case record.Offset > 0:
			return "; --on-bad skip leaves such records out"
		case field.MatchString(text): // the name of an option
			return ""
		}
		fields := ", --text-field, --label-field or --weight-field"
		if of, other := errors.AsType[interface {
			error
			FieldFlags() string
		}](err); other { // of a command that reads other fields
			fields = " or " + of.FieldFlags()
		}
		return "; correct it, or choose another --format" + fields
	}
	if file, bad := errors.AsType[*corpus.FileError](err); bad && file.Damaged {
		return "; replace the file with a whole copy, or leave it out: --on-bad does not skip damaged files"
	}
	return ""
}

// Ngrams explains how orders of n-grams that were asked for made a model that is usually worse than the default one; it
// is empty if they did not.
func Ngrams(asked string, r *nbsvm.Report) string {
	families := r.Options.Text.Families.List()
	if asked == "" || asked == "auto" || strings.Contains(asked, ":") || len(families) != 1 ||
		families[0].Tokenizer != hashing.Word || !dataset.LittleText(r.Bytes) {
		return ""
	}
	return fmt.Sprintf("--ngrams alone means n-grams of words; with so little text (%s), character n-grams beside them "+
		"usually work better: --ngrams %s,char-wb:2-5", display.Bytes(r.Bytes), families[0])
}
