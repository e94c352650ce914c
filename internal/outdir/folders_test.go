package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// outputs are the files below a folder that hold what a record does not, by name.
func (s *workshop) outputs(folder string) string {
	s.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(s.at(folder)), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != RecordName {
			all = append(all, name)
		}
		return err
	})
	must.OK(s, err)
	return strings.Join(all, " ")
}

// refuses compares the error for inputs.
func (s *workshop) refuses(want string, inputs ...string) {
	s.Helper()
	_, _, err := s.job.Files(inputs, Shard{})
	if got := filepath.ToSlash(strings.ReplaceAll(fmt.Sprint(err), s.folder+string(filepath.Separator), "")); got != want {
		s.Errorf("it says %q, want %q", got, want)
	}
}

// TestEqualNames: inputs of one name keep their folders, in this run and in later ones, and all is as if each folder
// had a job of its own.
func TestEqualNames(t *testing.T) {
	s := newWorkshop(t, "in/01/a", "in/02/a", "in/02/deep/b", "in/c")
	s.want("a written; a written; b written; c written")
	if got, want := s.outputs("out"), "01/a.out 02/a.out 02/deep/b.out c.out"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
	s.complete()
	// Names that differ, as those of one folder, go to the same places; so do those of another.
	all := s.inputs
	s.inputs = all[:1]
	s.want("")
	os.MkdirAll(s.at("in/03"), 0o700)
	s.write("in/03/d", "text of in/03/d")
	s.inputs = []string{s.at("in/03/d")}
	s.want("d written")
	s.inputs = append(all, s.at("in/03/d"))
	os.Remove(s.at("out/02/a.out"))
	s.want("a written")
	if got, want := s.outputs("out"), "01/a.out 02/a.out 02/deep/b.out 03/d.out c.out"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
}

// TestBesides: what stands beside outputs is in the same folders.
func TestBesides(t *testing.T) {
	s := newWorkshop(t, "in/01/a", "in/02/a")
	s.job.Folders = append(s.job.Folders, Folder{RejectsFlag, s.at("out/rest"), filepath.Base})
	_, r, err := fill(t.Context(), s.job, s.inputs, Shard{}, func(f *File) error {
		return errors.Join(os.WriteFile(f.In(RejectsFlag), []byte("rest"), 0o600), write(f))
	})
	must.OK(t, err)
	if r.Written != 2 || s.outputs("out") != "01/a.out 02/a.out rest/01/a rest/02/a" {
		t.Errorf("outputs %s of %+v", s.outputs("out"), r)
	}
	s.complete()
}

// TestPlaces: an input has one place, however it is spelled, and none outside of the folder.
func TestPlaces(t *testing.T) {
	s := newWorkshop(t, "in/01/a", "in/02/a", "other/a", "in/01/a.in")
	t.Chdir(s.folder)
	if err := os.Symlink("01", s.at("in/link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(s.at("other/a"), s.at("in/02/b")); err != nil {
		t.Skip(err)
	}
	s.refuses("in/01/../01/a is given twice: give every input once", "in/01/a", "in/02/a", "in/01/../01/a")
	s.refuses("in/01/a is given twice: give every input once", "in/02/a", "in/01/a", s.at("in/01/a"))
	folder := s.job.Folders[0].Name
	s.job.Folders[0].Name = func(string) string { return "one" }
	s.refuses("the outputs of in/01/a and in/01/a.in would both be out/01/one: use a folder for each", "in/01/a", "in/01/a.in", "in/02/a")
	s.job.Folders[0].Name = folder
	s.inputs = []string{"in/01/a", s.at("in/02/a"), "in/02/../link/a", "./in//02/b"}
	s.want("a written; a written; b written; a written")
	if got, want := s.outputs("out"), "01/a.out 02/a.out 02/b.out link/a.out"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
	s.refuses("other/a can't keep its folder, as it is not below in/, where all other inputs are: name another folder", "other/a")
	s.refuses("in/../a can't keep its folder, as it is not below in/, where all other inputs are: name another folder", "in/../a")
	// The folders may be moved together.
	must.OK(t, os.Mkdir(s.at("moved"), 0o700))
	for _, name := range []string{"in", "other", "out"} {
		must.OK(t, os.Rename(s.at(name), s.at("moved/"+name)))
	}
	t.Chdir(s.at("moved"))
	s.job.Folders[0].Path, s.inputs[1] = "out", s.at("moved/in/02/a")
	os.Remove("in/02/b")
	s.inputs = s.inputs[:3]
	s.complete()
}

// TestOtherFolders: an output is not taken for that of an input of the same name in another folder, whichever is first.
func TestOtherFolders(t *testing.T) {
	s := newWorkshop(t, "in/01/a", "in/02/a", "in/02/b")
	all := s.inputs
	s.inputs = all[:1]
	s.want("a written")
	if got, want := s.outputs("out"), "a.out"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
	s.refuses("in/02/a can't keep its folder, as it is not below in/01/, where all other inputs are: name another folder", all[1:]...)
	// A run that began at the same time with other inputs finds the folder taken.
	s.job.begun = false
	s.job.base = folderOf(s.at("in/x"))
	files, err := s.job.place(all)
	must.OK(t, err)
	if err := s.job.Begin(t.Context(), Run{Version: "1"}, files); err == nil || !strings.Contains(err.Error(), "they keep folders of other inputs") {
		t.Errorf("other folders: %v", err)
	}
	// Inputs of several folders keep them from the first run on, also if their names differ.
	several := newWorkshop(t, "in/01/a", "in/02/a", "in/02/b")
	all = several.inputs
	several.inputs = []string{all[0], all[2]}
	several.want("a written; b written")
	several.inputs = all
	several.want("a written")
	if got, want := several.outputs("out"), "01/a.out 02/a.out 02/b.out"; got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
}

// TestInAmongInputs: folders of outputs that a pattern matches, and what is in them, are passed over.
func TestInAmongInputs(t *testing.T) {
	s := newWorkshop(t, "in/01/a", "in/02/a")
	s.job.Folders[0].Path = s.at("in/out")
	s.make()
	for _, pattern := range []string{"in/*/*", "in/*/*/*", "in/**/a*"} {
		found := append(s.expand(pattern), s.inputs...)
		slices.Sort(found)
		files, passed, err := s.job.Files(slices.Compact(found), Shard{})
		if len(files) != 2 || files[0].Input != s.inputs[0] || len(passed) != 2 || err != nil {
			t.Errorf("%s: files %v, passed over %q, %v", pattern, files, passed, err)
		}
	}
	beside := newWorkshop(t, "in/01/a", "in/02/a")
	beside.job.Folders[0].Path = beside.at("in")
	beside.refuses("in/01/a is in the folder of --out-dir in, where outputs would be taken for inputs: name another folder", beside.inputs...)
}

// TestFoldersAtOnce: runs at the same time share the folders, and an output is made once.
func TestFoldersAtOnce(t *testing.T) {
	var names []string
	for k := range 12 {
		names = append(names, fmt.Sprintf("in/%02d/a", k))
	}
	s := newWorkshop(t, names...)
	var made atomic.Int32
	var group sync.WaitGroup
	for k := range 3 {
		group.Go(func() {
			job := *s.job
			files, r, err := fill(t.Context(), &job, s.inputs, Shard{}, func(f *File) error {
				made.Add(1)
				time.Sleep(5 * time.Millisecond) // so that the others have to wait
				return write(f)
			})
			if err != nil || len(r.Failed) > 0 {
				t.Errorf("run %d: %+v, %v", k, r, err)
			}
			for _, f := range files {
				if f.Reason != "" || f.Err != nil {
					t.Errorf("%s is %s: %s", f.Input, f.State, f.Reason)
				}
			}
		})
	}
	group.Wait()
	if made.Load() != 12 {
		t.Errorf("%d outputs were made", made.Load())
	}
	s.complete()
	// Shards have the same places as the whole.
	os.RemoveAll(s.at("out"))
	for k := range 3 {
		if _, r, err := fill(t.Context(), s.job, s.inputs, Shard{Number: k + 1, Of: 3}, write); r.Written != 4 {
			t.Errorf("shard %d: %+v, %v", k+1, r, err)
		}
	}
	s.complete()
}

// TestCommon compares the folder in common with all that might be it, and puts paths together again.
func TestCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "b", "ab", ".", ".."})
		root := rapid.Just("/")
		files := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return root.Draw(t, "root") + strings.Join(rapid.SliceOfN(name, 0, 4).Draw(t, "folders"), "/") + "/f"
		}), 1, 4).Draw(t, "files")
		base := common(files)
		longest := ""
		for end := range len(folderOf(files[0])) + 1 {
			candidate := folderOf(files[0])[:end]
			outside := func(file string) bool { return !strings.HasPrefix(folderOf(file), candidate) }
			if strings.HasSuffix(candidate, "/") && !slices.ContainsFunc(files, outside) {
				longest = candidate
			}
		}
		if base != longest {
			t.Fatalf("%q have %q in common, want %q", files, base, longest)
		}
	})
}
