package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	webpprof "net/http/pprof"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/serve"
)

// profiles are the profiling flags of every command.
type profiles struct {
	CPUProfile string `file:"out" name:"cpuprofile" group:"profile" placeholder:"FILE" help:"Write a CPU profile for go tool pprof."`
	MemProfile string `file:"out" name:"memprofile" group:"profile" placeholder:"FILE" help:"Write an allocation profile for go tool pprof."`
	Trace      string `file:"out" group:"profile" placeholder:"FILE" help:"Write an execution trace for go tool trace."`
	Pprof      string `group:"profile" placeholder:"ADDR" help:"Serve net/http/pprof while the command runs, on 127.0.0.1 unless ADDR has a host."`
}

// around writes and serves the profiles of what runs.
func (f *profiles) around(stderr io.Writer, run func() error) (err error) {
	if f.Pprof != "" {
		server, err := f.serve(stderr)
		if err != nil {
			return fmt.Errorf("profiling: %w", err)
		}
		defer server.Close()
	}
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

// serve serves profiles to requests for the host that was asked for.
func (f *profiles) serve(stderr io.Writer) (*http.Server, error) {
	listener, host, err := listen("--pprof", f.Pprof)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "nbsvm: profiles at http://%s/debug/pprof/\n", listener.Addr())
	pages := http.NewServeMux()
	pages.HandleFunc("/debug/pprof/", webpprof.Index)
	pages.HandleFunc("/debug/pprof/cmdline", webpprof.Cmdline)
	pages.HandleFunc("/debug/pprof/profile", webpprof.Profile)
	pages.HandleFunc("/debug/pprof/symbol", webpprof.Symbol)
	pages.HandleFunc("/debug/pprof/trace", webpprof.Trace)
	server := &http.Server{Handler: serve.OnlyFor(host, pages)}
	go server.Serve(listener) // returns ErrServerClosed
	return server, nil
}
