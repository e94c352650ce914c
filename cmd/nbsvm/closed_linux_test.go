package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStreamsClosed: a command that can't print says so, and so does one that can't read,
// and both fail; /dev/null is no such thing, in whichever way it is opened.
func TestStreamsClosed(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell that could close streams")
	}
	first, _ := command(t)
	nbsvm := func(redirected string) (int, string) {
		// testscript.Main goes by the name of the program.
		cmd := exec.CommandContext(t.Context(), shell, "-c", "ln -sf "+first.Path+" nbsvm; ./nbsvm "+redirected+"\nexit $?")
		cmd.Dir = first.Dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run() // the exit code tells
		return cmd.ProcessState.ExitCode(), stderr.String()
	}
	if err := os.WriteFile(filepath.Join(first.Dir, "t.tsv"), []byte("cooking\tan oven\nsailing\ta keel\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"version", "--help", "score --help", "help pack", "completion bash", "inspect m.nbm", "verify m.nbm", "explain m.nbm",
		"explain m.nbm t.tsv", "eval m.nbm t.tsv", "score m.nbm t.tsv", "score -o - m.nbm t.tsv", "cv --folds 2 t.tsv t.tsv t.tsv",
		"quantize --bits 8 -o - m.nbm", "export --output-format liblinear m.nbm", "bench gen --documents 9", "bench cpu --quick",
		"train --min-df 1 -o n.nbm t.tsv", "pack --ngrams 1-2 -o n.nbc t.tsv",
	} {
		code, said := nbsvm(line + " >&-")
		if code != exitFailed || !strings.Contains(said, "standard output: it is closed") {
			t.Errorf("%s >&-: exit code %d: %s", line, code, said)
		}
	}
	for _, line := range []string{"score m.nbm", "score m.nbm -", "eval m.nbm", "explain m.nbm -", "train -o x.nbm", "pack -o x.nbc", "cv"} {
		code, said := nbsvm(line + " <&-")
		if code != exitFailed || !strings.Contains(said, "standard input: it is closed") {
			t.Errorf("%s <&-: exit code %d: %s", line, code, said)
		}
	}
	for _, line := range []string{
		"score m.nbm t.tsv > /dev/null", "score m.nbm t.tsv > /dev/null < /dev/null", "score m.nbm t.tsv <&-", "score -o x m.nbm t.tsv >&-",
		"quantize -q --bits 8 -o x.nbm m.nbm >&-", "score m.nbm < /dev/null", "version 2>&-",
	} {
		if code, said := nbsvm(line); code != 0 {
			t.Errorf("%s: exit code %d: %s", line, code, said)
		}
	}
	if python, err := exec.LookPath("python3"); err == nil {
		for _, how := range []string{
			`["./nbsvm", "inspect", "m.nbm"], `, `"./nbsvm inspect m.nbm", shell=True, `, `"./nbsvm inspect m.nbm; exit $?", shell=True, `,
		} {
			cmd := exec.CommandContext(t.Context(), python, "-c", `import subprocess, sys
sys.exit(subprocess.call(`+how+`stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))`)
			cmd.Dir = first.Dir
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s and DEVNULL of Python: %v: %s", how, err, said)
			}
		}
	}
}
