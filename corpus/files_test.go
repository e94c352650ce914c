package corpus

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// shortened is files that end before the size that they are said to have.
type shortened struct{ fs.FS }

func (s shortened) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return shortFile{f}, err
}

type shortFile struct{ fs.File }

func (f shortFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return longInfo{info}, err
}

type longInfo struct{ fs.FileInfo }

func (i longInfo) Size() int64 { return i.FileInfo.Size() + 1 }

// TestFiles: files elsewhere give the documents and the progress of those of the operating system, whatever tells
// their format and compression, in one reading and in several.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"a.tsv":      lines(3000),
		"b.tsv.gz":   string(gz(t, lines(500))),
		"c.jsonl":    `{"label":"x","text":"one"}` + "\n" + `{"label":"y","text":"two"}`,
		"d":          "x\tone\ny\ttwo\n", // its lines tell that it is TSV
		"e.csv":      "label,text\nx,\"a\nb\"\n",
		"f.fasttext": "__label__x one\n",
		"g.tsv":      "",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666))
	}
	for name := range files {
		path := filepath.Join(folder, name)
		want, wantErr := readWith([]string{path}, nil, Input{}, 1<<10, 100)
		got, err := readWith([]string{name}, nil, Input{Files: files}, 1<<10, 100)
		if !reflect.DeepEqual(withoutPath(got), withoutPath(want)) || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %d documents (%v), want %d (%v)", name, len(got), err, len(want), wantErr)
		}
		replay := NewReplay(Input{Paths: []string{name}, Files: files}, t.TempDir())
		for range 2 {
			if p, err := pass(replay, -1); err != nil || len(p.docs) != len(want) {
				t.Errorf("%s: a reading of several has %d documents (%v), want %d", name, len(p.docs), err, len(want))
			}
		}
		replay.Close()
		r, err := Open(Input{Paths: []string{name}, Files: files})
		must.OK(t, err)
		for err == nil {
			_, err = r.Next()
		}
		if done, total := r.Progress(); err != io.EOF || done != total || total != int64(len(files[name].Data)) {
			t.Errorf("%s: %d of %d bytes are read (%v), want %d", name, done, total, err, len(files[name].Data))
		}
		r.Close()
	}
	if _, err := readWith([]string{"h.tsv"}, nil, Input{Files: files}, 1<<10, 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	_, err := readWith([]string{"a.tsv"}, nil, Input{Files: shortened{files}}, 1<<10, 100)
	if !errors.Is(err, errTruncated) {
		t.Errorf("a file that ends early: %v", err)
	}
}

// withoutPath is what documents are but for the paths in their errors.
func withoutPath(documents []Document) []doc {
	all := flatten(documents)
	for i := range all {
		if record, ok := errors.AsType[*RecordError](documents[i].Err); ok {
			all[i].Err = record.Err.Error()
		}
	}
	return all
}
