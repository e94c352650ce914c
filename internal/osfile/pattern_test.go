package osfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestExpand compares patterns with the files that a shell would put in their place (bash with globstar).
func TestExpand(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{
		"web/a.jsonl", "web/x/b.jsonl", "web/x/y/c.jsonl", "web/x/y/z/d.jsonl", "web/x/y/e.txt",
		"web/.hidden.jsonl", "web/.git/f.jsonl", "web/x/.nbsvm-made/g.jsonl",
		"lit/a1.tsv", "lit/a[2].tsv", "both/a1.tsv", "both/a[1].tsv", "dot/.a/b.tsv",
	} {
		write(t, path)
	}
	if runtime.GOOS != "windows" {
		write(t, "stray/*.jsonl")
		write(t, "stray/a.jsonl")
	}
	for _, test := range []struct {
		paths, want string // words
		err         string // instead
	}{
		{paths: "web/a.jsonl missing.tsv - web/a.jsonl", want: "web/a.jsonl missing.tsv - web/a.jsonl"},
		{paths: "web/*", want: "web/a.jsonl web/x"},
		{paths: "web/*.jsonl", want: "web/a.jsonl"},
		{paths: "./web/*/*.jsonl", want: "web/x/b.jsonl"},
		{paths: "web/**/*.jsonl", want: "web/a.jsonl web/x/b.jsonl web/x/y/c.jsonl web/x/y/z/d.jsonl"},
		{paths: "web/**", want: "web/a.jsonl web/x/b.jsonl web/x/y/c.jsonl web/x/y/e.txt web/x/y/z/d.jsonl"},
		{paths: "**/y/**/*.jsonl", want: "web/x/y/c.jsonl web/x/y/z/d.jsonl"},
		{paths: "web/x/**/d.jsonl", want: "web/x/y/z/d.jsonl"},
		{paths: "web/../web/**/[a-b].jsonl", want: "web/a.jsonl web/x/b.jsonl"},
		{paths: "web/**/{a,c}.jsonl", want: "web/a.jsonl web/x/y/c.jsonl"},
		{paths: "web/.*.jsonl", want: "web/.hidden.jsonl"},
		{paths: "dot/.a/*", want: "dot/.a/b.tsv"},
		{paths: "web/.git/** web/.git/f.jsonl", want: "web/.git/f.jsonl"},
		{paths: "web/a.jsonl web/*.jsonl web/a.* web/a.jsonl", want: "web/a.jsonl web/a.jsonl"},
		{paths: "lit/a[2].tsv", want: "lit/a[2].tsv"},
		{paths: "lit/*.tsv", want: "lit/a1.tsv lit/a[2].tsv"},
		{paths: "web/**/*.csv", err: "web/**/*.csv: no file matches this pattern"},
		{paths: "web/a.jsonl none/*", err: "none/*: no file matches this pattern"},
		{paths: "web/[a.jsonl", err: "web/[a.jsonl: there is no such file, and it is not a valid pattern: a bracket is not closed"},
		{paths: "both/a[1].tsv", err: `both/a[1].tsv is the name of a file, and a pattern that matches other files, such as both/a1.tsv: rename the file`},
		{paths: `both/a\[1].tsv`, want: "both/a[1].tsv"},
		{paths: "stray/*.jsonl", err: "stray/*.jsonl is the name of a file, and a pattern that matches other files, such as stray/a.jsonl: rename the file"},
		{paths: `stray/\*.jsonl`, want: "stray/*.jsonl"},
	} {
		if runtime.GOOS == "windows" && strings.ContainsAny(test.paths, `\`) || runtime.GOOS == "windows" && strings.Contains(test.paths, "stray") {
			continue
		}
		got, err := Expand(strings.Fields(test.paths))
		switch {
		case test.err != "":
			if err == nil || filepath.ToSlash(err.Error()) != test.err {
				t.Errorf("%s: %q, error %v, want %s", test.paths, got, err, test.err)
			}
			if strings.Contains(test.err, "no file") && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v is not fs.ErrNotExist", test.paths, err)
			}
		case err != nil || filepath.ToSlash(strings.Join(got, " ")) != test.want:
			t.Errorf("%s: %q, %v, want %s", test.paths, got, err, test.want)
		}
	}
}

// TestPatternLinks: ** does not look into folders that links lead to, which may be in a circle; * does.
func TestPatternLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "far/b.txt")
	write(t, "web/x/a.txt")
	for name, to := range map[string]string{
		"web/far": "../far", "web/x/self": ".", "web/up": "..", "web/x/one": "../two", "web/two/other": "../x", "web/root": "/",
		"web/c.txt": "../far/b.txt", "web/lost": "missing",
	} {
		must.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	write(t, "web/two/d.txt")
	got, err := Expand([]string{"web/**/*.txt"})
	want := "web/c.txt web/two/d.txt web/x/a.txt"
	if filepath.ToSlash(strings.Join(got, " ")) != want || err != nil {
		t.Errorf("%q, %v, want %s", got, err, want)
	}
}

// TestUnreadable: a folder that can't be read is not left out without a word.
func TestUnreadable(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "web/x/a.txt")
	must.OK(t, os.Chmod("web/x", 0))
	t.Cleanup(func() { os.Chmod("web/x", 0o700) })
	if _, err := os.ReadDir("web/x"); err == nil {
		t.Skip("this user may read everything")
	}
	if got, err := Expand([]string{"web/**"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%q, %v", got, err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.OK(t, os.WriteFile(path, []byte(path), 0o600))
}
