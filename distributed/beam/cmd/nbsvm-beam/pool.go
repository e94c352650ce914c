package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

type poolCmd struct {
	Listen string `default:"localhost:50000" placeholder:"HOST:PORT" help:"Where runners ask for workers (default: localhost:50000)."`
}

// Help is printed below the flags' own.
func (p *poolCmd) Help() string {
	return `Runners that are given --environment_type EXTERNAL --environment_config HOST:PORT ask there for workers.
Each is a process of this program, which needs neither Docker nor a download. Whoever can connect can run
jobs: listen where only the runner can.`
}

// Run starts workers until it is stopped.
func (p *poolCmd) Run(ctx context.Context, stderr io.Writer) error {
	l, err := net.Listen("tcp", p.Listen)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	workers := &pool{program: self, stderr: stderr, workers: map[string]*exec.Cmd{}}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, workers)
	fmt.Fprintf(stderr, "nbsvm-beam: starts workers for runners that connect to %s\n", l.Addr())
	defer workers.stop()
	context.AfterFunc(ctx, server.Stop)
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// pool starts a process for every worker that a runner asks for.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	program string
	stderr  io.Writer

	mutex   sync.Mutex
	workers map[string]*exec.Cmd // that run, by id
}

// StartWorker starts a worker.
func (p *pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	id := r.GetWorkerId()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.workers[id] != nil {
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("worker %s exists already", id)}, nil
	}
	w := exec.Command(p.program, "--worker", "--id="+id,
		"--logging_endpoint="+r.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+r.GetControlEndpoint().GetUrl())
	w.Stdout, w.Stderr = p.stderr, p.stderr
	if err := w.Start(); err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	p.workers[id] = w
	fmt.Fprintf(p.stderr, "nbsvm-beam: worker %s is process %d\n", id, w.Process.Pid)
	go func() {
		err := w.Wait()
		p.mutex.Lock()
		defer p.mutex.Unlock()
		delete(p.workers, id)
		fmt.Fprintf(p.stderr, "nbsvm-beam: worker %s has ended: %v\n", id, err)
	}()
	return &fnpb.StartWorkerResponse{}, nil
}

// stop stops all workers.
func (p *pool) stop() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, w := range p.workers {
		w.Process.Kill()
	}
}

// StopWorker stops a worker.
func (p *pool) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if w := p.workers[r.GetWorkerId()]; w != nil {
		w.Process.Kill()
	}
	return &fnpb.StopWorkerResponse{}, nil
}
