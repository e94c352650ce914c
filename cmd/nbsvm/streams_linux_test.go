//go:build amd64 || arm64

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestStandardOutputNamed: of each command, whatever name standard output is given, -o writes what it writes for -o -, and nothing else
// gets between, into pipes and into files.
func TestStandardOutputNamed(t *testing.T) {
	must.SkipUnderRace(t)
	t.Parallel()
	s := newJobshop(t)
	inputs := s.tree()
	link := filepath.Join(t.TempDir(), "link")
	must.OK(t, os.Symlink("/dev/stdout", link))
	output := regexp.MustCompile(` -o \S+`)
	names := []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", link}
	met := map[string]bool{}
	for i, k := range jobs {
		command := strings.Join(regexp.MustCompile(`^(?:bench |tag )?\w+`).FindAllString(k.line, 1), "")
		if met[command] || !output.MatchString(k.line) {
			continue
		}
		met[command] = true
		run := func(name string, stdout io.Writer) (int, string) {
			k := k
			k.line = output.ReplaceAllLiteralString(strings.Replace(k.line, " -q", "", 1), " -o "+name)
			cmd := s.prepare(k)
			cmd.Stdout = stdout
			cmd.Run()
			s.reset(inputs)
			return cmd.ProcessState.ExitCode(), fmt.Sprint(cmd.Stderr)
		}
		var want bytes.Buffer
		code, _ := run("-", &want)
		if code == exitDone && want.Len() == 0 {
			t.Errorf("%s: nothing goes to standard output", k.line)
		}
		check := func(name string, got []byte, now int, said string) {
			if now != code || !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s, -o %s: exit code %d and %d bytes, want %d and %d: %s", k.line, name, now, len(got), code, want.Len(), said)
			}
		}
		var got bytes.Buffer
		now, said := run(names[i%len(names)], &got)
		check(names[i%len(names)], got.Bytes(), now, said)
		path := filepath.Join(t.TempDir(), "file")
		name := []string{names[(i+1)%len(names)], path}[i/4%2]
		to, err := os.Create(path)
		must.OK(t, err)
		now, said = run(name, to)
		to.Close()
		file, err := os.ReadFile(path)
		check(name+" >file", file, now, fmt.Sprint(said, err))
	}
}

// TestStreamsMixed: commands that would write two things into one pipe are refused, and write nothing.
func TestStreamsMixed(t *testing.T) {
	t.Parallel()
	s := newJobshop(t)
	must.OK(t, syscall.Mkfifo(s.in("pipe"), 0o600))
	reader, err := os.OpenFile(s.in("pipe"), os.O_RDWR, 0)
	must.OK(t, err)
	defer reader.Close()
	for line, want := range map[string]string{
		"train -o /dev/stdout --report /dev/fd/1 text.tsv":                                  "-o and --report would both go to standard output",
		"train -o pipe --report pipe text.tsv":                                              "-o pipe and --report pipe are the same file",
		"train -o /dev/fd/3 --report /dev/fd/3 text.tsv":                                    "-o /dev/fd/3 and --report /dev/fd/3 are the same file",
		"train -o /dev/fd/3 --report /dev/fd/4 text.tsv":                                    "-o /dev/fd/3 and --report /dev/fd/4 are the same file",
		"score -o pipe --on-bad quarantine=pipe m.nbm text.jsonl":                           "-o pipe and --on-bad quarantine pipe are the same file",
		"score -o /dev/stdout --on-bad quarantine=/dev/stdout m.nbm text.jsonl":             "--on-bad quarantine can't be standard output",
		"score --where margin>0 -o /dev/fd/1 --rejects /dev/stdout m.nbm text.jsonl":        "-o and --rejects would both go to standard output",
		"train -o out.nbm --cpuprofile /dev/stdout text.tsv":                                "--cpuprofile can't be standard output",
		"train -o /dev/stderr text.tsv":                                                     "-o and standard error go to the same place",
		"quantize -o /dev/stderr m.nbm":                                                     "-o and standard error go to the same place",
		"train -o out.nbm --report out.txt --memprofile pipe --cpuprofile pipe -q text.tsv": "--cpuprofile pipe and --memprofile pipe are the same file",
		"train -o out.nbm --cpuprofile pipe --report /proc/self/fd/4 text.tsv":              "--report /proc/self/fd/4 and --cpuprofile pipe are the same file",
		"report -o /dev/stdout --cpuprofile /proc/thread-self/fd/1 m.nbm more.tsv":          "--cpuprofile can't be standard output",
		"merge -o /dev/fd/2 text.nbc more.nbc":                                              "-o and standard error go to the same place",
		"eval --wrong /dev/stdout m.nbm text.tsv":                                           "--wrong can't be standard output",
	} {
		cmd := s.command(strings.Fields(line)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, &stderr, []*os.File{reader, reader}
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %d bytes, it says %q, want %q", line, code, stdout.Len(), &stderr, want)
		}
	}
	both := s.command("train", "-o", "-", "text.tsv")
	var out bytes.Buffer
	both.Stdout, both.Stderr = &out, &out
	both.Run()
	if code := both.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(out.String(), "redirect standard error") {
		t.Errorf("a model and messages in one pipe: exit code %d: %s", code, &out)
	}
}

// TestProfilesFull: a profile that can't be written is an error, whatever kind it is of.
func TestProfilesFull(t *testing.T) {
	t.Parallel()
	s := withModel(t)
	s.documents("text.tsv", 60)
	for _, flag := range []string{"--cpuprofile", "--memprofile"} {
		cmd := s.command("score", "-q", "-o", "out", flag, "/dev/full", "m.nbm", "text.tsv")
		said, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exitFailed || !bytes.Contains(said, []byte("/dev/full: no space left on device")) {
			t.Errorf("%s: exit code %d: %s", flag, code, said)
		}
	}
}
