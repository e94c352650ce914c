package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	httppprof "net/http/pprof"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
)

// profiles are the profiling flags of every command.
type profiles struct {
	CPUProfile   string `name:"cpuprofile" group:"profile" placeholder:"FILE" help:"Write a CPU profile."`
	MemProfile   string `name:"memprofile" group:"profile" placeholder:"FILE" help:"Write an allocation profile at the end."`
	BlockProfile string `name:"blockprofile" group:"profile" placeholder:"FILE" help:"Write a profile of where goroutines waited."`
	MutexProfile string `name:"mutexprofile" group:"profile" placeholder:"FILE" help:"Write a profile of who held locks that others waited for."`
	Trace        string `group:"profile" placeholder:"FILE" help:"Write an execution trace."`
	Pprof        string `group:"profile" placeholder:"ADDR" help:"Serve net/http/pprof while the command runs, on 127.0.0.1 unless ADDR names a host."`
}

// profiling is what runs until the command ends.
type profiling struct{ stops []func() error }

func (p *profiling) stop() error {
	var errs []error
	for _, stop := range p.stops {
		errs = append(errs, stop())
	}
	p.stops = nil
	return errors.Join(errs...)
}

// start begins what the flags ask for.
func (f *profiles) start(stderr io.Writer) (*profiling, error) {
	p := &profiling{}
	for _, begin := range []func() error{
		func() error { return p.during(f.CPUProfile, pprof.StartCPUProfile, pprof.StopCPUProfile) },
		func() error { return p.during(f.Trace, trace.Start, trace.Stop) },
		func() error { return p.atEnd(f.BlockProfile, "block", runtime.SetBlockProfileRate) },
		func() error {
			return p.atEnd(f.MutexProfile, "mutex", func(rate int) { runtime.SetMutexProfileFraction(rate) })
		},
		func() error { return p.atEnd(f.MemProfile, "allocs", func(int) { runtime.GC() }) }, // which updates it
		func() error { return f.serve(p, stderr) },
	} {
		if err := begin(); err != nil {
			return nil, errors.Join(fmt.Errorf("profiling: %w", err), p.stop())
		}
	}
	return p, nil
}

// during writes to a file from now on until the command ends; without a path it does
// nothing.
func (p *profiling) during(path string, start func(io.Writer) error, stop func()) error {
	if path == "" {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := start(file); err != nil {
		return errors.Join(err, file.Close())
	}
	p.stops = append(p.stops, func() error { stop(); return file.Close() })
	return nil
}

// atEnd writes the named one of runtime's profiles when the command ends. Its rate is
// that of every event until then. Without a path it does nothing.
func (p *profiling) atEnd(path, name string, setRate func(int)) error {
	if path == "" {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	setRate(1)
	p.stops = append(p.stops, func() error {
		setRate(0)
		return errors.Join(pprof.Lookup(name).WriteTo(file, 0), file.Close())
	})
	return nil
}

func (f *profiles) serve(p *profiling, stderr io.Writer) error {
	if f.Pprof == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(f.Pprof)
	if err != nil {
		return usageError{fmt.Errorf("--pprof is %q, want HOST:PORT or :PORT", f.Pprof)}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", httppprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", httppprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", httppprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", httppprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", httppprof.Trace)
	server := &http.Server{Handler: mux}
	fmt.Fprintf(stderr, "nbsvm: profiles at http://%s/debug/pprof/\n", listener.Addr())
	go server.Serve(listener) //nolint:errcheck // ends with ErrServerClosed
	p.stops = append(p.stops, server.Close)
	return nil
}
