//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// server is a process that serves m.nbm of its folder.
type server struct {
	*workshop
	cmd    *exec.Cmd
	url    string
	line   string        // which has it
	lines  *bufio.Reader // behind it
	client http.Client
}

// serve starts one in a folder.
func (s *workshop) serve(args ...string) *server {
	s.t.Helper()
	of := &server{workshop: s, cmd: s.command(append([]string{"serve", "--listen", ":0", "m.nbm"}, args...)...)}
	stderr, err := of.cmd.StderrPipe()
	must.OK(s.t, err)
	must.OK(s.t, of.cmd.Start())
	of.lines = bufio.NewReader(stderr)
	of.line, err = of.lines.ReadString('\n')
	must.OK(s.t, err)
	_, of.url, _ = strings.Cut(of.line, " at ")
	of.url, _, _ = strings.Cut(of.url, ";")
	of.client = http.Client{Timeout: 20 * time.Second}
	return of
}

// ask returns the status and the body of an answer, to a request with a body or without one; host is the name that is
// asked, if not the server's.
func (s *server) ask(path string, body io.Reader, host string) (status int, text string, err error) {
	request, err := http.NewRequestWithContext(s.t.Context(), map[bool]string{true: "GET", false: "POST"}[body == nil], s.url+path, body)
	if err != nil {
		return 0, "", err
	}
	request.Host = host
	answer, err := s.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(all), err
}

// want wants an answer with this status that begins with a text.
func (s *server) want(status int, begin, path string, body io.Reader, host string) string {
	s.t.Helper()
	got, text, err := s.ask(path, body, host)
	if err != nil || got != status || !strings.HasPrefix(text, begin) {
		s.t.Errorf("%s: status %d, %s, %v; want %d and %s", path, got, text, err, status, begin)
	}
	return text
}

// says wants the next line to have a text.
func (s *server) says(want string) {
	s.t.Helper()
	if line, err := s.lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
		s.t.Fatalf("%q, %v, want %s", line, err, want)
	}
}

// replace gives another file a name, as those do who deploy one.
func (s *workshop) replace(name string, data []byte) {
	s.t.Helper()
	s.write("new", data)
	must.OK(s.t, os.Rename(s.in("new"), s.in(name)))
}

// dies wants it to have died of a signal. It returns what it has said.
func (s *server) dies(t *testing.T, of os.Signal) string {
	t.Helper()
	hung := time.AfterFunc(20*time.Second, func() { s.cmd.Process.Kill() })
	defer hung.Stop()
	rest, _ := io.ReadAll(s.lines)
	s.cmd.Wait()
	wantDeath(t, s.cmd, of)
	return string(rest)
}

// TestServe: requests are answered until a signal comes. One that has begun is answered after it, and no other.
func TestServe(t *testing.T) {
	s := withModel(t).serve()
	if !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Fatalf("no address in %q", s.line)
	}
	s.want(http.StatusOK, `{"labels":["cooking"],"margins":{"cooking":`, "predict", strings.NewReader(`{"text": "flour and butter"}`), "")
	s.want(http.StatusForbidden, `{"error":`, "model", nil, "rebound.example")
	reader, writer := io.Pipe()
	late := make(chan string, 1)
	go func() {
		_, text, err := s.ask("predict", reader, "")
		late <- fmt.Sprint(text, err)
	}()
	io.WriteString(writer, `{"text": "anchor`)
	time.Sleep(200 * time.Millisecond) // it arrives
	must.OK(t, s.cmd.Process.Signal(syscall.SIGTERM))
	time.Sleep(200 * time.Millisecond)
	s.client.CloseIdleConnections()
	if _, text, err := s.ask("predict", strings.NewReader(`{"text": "sail"}`), ""); err == nil {
		t.Errorf("a request after the signal is answered: %s", text)
	}
	io.WriteString(writer, ` and mast"}`)
	writer.Close()
	if text := <-late; !strings.HasPrefix(text, `{"labels":["sailing"]`) {
		t.Errorf("the request that had begun: %s", text)
	}
	s.dies(t, syscall.SIGTERM)
}

// TestServeStops: after a signal, /readyz says no and requests are answered, until the time is over. What happens is
// logged as objects.
func TestServeStops(t *testing.T) {
	s := withModel(t).serve("--log", "json", "--stop-delay", "1s")
	s.want(http.StatusOK, "", "readyz", nil, "")
	must.OK(t, s.cmd.Process.Signal(syscall.SIGTERM))
	for ended, status := time.Now().Add(900*time.Millisecond), 0; status != http.StatusServiceUnavailable; status, _, _ = s.ask("readyz", nil, "") {
		if time.Now().After(ended) {
			t.Fatal("readyz does not say no")
		}
	}
	s.want(http.StatusOK, "", "model", nil, "")
	rest := s.dies(t, syscall.SIGTERM)
	for line := range strings.Lines(s.line + rest) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no object: %s", line)
		}
	}
	if !strings.Contains(rest, `"path":"/model","status":200`) {
		t.Errorf("the request is not logged: %s", rest)
	}
}

// TestServeReloads: SIGHUP, or that another has the name of the model's file, has the model opened anew. What is none leaves the server as it was; and what has the name of one but is a pipe keeps it
// neither from answering nor from stopping.
func TestServeReloads(t *testing.T) {
	for _, watch := range []string{"0s", "20ms"} {
		t.Run(watch, func(t *testing.T) {
			in := withModel(t)
			in.run(0, "quantize", "-q", "-o", "small.nbm", "m.nbm")
			s := in.serve("--watch", watch)
			served := func() string { return s.want(http.StatusOK, "{", "model", nil, "") }
			hangUp := func(want string) {
				t.Helper()
				if watch == "0s" {
					must.OK(t, s.cmd.Process.Signal(syscall.SIGHUP))
				}
				s.says(want)
				s.want(http.StatusOK, "", "predict", strings.NewReader(`{"text": "flour"}`), "")
			}
			before, other := served(), in.read("small.nbm")
			if bytes.Equal(in.read("m.nbm"), other) {
				t.Fatal("the other model is the same")
			}
			in.replace("m.nbm", []byte("damaged"))
			hangUp("nbsvm: not reloaded: ")
			if now := served(); now != before {
				t.Error("half was reloaded")
			}
			in.replace("m.nbm", other)
			hangUp("m.nbm reloaded")
			if now := served(); now == before {
				t.Error("the model was not reloaded")
			}
			if watch != "0s" { // which looks at the model alone
				s.cmd.Process.Signal(os.Interrupt)
				s.dies(t, os.Interrupt)
				return
			}
			os.Remove(in.in("m.nbm"))
			must.OK(t, makePipe(in.in("m.nbm")))
			hangUp("m.nbm is a named pipe")
			served()
			s.client.CloseIdleConnections()
			must.OK(t, s.cmd.Process.Signal(syscall.SIGTERM))
			s.dies(t, syscall.SIGTERM)
		})
	}
}
