package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
	"github.com/seed-167f963f/nbsvm/internal/job/serve"
)

type serveCmd struct {
	Model    string        `file:"in" arg:"" help:"Model file."`
	Listen   string        `group:"serve" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to listen on: HOST:PORT, or :PORT for 127.0.0.1; port 0 is any free port (default: 127.0.0.1:8080)."`
	MaxBody  choices.Size  `min:"1" group:"serve" default:"16MiB" placeholder:"SIZE" help:"Maximum size of a request (default: 16MiB)."`
	MaxTexts int           `min:"1" group:"serve" default:"10000" placeholder:"N" help:"Maximum number of texts in a request (default: 10000)."`
	Timeout  time.Duration `min:"1" values:"above 0" group:"serve" default:"30s" placeholder:"TIME" help:"Maximum time for a request (default: 30s)."`
}

func (s *serveCmd) Help() string {
	return `Answers HTTP requests with predictions, as JSON, and browsers with a page:

    GET /           a page to try texts on, in a browser
    POST /predict   {"text": "…"}, or {"texts": ["…", …]}; "top": 3 for the three best classes
    POST /explain   {"text": "…"}: what each n-gram adds to the margin, as explain --json prints it
    GET /model      labels, and whether scores are probabilities
    GET /healthz    {"status":"ok"}

    nbsvm serve reviews.nbm &
    curl -d '{"text": "a lovely film"}' http://127.0.0.1:8080/predict

The prediction of a text is what score --json prints: {"labels":["good"],"probabilities":{"good":0.97}}, or "margins".
Several texts give {"predictions":[…]} in the order of the texts, and use all --threads. Errors are {"error":"…"}.

The server listens only on this machine, unless --listen names another address; it has no access control. Ctrl-C and
kill (SIGTERM) let running requests finish. SIGHUP opens the model's file anew; no request is lost.`
}

// shutdownTime is how long requests that have begun may take after a signal.
const shutdownTime = 10 * time.Second

func (s *serveCmd) Run(c *call) error {
	reload, stop := process.Hangups()
	defer stop()
	classifier, err := nbsvm.Open(s.Model)
	if err != nil {
		return err
	}
	o := serve.Options{MaxBody: int64(s.MaxBody), MaxTexts: s.MaxTexts, Timeout: s.Timeout, Threads: c.Threads}
	service := serve.New(classifier, o)
	defer service.Close()
	listener, host, err := listen("--listen", s.Listen)
	if err != nil {
		return err
	}
	handler := http.Handler(service)
	if address, err := netip.ParseAddrPort(listener.Addr().String()); err == nil && address.Addr().IsLoopback() {
		handler = serve.OnlyFor(host, handler)
	}
	server := serve.Server(handler, o)
	if !c.Quiet {
		_, port, _ := net.SplitHostPort(listener.Addr().String()) // --listen may leave the choice to the system
		fmt.Fprintf(c.err, "nbsvm: %s at http://%s/; Ctrl-C stops\n", printable.Text(s.Model), net.JoinHostPort(host, port))
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	for {
		select {
		case err := <-served:
			return err
		case <-reload:
			s.reload(c, service)
			continue
		case <-c.ctx.Done():
		}
		break
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("nbsvm: running requests were cut off: %w", err), server.Close())
	}
	return nil
}

// reload has requests answered by the model that the file holds now. If it can't be opened, the one before stays.
func (s *serveCmd) reload(c *call, service *serve.Service) {
	classifier, err := nbsvm.Open(s.Model)
	if err != nil {
		fmt.Fprintf(c.err, "nbsvm: not reloaded: %v\n", err)
		return
	}
	service.Replace(classifier)
	if !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: %s reloaded\n", printable.Text(s.Model))
	}
}

// listen listens on the address of a flag, on 127.0.0.1 if it names no host.
func listen(flag, address string) (listener net.Listener, host string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, "", usageError{fmt.Errorf("%s must be HOST:PORT or :PORT, got %q", flag, address)}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err = net.Listen("tcp", net.JoinHostPort(host, port))
	return listener, host, err
}
