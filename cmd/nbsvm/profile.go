package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// profiles are the profiling flags of every command.
type profiles struct {
	CPUProfile string `file:"out" name:"cpuprofile" group:"profile" placeholder:"FILE" help:"Write a CPU profile for go tool pprof."`
	MemProfile string `file:"out" name:"memprofile" group:"profile" placeholder:"FILE" help:"Write an allocation profile for go tool pprof."`
}

// around writes the profiles of what runs.
func (f *profiles) around(run func() error) error {
	for _, profile := range []struct {
		path  string
		begin func(io.Writer) error
		end   func(io.Writer) error
	}{
		{f.CPUProfile, pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
		{f.MemProfile, func(io.Writer) error { return nil }, func(w io.Writer) error {
			runtime.GC() // brings the profile up to date
			return pprof.Lookup("allocs").WriteTo(w, 0)
		}},
	} {
		if profile.path == "" {
			continue
		}
		file, err := osfile.Create(profile.path)
		if err != nil {
			return fmt.Errorf("profiling: %w", err)
		}
		defer file.Abort()
		if err := profile.begin(file); err != nil {
			return fmt.Errorf("profiling: %w", err)
		}
		inner := run
		run = func() error {
			err := inner()
			if stopErr := cmp.Or(profile.end(file), file.Commit()); stopErr != nil &&
				(err == nil || isBadRecords(err)) {
				err = fmt.Errorf("profiling: %w", stopErr)
			}
			return err
		}
	}
	return run()
}
