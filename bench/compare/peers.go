package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// Names of the programs.
const (
	nbsvmPeer     = "nbsvm"
	sklearnPeer   = "scikit-learn"
	fastTextPeer  = "fastText"
	vwPeer        = "Vowpal Wabbit"
	liblinearPeer = "LIBLINEAR"
)

// liblinearTools are LIBLINEAR's commands; its library is apart from them.
const liblinearTools = "liblinear-train"

// version names a program and its version.
type version struct{ Name, Version string }

// findPeers finds out which programs are installed. Those that are not are skipped, and the results say so.
func (c *comparison) findPeers(ctx context.Context) error {
	if _, err := exec.LookPath(c.Nbsvm); err != nil {
		return fmt.Errorf("can't find the nbsvm to compare: %w", err)
	}
	own, err := output(ctx, c.Nbsvm, "version", "--json")
	if err != nil {
		return err
	}
	var ours struct{ Version, Revision, Go, Kernels string }
	if err := json.Unmarshal(own, &ours); err != nil {
		return fmt.Errorf("nbsvm version --json: %w", err)
	}
	c.machine = bench.ThisMachine()
	c.machine.Version, c.machine.Revision, c.machine.Go, c.machine.Kernels = ours.Version, ours.Revision, ours.Go, ours.Kernels
	c.missing = map[string]string{}
	for _, peer := range []struct {
		name, install string
		version       func() (string, error)
	}{
		{liblinearPeer, "apt-get install liblinear-dev gcc", func() (string, error) { return liblinearVersion(ctx) }},
		{liblinearTools, "apt-get install liblinear-tools", func() (string, error) { return packaged(ctx, "liblinear-train", "liblinear-tools") }},
		{fastTextPeer, "apt-get install fasttext", func() (string, error) { return packaged(ctx, "fasttext", "fasttext") }},
		{vwPeer, "https://vowpalwabbit.org/start.html", func() (string, error) { return firstLine(ctx, "vw", "--version") }},
		{sklearnPeer, "apt-get install python3-sklearn, or name another Python", func() (string, error) {
			return firstLine(ctx, c.Python, "-c", "import sklearn; print(sklearn.__version__)")
		}},
	} {
		found, err := peer.version()
		if err != nil {
			c.missing[peer.name] = peer.install
			continue
		}
		c.versions = append(c.versions, version{peer.name, found})
	}
	return nil
}

// packaged is the version of the Debian package of a program that does not tell its own.
func packaged(ctx context.Context, program, name string) (string, error) {
	if _, err := exec.LookPath(program); err != nil {
		return "", err
	}
	if found, err := firstLine(ctx, "dpkg-query", "-W", "-f", "${Version}", name); err == nil {
		return found + " (Debian)", nil
	}
	return "of unknown version", nil
}

// liblinearVersion is what LIBLINEAR's header says, 230 of 2.30.
func liblinearVersion(ctx context.Context) (string, error) {
	var out, said bytes.Buffer
	compiler := exec.CommandContext(ctx, "gcc", "-E", "-P", "-x", "c", "-")
	compiler.Stdin, compiler.Stdout, compiler.Stderr = strings.NewReader("#include <linear.h>\nLIBLINEAR_VERSION\n"), &out, &said
	if err := compiler.Run(); err != nil {
		return "", err
	}
	fields := strings.Fields(out.String())
	number, err := strconv.Atoi(fields[len(fields)-1])
	return fmt.Sprintf("%d.%02d", number/100, number%100), err
}

// firstLine is the first line that a program prints.
func firstLine(ctx context.Context, argv0 string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, argv0, args...).Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), err
}

// output is what a program prints.
func output(ctx context.Context, argv0 string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	_, err := runProcess(ctx, &out, append([]string{argv0}, args...))
	return out.Bytes(), err
}
