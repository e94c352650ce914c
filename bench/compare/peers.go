package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
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
	c.missing = map[string]string{}
	for _, name := range []string{liblinearPackage, fastTextPackage, sklearnPackage, compilerPackage} {
		installed := packageVersion(ctx, name)
		if installed == "" {
			c.missing[name] = "not installed; run apt-get install " + name
			c.say("%s is %s", name, c.missing[name])
			continue
		}
		c.versions = append(c.versions, version{name, installed})
	}
	return nil
}

// packageVersion is the version of an installed Debian package, else "".
func packageVersion(ctx context.Context, name string) string {
	listing, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}\n", name).Output()
	if err != nil {
		return ""
	}
	return installedVersion(string(listing))
}

// installedVersion takes the version from lines of status and version, one an
// architecture.
func installedVersion(listing string) string {
	for line := range strings.Lines(listing) {
		if status, version, _ := strings.Cut(strings.TrimSpace(line), " "); status == "installed" {
			return version
		}
	}
	return ""
}

// lacks says why a comparison that needs the packages can't be made, else "".
func (c *comparison) lacks(packages ...string) string {
	for _, name := range packages {
		if why, missing := c.missing[name]; missing {
			return name + ": " + why
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
