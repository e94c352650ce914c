//go:build !windows

package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestLoopStopped: Ctrl-C ends a shell's loop along with the command in it. The shell gets the signal too, and goes
// on unless the command dies of it.
func TestLoopStopped(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	s := withModel(t)
	cmd := exec.CommandContext(t.Context(), bash, "-c", `for i in 1 2 3; do ./nbsvm score m.nbm; echo "went on after $?"; done`)
	cmd.Dir, cmd.SysProcAttr = s.folder, &syscall.SysProcAttr{Setpgid: true}
	if err := os.Symlink(s.path, s.in("nbsvm")); err != nil { // testscript.Main goes by the name
		t.Fatal(err)
	}
	in, out := started(t, cmd)
	converse(t, nopCloser{in}, out, nil)
	must.OK(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	time.Sleep(100 * time.Millisecond)
	in.Close() // which ends those that the loop might start
	rest, _ := io.ReadAll(out)
	cmd.Wait()
	wantDeath(t, cmd, os.Interrupt)
	if len(rest) > 0 {
		t.Errorf("the loop said %q", rest)
	}
}

// nopCloser is a writer that stays open.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestIgnoredSignals: signals that a command was started to ignore, as shells start jobs in the background, don't
// stop it.
func TestIgnoredSignals(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	first, stderr := command(t, "score", "m.nbm")
	first.Args = []string{"sh", "-c", `trap "" INT HUP; exec ./nbsvm score m.nbm`}
	must.OK(t, os.Symlink(first.Path, filepath.Join(first.Dir, "nbsvm")))
	first.Path = shell
	in, out := started(t, first)
	converse(t, nopCloser{in}, out, stderr)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		must.OK(t, first.Process.Signal(s))
	}
	converse(t, in, out, stderr)
	if err := first.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
}

// TestSecondSignal: a command that can't clean up, as nobody reads what it has to write, is ended by a second signal.
func TestSecondSignal(t *testing.T) {
	cmd, _ := command(t, "score", "m.nbm")
	in, _ := started(t, cmd)
	go func() {
		for { // until it is gone
			if _, err := io.WriteString(in, "oven broth ladle\n"); err != nil {
				return
			}
		}
	}()
	time.Sleep(500 * time.Millisecond)
	ended := make(chan struct{})
	go func() {
		cmd.Process.Wait()
		close(ended)
	}()
	for range 2 {
		cmd.Process.Signal(syscall.SIGTERM)
		time.Sleep(200 * time.Millisecond)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it lives on after two signals")
		cmd.Process.Kill()
	}
}

// TestLineBuffered asks for the answer to each line before the next is sent, by way
// of a named pipe, behind which there is a buffer.
func TestLineBuffered(t *testing.T) {
	cmd, stderr := command(t, "score", "--line-buffered", "-o", "pipe", "m.nbm")
	path := filepath.Join(cmd.Dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	in, _ := started(t, cmd)
	pipe, err := os.Open(path)
	must.OK(t, err)
	defer pipe.Close()
	out := bufio.NewReader(pipe)
	converse(t, in, out, stderr)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
}

// TestServe: requests are answered until a signal comes. One that has begun is answered after it, and no other.
func TestServe(t *testing.T) {
	cmd, _ := command(t, "serve", "--listen", ":0", "m.nbm")
	url, line, _ := startServer(t, cmd)
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("no address in %q", line)
	}
	url += "predict"
	client := http.Client{Timeout: 20 * time.Second}
	post := func(body io.Reader) (string, error) {
		answer, err := client.Post(url, "application/json", body)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return string(text), err
	}
	if text, err := post(strings.NewReader(`{"text": "flour and butter"}`)); err != nil || !strings.HasPrefix(text, `{"labels":["cooking"],"margins":{"cooking":`) {
		t.Fatalf("%s, %v", text, err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(url, "predict")+"model", nil)
	must.OK(t, err)
	request.Host = "rebound.example"
	answer, err := client.Do(request)
	must.OK(t, err)
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden || err != nil || !strings.HasPrefix(string(body), `{"error":`) {
		t.Errorf("a name that leads here gets %s, %s, %v", answer.Status, body, err)
	}

	reader, writer := io.Pipe()
	late := make(chan string, 1)
	go func() {
		text, err := post(reader)
		if err != nil {
			text = err.Error()
		}
		late <- text
	}()
	if _, err := io.WriteString(writer, `{"text": "anchor`); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // it arrives
	must.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	time.Sleep(200 * time.Millisecond)
	client.CloseIdleConnections()
	if text, err := post(strings.NewReader(`{"text": "sail"}`)); err == nil {
		t.Errorf("a request after the signal is answered: %s", text)
	}
	if _, err := io.WriteString(writer, ` and mast"}`); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	if text := <-late; !strings.HasPrefix(text, `{"labels":["sailing"]`) {
		t.Errorf("the request that had begun: %s", text)
	}
	cmd.Wait()
	wantDeath(t, cmd, syscall.SIGTERM)
}

// TestServeReload: SIGHUP has the model's file opened anew, or that another has its name. One that is no model leaves
// the server as it was.
func TestServeReload(t *testing.T) {
	t.Run("signal", func(t *testing.T) { reloadServer(t, "0s") })
	t.Run("watch", func(t *testing.T) { reloadServer(t, "20ms") })
}

func reloadServer(t *testing.T, watch string) {
	cmd, _ := command(t, "serve", "--listen", ":0", "--watch", watch, "m.nbm")
	url, _, lines := startServer(t, cmd)
	path := filepath.Join(cmd.Dir, "m.nbm")
	good, err := os.ReadFile(path)
	must.OK(t, err)
	for content, want := range map[string]string{"damaged": "nbsvm: not reloaded: ", string(good): "m.nbm reloaded"} {
		must.OK(t, os.WriteFile(path+".new", []byte(content), 0o600))
		must.OK(t, os.Rename(path+".new", path))
		if watch == "0s" {
			must.OK(t, cmd.Process.Signal(syscall.SIGHUP))
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Fatalf("%q, %v, want %s", line, err, want)
		}
		answer, err := http.Post(url+"predict", "application/json", strings.NewReader(`{"text": "flour"}`))
		must.OK(t, err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("after %s: %s", want, answer.Status)
		}
	}
	must.OK(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	wantDeath(t, cmd, os.Interrupt)
}

// startServer starts a server, and returns its address, the line that has it, and what standard error has behind that.
func startServer(t *testing.T, cmd *exec.Cmd) (url, line string, lines *bufio.Reader) {
	t.Helper()
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	must.OK(t, err)
	started(t, cmd)
	lines = bufio.NewReader(stderr)
	if line, err = lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_, url, _ = strings.Cut(line, " at ")
	url, _, _ = strings.Cut(url, ";")
	return url, line, lines
}

// TestServeStops: after a signal, /readyz says no and requests are answered, until the time is over. What happens is
// logged as objects.
func TestServeStops(t *testing.T) {
	cmd, _ := command(t, "serve", "--listen", ":0", "--log", "json", "--stop-delay", "1s", "m.nbm")
	url, line, lines := startServer(t, cmd)
	get := func(path string) int {
		answer, err := http.Get(url + path)
		if err != nil {
			t.Error(err)
			return 0
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := get("readyz"); got != http.StatusOK {
		t.Errorf("readyz before: %d", got)
	}
	must.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	for ended := time.Now().Add(900 * time.Millisecond); get("readyz") != http.StatusServiceUnavailable; {
		if time.Now().After(ended) {
			t.Fatal("readyz does not say no")
		}
	}
	if got := get("model"); got != http.StatusOK {
		t.Errorf("a request after the signal: %d", got)
	}
	rest, _ := io.ReadAll(lines)
	cmd.Wait()
	wantDeath(t, cmd, syscall.SIGTERM)
	for line := range strings.Lines(line + string(rest)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no object: %s", line)
		}
	}
	if !strings.Contains(string(rest), `"path":"/model","status":200`) {
		t.Errorf("the request is not logged: %s", rest)
	}
}

func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

// TestWaitsForNothing: what must be a regular file is refused by name if it is a pipe that nobody writes to, or a device
// that never ends.
func TestWaitsForNothing(t *testing.T) {
	t.Parallel()
	s := withModel(t)
	s.documents("t.tsv", 40)
	s.write("part", nil)
	if err := makePipe(s.in("pipe")); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	for name, to := range map[string]string{"part.shard.json": "pipe", "zero": "/dev/zero", "pipe.nbc": "pipe"} {
		must.OK(t, os.Symlink(to, s.in(name)))
	}
	for _, line := range []string{
		"score FILE t.tsv", "eval FILE t.tsv", "explain FILE", "inspect FILE", "verify FILE", "serve FILE",
		"report -o page.html FILE", "export FILE", "quantize -o o.nbm FILE", "import -o o.nbm FILE",
		"train --from FILE -o o.nbm t.tsv", "bench score --quick --model-file FILE",
		"score --out-dir dir FILE t.tsv", "score --shard 1/2 -o o FILE t.tsv",
		"tag score FILE t.tsv", "tag eval FILE t.tsv", "tag report -o page.html FILE",
		"tune -o o.nbm --trials 1 FILE",
		"serve --tls-cert FILE --tls-key t.tsv m.nbm", "serve --tls-cert t.tsv --tls-key FILE m.nbm",
		"merge -o o FILE FILE", "merge -o o part", "score --out-dir dir m.nbm FILE", "pack --append -o FILE t.tsv",
	} {
		for _, file := range []string{"pipe", "zero"} {
			args := strings.Fields(strings.ReplaceAll(line, "FILE", file))
			cmd, said := s.command(args...), new(bytes.Buffer)
			cmd.Stderr = said
			must.OK(t, cmd.Start())
			hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			hung.Stop()
			code, named := cmd.ProcessState.ExitCode(), strings.Contains(said.String(), file) || line == "merge -o o part"
			if code != exitFailed && code != exitUsage || !named {
				t.Errorf("%s: exit code %d, it says %q", args, code, said)
			}
		}
	}
	if got := files(t, s.folder); got != "m.nbm part part.shard.json pipe pipe.nbc t.tsv zero" {
		t.Errorf("files left: %s", got)
	}
}

// TestServeReloadsAll: SIGHUP takes the model and the certificate, or neither; what has the name of one but is a pipe
// keeps the server neither from answering nor from stopping.
func TestServeReloadsAll(t *testing.T) {
	cmd, _ := command(t, "serve", "--listen", ":0", "--tls-cert", "cert.pem", "--tls-key", "key.pem", "m.nbm")
	at := func(name string) string { return filepath.Join(cmd.Dir, name) }
	cert, key := selfSigned(t)
	replace := func(name string, data []byte) {
		t.Helper()
		must.OK(t, errors.Join(os.WriteFile(at("new"), data, 0o600), os.Rename(at("new"), at(name))))
	}
	replace("cert.pem", cert)
	replace("key.pem", key)
	url, _, lines := startServer(t, cmd)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 20 * time.Second}
	served := func() string {
		t.Helper()
		answer, err := client.Get(url + "model")
		must.OK(t, err)
		defer answer.Body.Close()
		var of struct {
			SHA256 string `json:"sha256"`
		}
		must.OK(t, json.NewDecoder(answer.Body).Decode(&of))
		return of.SHA256
	}
	hangUp := func(want string) {
		t.Helper()
		must.OK(t, cmd.Process.Signal(syscall.SIGHUP))
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Errorf("%q, %v, want %s", line, err, want)
		}
	}
	before := served()
	model, err := os.ReadFile(at("m.nbm"))
	must.OK(t, err)
	(&workshop{t, cmd.Path, cmd.Dir}).run(0, "quantize", "-q", "-o", "small.nbm", "m.nbm")
	other, err := os.ReadFile(at("small.nbm"))
	if err != nil || bytes.Equal(other, model) {
		t.Fatalf("the other model is the same: %v", err)
	}
	replace("m.nbm", other)
	replace("cert.pem", []byte("damaged"))
	hangUp("not reloaded: certificate cert.pem")
	if now := served(); now != before {
		t.Error("half was reloaded")
	}
	os.Remove(at("cert.pem"))
	if err := syscall.Mkfifo(at("cert.pem"), 0o600); err != nil {
		t.Skip(err)
	}
	hangUp("not reloaded: certificate cert.pem is a named pipe")
	replace("cert.pem", cert)
	hangUp("m.nbm reloaded")
	if now := served(); now == before {
		t.Error("the model was not reloaded")
	}
	os.Remove(at("m.nbm"))
	must.OK(t, syscall.Mkfifo(at("m.nbm"), 0o600))
	hangUp("m.nbm is a named pipe")
	served()
	client.CloseIdleConnections()
	must.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	hung.Stop()
	wantDeath(t, cmd, syscall.SIGTERM)
}

// selfSigned is a certificate and its key, in PEM.
func selfSigned(t *testing.T) (cert, key []byte) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.OK(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	must.OK(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	must.OK(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}
