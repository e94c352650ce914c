package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// makeFolder writes files below a new folder.
func makeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
		if !strings.HasSuffix(name, "/") {
			must.OK(t, os.WriteFile(path, []byte(content), 0o666))
		} else if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestLoadFiles: a folder holds what load_files of scikit-learn 1.2.1 reads from it (shuffle=False), whether from the
// system, in memory, in small chunks or once more.
func TestLoadFiles(t *testing.T) {
	files := map[string]string{
		"pos/10.txt": "ten\nlines\tof \"text\" \\ here\r\n", "pos/9.txt": "nine", "pos/Z": "caf\xe9 au lait, latin-1",
		"neg/a b.md": "not\x00a mark", "neg/empty": "", "zz é/x.y.z": "é 情感 😀 \x07\n\n", "urls.txt": "top",
	}
	want := `neg/a b.md neg "not\x00a mark"
neg/empty neg ""
pos/10.txt pos "ten\nlines\tof \"text\" \\ here\r\n"
pos/9.txt pos "nine"
pos/Z pos "caf\xe9 au lait, latin-1"
zz é/x.y.z zz é "é 情感 😀 \a\n\n"
`
	folder := makeFolder(t, files)
	inMemory := fstest.MapFS{}
	for name, content := range files {
		inMemory["data/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	replay := NewReplay(Input{Paths: []string{folder}, ID: "path"}, "")
	defer replay.Close()
	for _, open := range []func() (*Reader, error){
		func() (*Reader, error) { return Open(Input{Paths: []string{folder}, ID: "path"}) },
		func() (*Reader, error) { return Open(Input{Paths: []string{folder}, ID: "path", Format: Folder}) },
		func() (*Reader, error) { return Open(Input{Paths: []string{folder}, ID: "path", ChunkRecords: 1}) },
		func() (*Reader, error) { return Open(Input{Paths: []string{"data"}, ID: "path", Files: inMemory}) },
		replay.Open, replay.Open,
	} {
		r, err := open()
		must.OK(t, err)
		var got strings.Builder
		for {
			chunk, err := r.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for _, d := range chunk.Append(nil) {
				if d.Err != nil {
					t.Fatal(d.Err)
				}
				id := string(d.Kept[0].AppendText(nil))
				if of := chunk.PathOf(&d); filepath.ToSlash(strings.TrimPrefix(of, chunk.Path()+string(filepath.Separator))) != id {
					t.Errorf("the path of %s is %s", id, of)
				}
				fmt.Fprintf(&got, "%s %s %q\n", id, d.Labels[0], d.Text)
			}
			if chunk.Format() != JSONL {
				t.Errorf("format %s", chunk.Format())
			}
			chunk.Release()
		}
		if got.String() != want {
			t.Errorf("got\n%swant\n%s", &got, want)
		}
	}
}

// TestFolders: what is read of folders, what is refused, and what is told of files that are left out.
func TestFolders(t *testing.T) {
	gz, err := pack([]byte("packed"))
	must.OK(t, err)
	wide := "c\x00a\x00n\x00n\x00o\x00t\x00 \x00b\x00e\x00 \x00r\x00e\x00a\x00d\x00 \x00s\x00o\x00"
	two := func(more ...string) map[string]string {
		files := map[string]string{"a/1": "one", "b/2": "two"}
		for i := 0; i < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		o     Input
		want  string // labels and texts, or what the error says
		note  string // what one note says
	}{
		{name: "classes", files: two(), want: "a:one;b:two", note: `its folders are classes, "a", "b", and each file in them is a document (2 files in all)`},
		{name: "to score", files: two(), o: unlabelled(Auto), want: "a:one;b:two"},
		{name: "flat, to score", files: map[string]string{"x": "one", "y": "two\nlines"}, o: unlabelled(Auto), want: ":one;:two\nlines", note: "each of its files is one (2 files in all); if their lines are documents, name the files"},
		{name: "hidden", files: two("a/.DS_Store", "\x00\x00", ".git/x", "y"), want: "a:one;b:two", note: "is read as a folder of documents"},
		{name: "files beside the classes", files: two("README", "x", "urls", "y"), want: "a:one;b:two", note: `leaves out what is in no folder of a class, or an empty one: "README", "urls"`},
		{name: "empty folder", files: two("c/", ""), want: "a:one;b:two", note: `or an empty one: "c"`},
		{name: "gzip", files: two("a/1.gz", string(gz)), want: "a:one;a:packed;b:two"},
		{name: "byte order mark", files: two("a/1", bom+"one"), want: "a:one;b:two"},
		{name: "several labels", files: map[string]string{"a,b/1": "x"}, o: Input{LabelSep: ","}, want: "a|b:x"},
		{name: "text of lines with braces", files: two("a/1", "{not JSON"), want: "a:{not JSON;b:two"},
		{name: "binary", files: two("a/1", "\x7fELF"+strings.Repeat("\x00\x01\x02x", 100)), want: "a/1:1 (byte 0): is binary, not text"},
		{name: "PDF", files: two("a/1", "%PDF-1.4"), want: "a/1:1 (byte 0): is a PDF"},
		{name: "UTF-16 with a mark", files: two("a/1", "\xff\xfex\x00"), want: "a/1:1 (byte 0): is UTF-16: convert it first, iconv -f UTF-16"},
		{name: "UTF-16", files: two("a/1", strings.Repeat(wide, 3)), want: "a/1:1 (byte 0): is not UTF-8"},
		{name: "too long", files: two("a/1", strings.Repeat("x", 100)), o: Input{MaxRecord: 99}, want: "a/1:1 (byte 0): longer than the longest record allowed, 99 bytes"},
		{name: "a label that is not UTF-8", files: map[string]string{"a\xff/1": "x"}, want: "a label is not valid UTF-8"},
		{name: "broken gzip", files: two("a/1.gz", string(gz[:len(gz)-3])), want: "a/1.gz: the gzip data cannot be read"},
		{name: "folder in a class", files: two("a/c/x", "x"), want: "a/c: is a folder in the folder of a class, which has files only: name the folder of which the folders are classes, such as"},
		{name: "no documents", files: map[string]string{"a/": ""}, want: "is a folder without documents"},
		{name: "shards by name", files: map[string]string{"1.jsonl": `{"text":"a","label":"b"}`}, want: "*' ("},
		{name: "shards by name, to score", files: map[string]string{"1.tsv.gz": ""}, o: unlabelled(Auto), want: "1.tsv.gz is named as tsv; Input.Format folder insists"},
		{name: "shards in folders", files: map[string]string{"2024/1.csv": "", "2025/2.csv": ""}, want: "2024/1.csv is named as csv"},
		{name: "shards that are documents", files: two("a/1.json", "{}\n{}\n"), o: Input{Format: Folder}, want: "a:one;a:{}\n{}\n;b:two"},
		{name: "another format", files: two(), o: labelled(TSV), want: "is a folder: name the files in it, '"},
		{name: "a field that it lacks", files: two(), o: Input{TextField: "body"}, want: `no field "body"`},
		{name: "a shard", files: two(), o: Input{Shard: Shard{1, 2}}, want: "has no known size, so it has no shards"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder, notes := makeFolder(t, test.files), ""
			test.o.Note = func(_, what string) { notes += what + "\n" }
			all, err := readWith([]string{folder}, nil, test.o, chunkSize, chunkLimit)
			got := brief(flatten(all))
			for _, d := range all {
				err = errors.Join(err, d.Err)
			}
			if err != nil {
				got = filepath.ToSlash(err.Error())
			}
			if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if !strings.Contains(notes, test.note) {
				t.Errorf("notes\n%swithout %q", notes, test.note)
			}
		})
	}
}

// TestFolderChanged: a folder that is read twice must be the same.
func TestFolderChanged(t *testing.T) {
	folder := makeFolder(t, map[string]string{"a/1": "one", "b/2": "two"})
	replay := NewReplay(Input{Paths: []string{folder}}, "")
	defer replay.Close()
	for pass, want := range []string{"", "", errChanged.Error()} {
		if pass == 2 {
			must.OK(t, os.WriteFile(filepath.Join(folder, "b", "3"), []byte("three"), 0o666))
		}
		r, err := replay.Open()
		must.OK(t, err)
		for err == nil {
			_, err = r.Next()
		}
		r.Close()
		if want == "" && err != io.EOF || want != "" && !strings.Contains(err.Error(), want) {
			t.Errorf("pass %d: %v, want %q", pass, err, want)
		}
	}
}

// TestFolderLinks: links are followed; one that leads nowhere, or to what is no file, is an error that names it.
func TestFolderLinks(t *testing.T) {
	folder := makeFolder(t, map[string]string{"a/1": "one", "b/2": "two"})
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, test := range []struct{ link, to, want string }{
		{"c", at("a"), "a:one;b:two;c:one"},
		{"b/3", at("a/1"), "a:one;b:two;b:one"},
		{"b/3", at("nowhere"), at("b/3") + ": is a link that leads nowhere"},
		{"b/3", "/dev/null", at("b/3") + ": is a device, not a regular file"},
	} {
		if err := os.Symlink(test.to, at(test.link)); err != nil {
			t.Skip(err)
		}
		all, err := readWith([]string{folder}, nil, Input{}, chunkSize, chunkLimit)
		if got := brief(flatten(all)); err != nil && !strings.Contains(err.Error(), test.want) || err == nil && got != test.want {
			t.Errorf("%s to %s: %s, %v", test.link, test.to, got, err)
		}
		must.OK(t, os.Remove(at(test.link)))
	}
}
