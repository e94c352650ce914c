package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// oldFile is a row of the table in testdata/old/README.md.
type oldFile struct {
	name    string
	version int
	made    []string // the command, without its output
	scored  string   // what it was scored on; "refused" if it is no longer read
}

var oldRow = regexp.MustCompile(`(?m)^\| (\S+\.\w+) \| (\d+) \| [0-9a-f]{8} \| (.+?) \| (\S* ?)\|$`)

// inOldFiles goes to a copy of testdata/old, and returns what its table says.
func inOldFiles(t *testing.T) (files []oldFile) {
	t.Helper()
	folder := t.TempDir()
	must.OK(t, os.CopyFS(folder, os.DirFS("testdata/old")))
	t.Chdir(folder)
	readme, err := os.ReadFile("README.md")
	must.OK(t, err)
	for _, row := range oldRow.FindAllStringSubmatch(string(readme), -1) {
		version, _ := strconv.Atoi(row[2])
		files = append(files, oldFile{row[1], version, strings.Fields(row[3]), strings.TrimSpace(row[4])})
	}
	return files
}

// output runs a command that must succeed, and returns what it prints.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, streams{strings.NewReader(""), &stdout, &stderr}); code != exitDone {
		t.Fatalf("nbsvm %s: exit code %d: %s", strings.Join(args, " "), code, &stderr)
	}
	return stdout.String()
}

// whatToDo is what the refusal of an old file advises.
var whatToDo = map[string]string{
	".nbc": "pack again", ".nbt": "or train again",
}

// TestOldFiles opens the files that earlier versions wrote. They give the labels and numbers that they gave then, or
// are refused with a message that says what to do.
func TestOldFiles(t *testing.T) {
	files := inOldFiles(t)
	newest := map[string]oldFile{}
	for _, f := range files {
		kind := filepath.Ext(f.name)
		if f.scored != "refused" && f.version > newest[kind].version {
			newest[kind] = f
		}
		t.Run(f.name, func(t *testing.T) {
			verify := []string{"verify", f.name}
			if f.scored == "refused" {
				if code, said := invoke(t.Context(), verify...); code != exitFailed || !strings.Contains(said, whatToDo[kind]) {
					t.Errorf("exit code %d: %s", code, said)
				}
				return
			}
			output(t, verify...)
			switch kind {
			case ".nbc":
				sameCorpus(t, f)
			case ".nbt":
				sameScores(t, f.name, output(t, "tag", "score", "-q", f.name, f.scored))
			default:
				sameScores(t, f.name, output(t, "score", "-q", "--output-format", "jsonl", "--all-scores", f.name, f.scored))
			}
		})
	}
	for _, f := range newest {
		refusedWhenNewer(t, f)
	}
}

// sameScores compares lines with those that were recorded when the file was made.
func sameScores(t *testing.T, name, got string) {
	t.Helper()
	recorded, err := os.ReadFile(name + ".scores")
	must.OK(t, err)
	now, then := strings.Split(got, "\n"), strings.Split(string(recorded), "\n")
	if len(now) != len(then) {
		t.Fatalf("%d lines, then %d", len(now), len(then))
	}
	for i := range now {
		if now[i] == then[i] {
			continue
		}
		var a, b map[string]any
		if json.Unmarshal([]byte(now[i]), &a) != nil || json.Unmarshal([]byte(then[i]), &b) != nil || !alike(a, b) {
			t.Errorf("line %d: %s, then %s", i+1, now[i], then[i])
		}
	}
}

// alike compares what is decoded from JSON. Recorded numbers may have six digits, of which the last may have been rounded otherwise.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if !alike(a[key], b[key]) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1.5e-5*math.Abs(b)
	}
	return reflect.DeepEqual(a, b)
}

// sameCorpus trains on a packed corpus and on one that is packed now of the same documents: the models are the same.
func sameCorpus(t *testing.T, f oldFile) {
	t.Helper()
	output(t, append(f.made, "-q", "-o", "now.nbc")...)
	var models [][]byte
	for _, name := range []string{f.name, "now.nbc"} {
		output(t, "train", "-q", "-o", "out.nbm", name)
		data, err := os.ReadFile("out.nbm")
		must.OK(t, err)
		models = append(models, data)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("a corpus that is packed now gives another model")
	}
}

// refusedWhenNewer makes a file of the newest version one of a later version. The message names the newest version that
// the program reads, so that a version without files here is noticed.
func refusedWhenNewer(t *testing.T, f oldFile) {
	t.Helper()
	data, err := os.ReadFile(f.name)
	must.OK(t, err)
	data[8] = 255 // the lowest byte of the version, after the magic
	must.OK(t, os.WriteFile("later", data, 0o600))
	code, said := invoke(t.Context(), "verify", "later")
	wanted := regexp.MustCompile(fmt.Sprintf(`version 255, and this \w+ reads versions? (up to )?%d\b`, f.version))
	if code != exitFailed || !wanted.MatchString(said) {
		t.Errorf("%s of a later version: exit code %d: %s", f.name, code, said)
	}
}
