package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
)

// profiles are the profiling flags of every command.
type profiles struct {
	CPUProfile string `file:"out" name:"cpuprofile" group:"profile" placeholder:"FILE" help:"Write a CPU profile for go tool pprof."`
	MemProfile string `file:"out" name:"memprofile" group:"profile" placeholder:"FILE" help:"Write an allocation profile for go tool pprof."`
	Trace      string `file:"out" group:"profile" placeholder:"FILE" help:"Write an execution trace for go tool trace."`
}

// around writes the profiles of what runs.
func (f *profiles) around(run func() error) (err error) {
	for _, profile := range []struct {
		path  string
		begin func(io.Writer) error
		end   func(io.Writer) error
	}{
		{f.CPUProfile, pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
		{f.Trace, trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
		{f.MemProfile, func(io.Writer) error { return nil }, func(w io.Writer) error {
			runtime.GC() // brings the profile up to date
			return pprof.Lookup("allocs").WriteTo(w, 0)
		}},
	} {
		if profile.path == "" {
			continue
		}
		file, err := os.Create(profile.path)
		if err == nil {
			err = profile.begin(file)
		}
		if err != nil {
			return fmt.Errorf("profiling: %w", err)
		}
		inner := run
		run = func() error {
			err := inner()
			if stopErr := errors.Join(profile.end(file), file.Close()); stopErr != nil && (err == nil || isBadRecords(err)) {
				err = fmt.Errorf("profiling: %w", stopErr)
			}
			return err
		}
	}
	return run()
}
