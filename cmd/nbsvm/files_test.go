package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// noFiles are the flags of texts that name no file.
var noFiles = strings.Fields(`
	add-field by class class-weight format from-field hierarchy id-field job keep-fields
	label label-field label-sep labels lengths listen loss
	losses methods metric model output-format over per preset progress score-field shard
	shares target templates text-field tree values weight-field where window
`)

// TestFilesKnown: every flag and argument of text is known either to name a file, or to
// name none, so that the check of files can't be forgotten with a new one.
func TestFilesKnown(t *testing.T) {
	files := 0
	for command, p := range newGrammar(io.Discard, io.Discard, nil).commands {
		for _, field := range p.fields() {
			kind := field.Value.Type()
			for kind.Kind() == reflect.Slice || kind.Kind() == reflect.Pointer {
				kind = kind.Elem()
			}
			named, at := field.Tag("file"), command.CommandPath()+" "+field.Name
			if named != "" {
				files++
			}
			switch {
			case named != "" && named != readFile && named != writtenFile && named != binaryFile && named != "folder":
				t.Errorf("%s: unknown tag file:%q", at, named)
			case named != "" || field.Enum != nil || field.Tag("option") != "" || kind.Kind() != reflect.String: // options of training name none
			case field.Argument || !slices.Contains(noFiles, field.Name):
				t.Errorf("%s: if it names a file, it needs a tag file:%q or so; else it belongs to the list above", at, readFile)
			}
			if field.Short == "o" && named != writtenFile && named != binaryFile {
				t.Errorf("%s: tag file:%q, want %q", at, named, writtenFile)
			}
		}
	}
	if files < 40 {
		t.Errorf("only %d flags and arguments name files", files)
	}
}

// TestClashes: no command writes to what it reads, or to what it writes already, by whatever
// name; the message has both names, and all files stay as they were.
func TestClashes(t *testing.T) {
	t.Chdir(t.TempDir())
	var text bytes.Buffer
	must.OK(t, writeDocuments(&text, "tsv", 40, 2))
	for _, name := range []string{"t.tsv", "other.tsv", "bad.tsv"} {
		must.OK(t, os.WriteFile(name, text.Bytes(), 0o600))
	}
	nbsvm := func(in io.Reader, out io.Writer, line string) (int, string) {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(line), streams{in, out, &stderr})
		return code, stderr.String()
	}
	for _, line := range []string{"train -q --bits 12 t.tsv -o m.nbm", "pack -q --min-df 1 --ngrams 1-2 t.tsv -o c.nbc", "pack -q --min-df 1 --ngrams 1-2 t.tsv -o d.nbc"} {
		output(t, strings.Fields(line)...)
	}
	if err := os.Link("t.tsv", "hard.tsv"); err != nil {
		t.Skip(err)
	}
	for link, target := range map[string]string{"soft.tsv": "t.tsv", "dangling": "new", "here": "."} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
	}
	before := listing(t)
	refused := func(line, name string, code int, said string, names ...string) {
		t.Helper()
		for _, name := range append(names, name) {
			if code != exitUsage || !strings.Contains(said, name) {
				t.Errorf("%s: exit code %d, want %d and a message with %q: %s", line, code, exitUsage, name, said)
			}
		}
		if after := listing(t); !maps.Equal(before, after) {
			t.Fatalf("%s: the files have changed: %v", line, slices.Sorted(maps.Keys(after)))
		}
	}
	for line, names := range map[string]string{
		"train t.tsv -o t.tsv":                                                      "-o t.tsv,input t.tsv",
		"train soft.tsv -o t.tsv":                                                   "-o t.tsv,input soft.tsv",
		"train t.tsv -o soft.tsv":                                                   "-o soft.tsv,input t.tsv",
		"train other.tsv hard.tsv -o t.tsv":                                         "-o t.tsv,input hard.tsv",
		"train other.tsv --valid t.tsv -o here/t.tsv":                               "-o here/t.tsv,--valid t.tsv",
		"train --on-bad quarantine=t.tsv t.tsv -o new":                              "--on-bad quarantine t.tsv,input t.tsv",
		"score m.nbm t.tsv -o m.nbm":                                                "-o m.nbm,model m.nbm",
		"score m.nbm t.tsv -o t.tsv":                                                "-o t.tsv,input t.tsv",
		"score m.nbm t.tsv -o new --on-bad quarantine=new":                          "-o new,--on-bad quarantine new",
		"score m.nbm t.tsv -o new --on-bad quarantine=here/here/new":                "-o new,--on-bad quarantine here/here/new",
		"score m.nbm t.tsv --cpuprofile t.tsv":                                      "--cpuprofile t.tsv,input t.tsv",
		"score m.nbm t.tsv --cpuprofile new --memprofile new":                       "--memprofile new,--cpuprofile new",
		"score --where p>1 m.nbm t.tsv -o bad.tsv --rejects bad.tsv":                "-o bad.tsv,--rejects bad.tsv",
		"eval m.nbm t.tsv --memprofile m.nbm":                                       "--memprofile m.nbm,model m.nbm",
		"cv t.tsv --cpuprofile t.tsv":                                               "--cpuprofile t.tsv,input t.tsv",
		"pack t.tsv -o t.tsv":                                                       "-o t.tsv,input t.tsv",
		"pack c.nbc -o c.nbc":                                                       "-o c.nbc,input c.nbc",
		"merge c.nbc d.nbc -o d.nbc":                                                "-o d.nbc,file d.nbc",
		"quantize m.nbm -o m.nbm":                                                   "-o m.nbm,model m.nbm",
		"export m.nbm -o m.nbm":                                                     "-o m.nbm,model m.nbm",
		"export m.nbm t.tsv -o t.tsv":                                               "-o t.tsv,input t.tsv",
		"inspect m.nbm --cpuprofile m.nbm":                                          "--cpuprofile m.nbm,file m.nbm",
		"explain m.nbm t.tsv --cpuprofile t.tsv":                                    "--cpuprofile t.tsv,input t.tsv",
		"bench score --quick t.tsv --cpuprofile t.tsv":                              "--cpuprofile t.tsv,input t.tsv",
		"bench score --quick t.tsv --model-file m.nbm --cpuprofile m.nbm":           "--cpuprofile m.nbm,--model-file m.nbm",
		"score m.nbm t.tsv -o new --on-bad quarantine=bad.tsv --memprofile bad.tsv": "--on-bad quarantine bad.tsv,--memprofile bad.tsv",
	} {
		code, said := nbsvm(strings.NewReader(""), io.Discard, line)
		refused(line, "are the same file", code, said, strings.Split(names, ",")...)
	}

	// Standard streams lead to files, too.
	for line, names := range map[string]string{
		"train t.tsv -o - --report -":                    "-o and --report would both go to standard output",
		"score --where p>1 m.nbm t.tsv -o - --rejects -": "-o and --rejects would both go to standard output",
		"score m.nbm t.tsv --on-bad quarantine=-":        "--on-bad quarantine can't be standard output",
		"version --cpuprofile -":                         "--cpuprofile can't be standard output",
	} {
		code, said := nbsvm(strings.NewReader(""), io.Discard, line)
		refused(line, names, code, said)
	}
	end, err := os.OpenFile("t.tsv", os.O_WRONLY|os.O_APPEND, 0)
	must.OK(t, err)
	defer end.Close()
	start, err := os.Open("t.tsv")
	must.OK(t, err)
	defer start.Close()
	for _, line := range []string{"score m.nbm hard.tsv", "eval m.nbm soft.tsv", "verify t.tsv", "score m.nbm t.tsv -o /dev/stdout"} {
		code, said := nbsvm(strings.NewReader(""), end, line)
		refused(line+" >> t.tsv", "standard output", code, said, "send standard output to another file")
	}
	code, said := nbsvm(start, end, "score m.nbm")
	refused("score < t.tsv >> t.tsv", "standard output and standard input", code, said)
	code, said = nbsvm(start, io.Discard, "score m.nbm -o t.tsv -")
	refused("score - < t.tsv", "standard input", code, said, "-o t.tsv")

	// What may be used twice, and what is read and written on purpose.
	for _, line := range []string{
		"score m.nbm t.tsv t.tsv -o /dev/null --on-bad quarantine=/dev/null",
		"eval m.nbm t.tsv",
	} {
		if code, said := nbsvm(strings.NewReader(""), io.Discard, line); code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, said)
		}
	}
}

// TestNameOfBytes: files may have names that are not UTF-8.
func TestNameOfBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("caf\xe9.tsv", []byte("a\tone text\nb\tanother text\n"), 0o600); err != nil {
		t.Skip(err)
	}
	output(t, "pack", "-q", "--ngrams", "1-1", "-o", "caf\xe9.nbc", "caf\xe9.tsv")
	if _, err := os.Stat("caf\xe9.nbc"); err != nil {
		t.Error(err)
	}
}
