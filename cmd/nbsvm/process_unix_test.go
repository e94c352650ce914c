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
)

// TestLoopStopped: Ctrl-C ends a shell's loop along with the command in it. The shell gets the signal too, and goes
// on unless the command dies of it.
func TestLoopStopped(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	first, _ := command(t, "score", "m.nbm")
	cmd := exec.CommandContext(t.Context(), bash, "-c", `for i in 1 2 3; do ./nbsvm score m.nbm; echo "went on after $?"; done`)
	cmd.Dir, cmd.SysProcAttr = first.Dir, &syscall.SysProcAttr{Setpgid: true}
	if err := os.Symlink(first.Path, filepath.Join(first.Dir, "nbsvm")); err != nil { // testscript.Main goes by the name
		t.Fatal(err)
	}
	in, out := started(t, cmd)
	converse(t, nopCloser{in}, out, nil)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
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
	if err := os.Symlink(first.Path, filepath.Join(first.Dir, "nbsvm")); err != nil {
		t.Fatal(err)
	}
	first.Path = shell
	in, out := started(t, first)
	converse(t, nopCloser{in}, out, stderr)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if err := first.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
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
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	started(t, cmd)
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ := strings.Cut(line, " at ")
	url, _, found := strings.Cut(url, ";")
	if !found || !strings.HasPrefix(url, "http://127.0.0.1:") {
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
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "rebound.example"
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
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
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	started(t, cmd)
	lines := bufio.NewReader(stderr)
	said := func(want string) string {
		t.Helper()
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, want) {
			t.Fatalf("%q, %v, want %s", line, err, want)
		}
		return line
	}
	_, url, _ := strings.Cut(said(" at "), " at ")
	url, _, _ = strings.Cut(url, ";")
	path := filepath.Join(cmd.Dir, "m.nbm")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{"damaged": "nbsvm: not reloaded: ", string(good): "m.nbm reloaded"} {
		if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		if watch == "0s" {
			if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
		said(want)
		answer, err := http.Post(url+"predict", "application/json", strings.NewReader(`{"text": "flour"}`))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("after %s: %s", want, answer.Status)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	wantDeath(t, cmd, os.Interrupt)
}

// startServer starts a server, and returns its address, the line that has it, and what standard error has behind that.
func startServer(t *testing.T, cmd *exec.Cmd) (url, line string, lines *bufio.Reader) {
	t.Helper()
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
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
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
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

// besidePipe makes a folder with documents, t.tsv, and a pipe that nobody writes to.
func besidePipe(t *testing.T) *workshop {
	t.Helper()
	first, _ := command(t)
	s := &workshop{t: t, path: first.Path, folder: first.Dir}
	var text bytes.Buffer
	if err := writeDocuments(&text, "tsv", 40, 2); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.folder, "t.tsv"), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(s.folder, "pipe"), 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	return s
}

// TestWaitsForNothing: what must be a regular file is refused by name if it is a pipe that nobody writes to, or a device
// that never ends.
func TestWaitsForNothing(t *testing.T) {
	t.Parallel()
	s := besidePipe(t)
	if err := os.WriteFile(filepath.Join(s.folder, "part"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"part.shard.json": "pipe", "zero": "/dev/zero", "pipe.nbc": "pipe"} {
		if err := os.Symlink(to, filepath.Join(s.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"score FILE t.tsv", "eval FILE t.tsv", "explain FILE", "inspect FILE", "verify FILE", "serve FILE",
		"report -o page.html FILE", "export FILE", "quantize --bits 8 -o o.nbm FILE", "import -o o.nbm FILE",
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
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
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

// TestPipeStopped: a command that waits for documents from a pipe that nobody writes to ends at the first signal.
func TestPipeStopped(t *testing.T) {
	t.Parallel()
	s := besidePipe(t)
	before := files(t, s.folder)
	for i, line := range []string{
		"train -o o pipe", "train -o o --valid pipe t.tsv", "cv pipe", "pack -o o pipe", "score -o o m.nbm pipe", "eval m.nbm pipe",
		"explain m.nbm pipe", "report -o o.html m.nbm pipe", "tag train -o o pipe",
	} {
		cmd, sent := s.command(strings.Fields(line)...), []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		cmd.Process.Signal(sent)
		hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		hung.Stop()
		if got := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != sent {
			t.Errorf("%s: %v, and it died of %v", line, sent, got)
		}
	}
	if got := files(t, s.folder); got != before {
		t.Errorf("files left: %s, before %s", got, before)
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
		if err := errors.Join(os.WriteFile(at("new"), data, 0o600), os.Rename(at("new"), at(name))); err != nil {
			t.Fatal(err)
		}
	}
	replace("cert.pem", cert)
	replace("key.pem", key)
	url, _, lines := startServer(t, cmd)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 20 * time.Second}
	served := func() string {
		t.Helper()
		answer, err := client.Get(url + "model")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var of struct {
			SHA256 string `json:"sha256"`
		}
		if err := json.NewDecoder(answer.Body).Decode(&of); err != nil {
			t.Fatal(err)
		}
		return of.SHA256
	}
	hangUp := func(want string) {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Errorf("%q, %v, want %s", line, err, want)
		}
	}
	before := served()
	model, err := os.ReadFile(at("m.nbm"))
	if err != nil {
		t.Fatal(err)
	}
	small, stderr2 := exec.Command(cmd.Path, "quantize", "-q", "--bits", "16", "-o", "small.nbm", "m.nbm"), new(bytes.Buffer)
	small.Args[0], small.Dir, small.Stderr = "nbsvm", cmd.Dir, stderr2
	if err := small.Run(); err != nil {
		t.Fatal(err, stderr2)
	}
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
	if err := syscall.Mkfifo(at("m.nbm"), 0o600); err != nil {
		t.Fatal(err)
	}
	hangUp("m.nbm is a named pipe")
	served()
	client.CloseIdleConnections()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	hung.Stop()
	wantDeath(t, cmd, syscall.SIGTERM)
}

// selfSigned is a certificate and its key, in PEM.
func selfSigned(t *testing.T) (cert, key []byte) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}
