package main

import (
	"fmt"
	"runtime"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/build"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
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
	}{
		nbsvm.Version, build.Revision(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, kernels.Active(),
		kernels.CPU(),
	}
	if c.JSON {
		return printJSON(c.out, v)
	}
	revision := ""
	if v.Revision != "" {
		revision = " (" + v.Revision + ")"
	}
	_, err := fmt.Fprintf(c.out, "nbsvm %s%s, %s %s, kernels %s\n%s\n", v.Version, revision, v.Go, v.Platform,
		v.Kernels, v.CPU)
	return err
}
