package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	webpprof "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/seed-167f963f/nbsvm/internal/page/serve"
)

// profiles are the profiling flags of every command.
type profiles struct {
	CPUProfile   string `file:"out" name:"cpuprofile" group:"profile" placeholder:"FILE" help:"Write a CPU profile."`
	MemProfile   string `file:"out" name:"memprofile" group:"profile" placeholder:"FILE" help:"Write an allocation profile at the end."`
	BlockProfile string `file:"out" name:"blockprofile" group:"profile" placeholder:"FILE" help:"Write a profile of where goroutines waited."`
	MutexProfile string `file:"out" name:"mutexprofile" group:"profile" placeholder:"FILE" help:"Write a profile of who held locks that others waited for."`
	Trace        string `file:"out" group:"profile" placeholder:"FILE" help:"Write an execution trace."`
	Pprof        string `group:"profile" placeholder:"ADDR" help:"Serve net/http/pprof while the command runs, on 127.0.0.1 unless ADDR names a host."`
}

// profiling is what ends with the command.
type profiling []func() error

func (p profiling) stop() error {
	var errs []error
	for _, stop := range p {
		errs = append(errs, stop())
	}
	return errors.Join(errs...)
}

// start begins what the flags ask for.
func (f *profiles) start(stderr io.Writer) (p profiling, err error) {
	// Profiles of events count all of them until the end, when they are written.
	events := func(setRate func(rate int)) func(io.Writer) error {
		return func(io.Writer) error { setRate(1); return nil }
	}
	atEnd := func(name string, setRate func(rate int)) func(io.Writer) error {
		return func(w io.Writer) error { setRate(0); return pprof.Lookup(name).WriteTo(w, 0) }
	}
	mutexes := func(rate int) { runtime.SetMutexProfileFraction(rate) }
	for _, profile := range []struct {
		path       string
		begin, end func(io.Writer) error
	}{
		{f.CPUProfile, pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
		{f.Trace, trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
		{f.BlockProfile, events(runtime.SetBlockProfileRate), atEnd("block", runtime.SetBlockProfileRate)},
		{f.MutexProfile, events(mutexes), atEnd("mutex", mutexes)},
		{f.MemProfile, events(func(int) {}), atEnd("allocs", func(int) { runtime.GC() })}, // which updates it
	} {
		if profile.path == "" {
			continue
		}
		file, err := os.Create(profile.path)
		if err == nil {
			if err = profile.begin(file); err != nil {
				err = errors.Join(err, file.Close())
			}
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("profiling: %w", err), p.stop())
		}
		p = append(p, func() error { return errors.Join(profile.end(file), file.Close()) })
	}
	if f.Pprof != "" {
		server, err := f.serve(stderr)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("profiling: %w", err), p.stop())
		}
		p = append(p, server.Close)
	}
	return p, nil
}

// serve serves profiles.
func (f *profiles) serve(stderr io.Writer) (*http.Server, error) {
	listener, host, err := listen("--pprof", f.Pprof)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "nbsvm: profiles at http://%s/debug/pprof/\n", listener.Addr())
	server := &http.Server{Handler: serve.OnlyFor(host, profilePages())}
	go server.Serve(listener) // ends with ErrServerClosed
	return server, nil
}

// profilePages are those of net/http/pprof.
func profilePages() http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("/debug/pprof/", webpprof.Index)
	pages.HandleFunc("/debug/pprof/cmdline", webpprof.Cmdline)
	pages.HandleFunc("/debug/pprof/profile", webpprof.Profile)
	pages.HandleFunc("/debug/pprof/symbol", webpprof.Symbol)
	pages.HandleFunc("/debug/pprof/trace", webpprof.Trace)
	return pages
}
