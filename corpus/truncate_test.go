package corpus

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestTruncatedWhileRead truncates files at places at random, after some chunks at
// random: all documents come, or those of whole records before an error that names
// file and byte.
func TestTruncatedWhileRead(t *testing.T) {
	var tsv, csv, jsonl strings.Builder
	csv.WriteString("label,text\n")
	for i := range 12_000 {
		fmt.Fprintf(&tsv, "label\ttext %d\n", i)
		fmt.Fprintf(&csv, "label,\"text\n%d\"\n", i)
		fmt.Fprintf(&jsonl, "{\"label\":\"label\",\"text\":\"text %d\"}\n", i)
	}
	for _, test := range []struct {
		name, content string
		o             Input
	}{
		{"a.tsv", tsv.String(), Input{}},
		{"a.csv", csv.String(), Input{}},
		{"a.jsonl", jsonl.String(), Input{}},
		{"a.gz", gz(t, noise(tsv.String())), Input{Format: TSV}},
		{"a.zst", zst(t, noise(tsv.String())), Input{Format: TSV}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.name)
			r := rand.New(rand.NewPCG(1, 2))
			var want []doc
			refused, times := 0, 35
			if testing.Short() {
				times = 12
			}
			for k := range times {
				must.OK(t, os.WriteFile(path, []byte(test.content), 0o600))
				chunks := 1 + r.IntN(9)
				if k == 0 {
					chunks = -1
				}
				got, err := truncated(path, test.o, chunks, r.Int64N(int64(len(test.content))))
				switch {
				case k == 0 && err != nil:
					t.Fatal(err)
				case k == 0:
					want = flatten(got)
				case err == nil && len(got) != len(want):
					t.Fatalf("%d documents of %d, and no error", len(got), len(want))
				case err != nil:
					refused++
					fe := wantFileError(t, err, path, "truncated while it was read", "it ends at byte")
					if !errors.Is(err, errTruncated) {
						t.Errorf("error %v is not errTruncated", err)
					}
					if last := len(got) - 1; last >= 0 && fe.Offset < got[last].Offset+int64(len(got[last].Record)) {
						t.Errorf("the error is at byte %d, before the last document", fe.Offset)
					}
				}
				if all := flatten(got); len(got) > 0 && !reflect.DeepEqual(all, want[:len(all)]) {
					t.Fatalf("%d documents are not the first of the file", len(all))
				}
			}
			if refused == 0 {
				t.Error("no truncation was noticed")
			}
		})
	}
}

// truncated reads a file that is truncated after so many chunks; never if negative.
func truncated(path string, o Input, chunks int, size int64) (all []Document, err error) {
	r, err := Open(from([]string{path}, nil, o))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.block = 16 << 10
	for ; ; chunks-- {
		if chunks == 0 {
			if err := os.Truncate(path, size); err != nil {
				return nil, err
			}
		}
		c, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = c.Append(all)
	}
}

// noise is text to which there is no end so soon, compressed.
func noise(lines string) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for line := range strings.Lines(lines) {
		fmt.Fprintf(&b, "%s %x\n", strings.TrimSuffix(line, "\n"), r.Uint64())
	}
	return b.String()
}

// TestGrowing: what is appended while a file is read is read, too.
func TestGrowing(t *testing.T) {
	path := writeFile(t, "a.tsv", strings.Repeat("a\tb\n", 50_000))
	r, err := Open(Input{Paths: []string{path}})
	must.OK(t, err)
	defer r.Close()
	r.block = 10_000
	var all []Document
	for n := 0; ; n++ {
		if n == 1 {
			must.OK(t, appendFile(path, "c\td\n"))
		}
		c, err := r.Next()
		if err == io.EOF {
			break
		}
		must.OK(t, err)
		all = c.Append(all)
	}
	if got := brief(flatten(all[50_000:])); got != "c:d" {
		t.Errorf("behind the file as it was: %q", got)
	}
}

func appendFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}
