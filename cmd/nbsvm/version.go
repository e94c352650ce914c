package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/kernels"
)

type versionCmd struct{}

func (versionCmd) Run(c *call) error {
	v := struct {
		Version  string `json:"version"`
		Revision string `json:"revision"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
		Kernels  string `json:"kernels"`
		CPU      string `json:"cpu"`
	}{nbsvm.Version, revision(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, kernels.Active(), kernels.CPU()}
	if c.JSON {
		return printJSON(c.out, v)
	}
	_, err := fmt.Fprintf(c.out, "nbsvm %s%s, %s %s, kernels %s\n%s\n", v.Version, v.Revision, v.Go, v.Platform, v.Kernels, v.CPU)
	return err
}

// revision is the commit that the command was built from, as far as the build
// knows.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = " (" + s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				changed = ", changed"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed + ")"
}
