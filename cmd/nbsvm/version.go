package main

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/bench"
)

type versionCmd struct{}

func (versionCmd) Run(c *call) error {
	if c.JSON {
		return printJSON(c.out, bench.ThisMachine())
	}
	_, err := fmt.Fprintln(c.out, bench.ThisMachine())
	return err
}
