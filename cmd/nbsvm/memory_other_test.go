//go:build !linux

package main

import (
	"os"
	"testing"
)

// checkMemory is for Linux, where the unit of peak memory is known.
func checkMemory(*testing.T, *os.ProcessState, []string) {}
