package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestMain(m *testing.M) {
	// Under the race detector a process sleeps for a second at its end, unless
	// told otherwise; here are hundreds.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(m, programs)
}

// programs are what the test binary is, by the name that it is started under.
var programs = map[string]func(){"crash": crash, "nbsvm": func() {
	prepareProcess() // as main does
	code := run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	tellMemory()
	exit(code)
}}

// TestScript runs the command as a user does: every script in testdata/script is
// a story. With -short, the race detector looks only at those in which something
// runs concurrently that does not in others. Besides testscript's own commands they have those below, and from
// corpora_test.go and damage_test.go those that make input.
func TestScript(t *testing.T) {
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits": cmdExits, "rows": cmdRows, "json": cmdJSON, "only": cmdOnly, "helped": cmdHelped, "profile": cmdProfile,
		"wrong": cmdWrong, "untimed": cmdUntimed,
	}
	for name, f := range makers {
		commands[name] = f
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                commands,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		ContinueOnError:     true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "devfull":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			case "race":
				return must.RaceEnabled, nil
			}
			return false, errors.New("unknown condition " + name)
		},
	})
}

// cmdExits is "exits CODE COMMAND ARG...": the command ends with that code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// cmdWrong is "wrong CODE REGEXP ARG...": nbsvm with these arguments ends with that code, writes nothing to standard
// output, and what it says begins with its name and matches.
func cmdWrong(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: wrong CODE REGEXP ARG...")
	}
	cmdExits(ts, false, append([]string{args[0], "nbsvm"}, args[2:]...))
	said := ts.ReadFile("stderr")
	matches, err := regexp.MatchString("(?m)"+args[1], said)
	ts.Check(err)
	if !matches || !strings.HasPrefix(said, "nbsvm: ") || ts.ReadFile("stdout") != "" {
		ts.Fatalf("it should say %s", args[1])
	}
}

// cmdRows is "rows FILE N": the file, or stdout or stderr, has N lines.
func cmdRows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rows FILE N")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, "\n"); strconv.Itoa(n) != args[1] || text != "" && !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s has %d lines, want %s:\n%s", args[0], n, args[1], text)
	}
}

// cmdUntimed is "untimed FILE": what was printed is written to the file, without the times that cv tells as JSON.
func cmdUntimed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: untimed FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), untimed([]byte(ts.ReadFile("stdout"))), 0o666))
}

var jsonTimes = regexp.MustCompile(`(?s),\s*"times": \{[^}]*\}|,\s*"command": "[^"]*"`)

// untimed is what cv prints as JSON without times, which differ from run to run, and the command, which names inputs.
func untimed(printed []byte) []byte { return jsonTimes.ReplaceAll(printed, nil) }

// cmdJSON is "json FILE [PATH[=VALUE]...]": the file is a stream of JSON values,
// and the first has a value at every path of keys and indices joined by dots, as
// JSON the given one.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json FILE [PATH[=VALUE]...]")
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var first any
	for n := 0; ; n++ {
		var value any
		if err := d.Decode(&value); err != nil {
			if d.More() || n == 0 {
				ts.Fatalf("%s is not JSON: %v", args[0], err)
			}
			break
		}
		if n == 0 {
			first = value
		}
	}
	for _, arg := range args[1:] {
		path, want, compare := strings.Cut(arg, "=")
		value, ok := dig(first, path)
		if !ok {
			ts.Fatalf("%s has no %s", args[0], path)
		}
		if !compare {
			continue
		}
		got, err := json.Marshal(value)
		ts.Check(err)
		if string(got) != want {
			ts.Fatalf("%s: %s is %s, want %s", args[0], path, got, want)
		}
	}
}

// cmdHelped looks at the last command's output: help that fits a terminal and
// says defaults once.
func cmdHelped(ts *testscript.TestScript, neg bool, args []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			ts.Fatalf("%d characters wide: %s", n, line)
		}
		if strings.Count(line, "(default") > 1 {
			ts.Fatalf("two defaults: %s", line)
		}
	}
}

// cmdProfile is "profile FILE": it is one of pprof's, complete.
func cmdProfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: profile FILE")
	}
	z, err := gzip.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	data, err := io.ReadAll(z)
	ts.Check(err)
	if !bytes.Contains(data, []byte("nanoseconds")) && !bytes.Contains(data, []byte("alloc_space")) {
		ts.Fatalf("%s is no profile", args[0])
	}
}

func dig(value any, path string) (any, bool) {
	for key := range strings.SplitSeq(path, ".") {
		ok := false
		switch v := value.(type) {
		case map[string]any:
			value, ok = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if ok = err == nil && i < len(v); ok {
				value = v[i]
			}
		}
		if !ok {
			return nil, false
		}
	}
	return value, true
}

// cmdOnly is "only FOLDER FILE...": the folder has exactly these files, so that
// nothing half-written and nothing temporary is left.
func cmdOnly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: only FOLDER FILE...")
	}
	folder := ts.MkAbs(args[0])
	want := map[string]bool{}
	for _, name := range args[1:] {
		want[name] = true
	}
	ts.Check(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err == nil && !want[filepath.ToSlash(name)] {
			err = errors.New("unexpected file " + path)
		}
		delete(want, filepath.ToSlash(name))
		return err
	}))
	for name := range want {
		ts.Fatalf("no file %s in %s", name, args[0])
	}
}
