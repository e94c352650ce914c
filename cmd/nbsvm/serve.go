package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/serve"
)

type serveCmd struct {
	modelFlags
	Listen      string        `group:"serve" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to listen on: HOST:PORT, or :PORT for 127.0.0.1; port 0 is any free port (default: 127.0.0.1:8080)."`
	MaxBody     byteSize      `min:"1" group:"serve" default:"16MiB" placeholder:"SIZE" help:"Maximum size of a request (default: 16MiB)."`
	MaxTexts    int           `min:"1" group:"serve" default:"10000" placeholder:"N" help:"Maximum number of texts in a request (default: 10000)."`
	MaxInFlight byteSize      `name:"max-in-flight" min:"1" group:"serve" default:"256MiB" placeholder:"SIZE" help:"Maximum memory for requests and answers, beside the model and 64 MiB (default: 256MiB)."`
	Timeout     time.Duration `min:"1" values:"above 0" group:"serve" default:"30s" placeholder:"TIME" help:"Maximum time for a request (default: 30s)."`
	StopDelay   time.Duration `min:"0" values:"0 or more" group:"serve" default:"0s" placeholder:"TIME" help:"After a signal to stop, answer for so long while /readyz says no (default: 0s)."`
	Watch       time.Duration `min:"0" values:"0 or more" group:"serve" default:"0s" placeholder:"TIME" help:"Reload the model when its file is replaced, and check this often; 0s: only on SIGHUP (default: 0s)."`
	Log         string        `group:"serve" enum:"none,text,json" default:"none" placeholder:"HOW" help:"Log requests to standard error: none; text: key=value; json: an object per line (default: none)."`
}

func (s *serveCmd) Help() string {
	return `Answers HTTP requests with predictions, as JSON, and browsers with a page:

    GET /             a page to try texts on, in a browser
    POST /predict     {"text": "…"}, or {"texts": ["…", …]}; "top": 3 for the three best classes
    POST /explain     {"text": "…"}: what each n-gram adds to the margin, as explain --json prints it
    GET /model        the model's name and hash, labels, and whether scores are probabilities
    GET /healthz      {"status":"ok"} while the server lives; /readyz: also, until it is to stop
    GET /metrics      requests, times and memory, for Prometheus
    GET /openapi.json all of this in OpenAPI 3

    nbsvm serve reviews.nbm &
    curl -d '{"text": "a lovely film"}' http://127.0.0.1:8080/predict
    nbsvm serve --model lang=lid.176.ftz --model quality=q.nbm

The prediction of a text is what score --json prints: {"labels":["good"],"probabilities":{"good":0.97}}, or "margins".
Several texts give {"predictions":[…]} in the order of the texts, and use all --threads. An "id" comes back in the answer.
Errors are {"error":"…"}.

Several models: all of this is found below the name of each, as in /quality/predict. /predict then answers by all
models: {"lang":{"labels":…},"quality":{"labels":…}}.

The server listens only on this machine, unless --listen names another address; it has no access control. Ctrl-C and
kill (SIGTERM) let running requests finish. SIGHUP reloads the model; --watch reloads it when its file is replaced. No
request is lost.`
}

// shutdownTime is how long requests that have begun may take after a signal.
const shutdownTime = 10 * time.Second

func (s *serveCmd) Run(c *call) error {
	reload, stop := hangups()
	defer stop()
	names, paths, err := s.files()
	if err != nil {
		return err
	}
	o := serve.Options{
		MaxBody: int64(s.MaxBody), MaxTexts: s.MaxTexts, InFlight: int64(s.MaxInFlight), Timeout: s.Timeout,
		Threads: c.Threads,
		Log:     logTo(c.err, s.Log),
	}
	t := &serving{c: c, log: o.Log, inFlight: o.InFlight}
	var models []serve.Model
	for i, path := range paths {
		opened, _ := os.Stat(path) // before it is opened: whatever comes later is seen
		classifier, source, err := serve.Open(path)
		if err != nil {
			return err // and the process ends
		}
		t.files = append(t.files, servedFile{names[i], path, opened})
		models = append(models, serve.Model{Name: names[i], Classifier: classifier, Source: source})
	}
	t.Service = serve.New(models, o)
	defer t.Close()
	defer t.keepHeap()()
	listener, host, err := listen("--listen", s.Listen)
	if err != nil {
		return err
	}
	server := serve.Server(t.onlyFor(host, listener.Addr()), o)
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // --listen may leave the choice to the system
	t.tell(nil, fmt.Sprintf("%s at http://%s/; Ctrl-C stops", display.Text(strings.Join(paths, ", ")),
		net.JoinHostPort(host, port)))
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	go t.reload(reload, s.Watch)
	select {
	case err := <-served:
		return err
	case <-c.ctx.Done():
	}
	t.Stop()
	time.Sleep(s.StopDelay) // a second signal ends the process
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("nbsvm: running requests were cut off: %w", err), server.Close())
	}
	return nil
}

// serving is a server whose model can be reloaded.
type serving struct {
	*serve.Service
	c        *call
	log      *slog.Logger // nil for lines that people read
	files    []servedFile
	inFlight int64 // bytes of requests and answers
}

// servedFile is the file of a model.
type servedFile struct {
	name, path string
	opened     os.FileInfo // what had the path when it was opened
}

// serveBeside is how much memory the server takes beside the model and what --max-in-flight bounds.
const serveBeside = 64 << 20

// keepHeap has the collector keep the heap at what requests may take, beside what it holds now, which is the model's,
// unless GOMEMLIMIT says otherwise.
func (t *serving) keepHeap() (restore func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return keepHeap(int64(now.HeapAlloc) + t.inFlight + serveBeside)
}

// reload opens models anew when a signal asks for it and, every so often, if other files have their names; never if
// that is 0. It does so beside the server: a disk that does not answer keeps neither the server from stopping nor
// requests from their answers.
func (t *serving) reload(asked <-chan os.Signal, every time.Duration) {
	var look <-chan time.Time
	if every > 0 {
		look = time.Tick(every)
	}
	for {
		always := false
		select {
		case <-t.c.ctx.Done():
			return
		case <-asked:
			always = true
		case <-look:
		}
		for i := range t.files {
			of := &t.files[i]
			now, err := os.Stat(of.path)
			if !always && (err != nil || of.opened != nil && serve.Same(now, of.opened)) {
				continue
			}
			of.opened = now
			if err := t.Reload(of.name, of.path); err != nil {
				t.tell(err, "not reloaded")
				continue
			}
			t.keepHeap()
			t.tell(nil, display.Text(of.path)+" reloaded")
		}
	}
}

// tell reports what the server does, in its log or in a line.
func (t *serving) tell(err error, what string) {
	switch {
	case t.log != nil && err != nil:
		t.log.Error(what, "error", err.Error())
	case t.log != nil:
		t.log.Info(what)
	case err != nil:
		fmt.Fprintf(t.c.err, "nbsvm: %s: %v\n", what, err)
	case !t.c.Quiet:
		fmt.Fprintf(t.c.err, "nbsvm: %s\n", what)
	}
}

// onlyFor refuses requests that name other hosts, where the address can't be reached from elsewhere.
func (t *serving) onlyFor(host string, at net.Addr) http.Handler {
	if address, err := netip.ParseAddrPort(at.String()); err == nil && address.Addr().IsLoopback() {
		return serve.OnlyFor(host, t)
	}
	return t
}

// logTo returns the log of a server in a format; nil for none.
func logTo(w io.Writer, format string) *slog.Logger {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil))
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return nil
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
