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
	for _, begin := range []func(*profiling) error{f.cpu, f.trace, f.block, f.mutex, f.memory, func(p *profiling) error { return f.serve(p, stderr) }} {
		if err := begin(p); err != nil {
			return nil, errors.Join(fmt.Errorf("profiling: %w", err), p.stop())
		}
	}
	return p, nil
}

func (f *profiles) cpu(p *profiling) error {
	if f.CPUProfile == "" {
		return nil
	}
	file, err := os.Create(f.CPUProfile)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(err, file.Close())
	}
	p.stops = append(p.stops, func() error { pprof.StopCPUProfile(); return file.Close() })
	return nil
}

func (f *profiles) trace(p *profiling) error {
	if f.Trace == "" {
		return nil
	}
	file, err := os.Create(f.Trace)
	if err != nil {
		return err
	}
	if err := trace.Start(file); err != nil {
		return errors.Join(err, file.Close())
	}
	p.stops = append(p.stops, func() error { trace.Stop(); return file.Close() })
	return nil
}

func (f *profiles) memory(p *profiling) error {
	return p.atEnd(f.MemProfile, "allocs", runtime.GC)
}

func (f *profiles) block(p *profiling) error {
	if f.BlockProfile == "" {
		return nil
	}
	runtime.SetBlockProfileRate(1) // every event
	return p.atEnd(f.BlockProfile, "block", func() { runtime.SetBlockProfileRate(0) })
}

func (f *profiles) mutex(p *profiling) error {
	if f.MutexProfile == "" {
		return nil
	}
	runtime.SetMutexProfileFraction(1)
	return p.atEnd(f.MutexProfile, "mutex", func() { runtime.SetMutexProfileFraction(0) })
}

// atEnd writes the named one of runtime's profiles when the command ends, after last
// was called; without a path it does nothing.
func (p *profiling) atEnd(path, name string, last func()) error {
	if path == "" {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		last()
		return err
	}
	p.stops = append(p.stops, func() error {
		last()
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
