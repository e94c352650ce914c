package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// The packages of the peers, and of the compiler that LIBLINEAR's driver needs.
const (
	liblinearPackage = "liblinear-dev"
	fastTextPackage  = "fasttext"
	sklearnPackage   = "python3-sklearn"
	compilerPackage  = "gcc"
)

// python is Debian's, which sees Debian's packages whatever else PATH holds.
const python = "/usr/bin/python3"

// version names a program and its version.
type version struct{ Name, Version string }

// findPeers finds the peers' packages. Peers that are not installed are skipped, and the results say so.
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
	c.versions = installed(ctx, liblinearPackage, fastTextPackage, sklearnPackage, compilerPackage)
	return nil
}

// installed are those of some Debian packages that are installed.
func installed(ctx context.Context, names ...string) []version {
	args := append([]string{"-W", "-f", "${db:Status-Status} ${Package} ${Version}\n"}, names...)
	listing, _ := exec.CommandContext(ctx, "dpkg-query", args...).Output() // it fails if one is unknown, and lists the others
	return installedOf(string(listing))
}

// installedOf takes them from lines of status, name and version, one an architecture.
func installedOf(listing string) (packages []version) {
	for line := range strings.Lines(listing) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "installed" {
			packages = append(packages, version{fields[1], fields[2]})
		}
	}
	return packages
}

// lacks says why a comparison that needs the packages can't be made, else "".
func (c *comparison) lacks(packages ...string) string {
	for _, name := range packages {
		if !slices.ContainsFunc(c.versions, func(v version) bool { return v.Name == name }) {
			return name + " is not installed; run apt-get install " + name
		}
	}
	return ""
}

// output is what a program prints.
func output(ctx context.Context, argv0 string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	_, err := runProcess(ctx, &out, append([]string{argv0}, args...))
	return out.Bytes(), err
}
