//go:build unix

// Package browser opens pages in a headless Chromium, for tests.
package testkit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// Browser is a headless Chromium with one page, spoken to in the DevTools protocol through pipes.
type Browser struct {
	T       *testing.T // which fails where the browser does
	write   *os.File
	session string

	mu      sync.Mutex
	next    int
	answers map[int]chan message
	events  []message
}

type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium here (Debian: chromium), so pages are not opened")
	return ""
}

// Open starts a browser with an empty page, or skips the test if there is none. Names of other hosts lead nowhere.
func Open(t *testing.T) *Browser {
	theirs, write, err := os.Pipe()
	must.OK(t, err)
	read, theirOut, err := os.Pipe()
	must.OK(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, chromium(t), "--headless", "--no-sandbox", "--disable-gpu",
		"--remote-debugging-pipe",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
		"--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, theirOut}
	must.OK(t, cmd.Start())
	theirs.Close()
	theirOut.Close()
	b := &Browser{T: t, write: write, answers: map[int]chan message{}}
	t.Cleanup(func() {
		_, _ = b.try("Browser.close", nil)
		write.Close()
		time.AfterFunc(5*time.Second, cancel)
		_ = cmd.Wait()
		cancel()
		read.Close()
	})
	go b.listen(read)

	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	for range 100 { // the page may not be there yet
		b.Call("Target.getTargets", nil, &targets)
		if len(targets.TargetInfos) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
		}
	}
	if b.session == "" {
		t.Fatal("the browser has no page")
	}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil, nil)
	}
	return b
}

// listen takes answers and events in.
func (b *Browser) listen(read *os.File) {
	in := bufio.NewReader(read)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if answer := b.answers[m.ID]; answer != nil && m.ID > 0 {
			answer <- m
		} else {
			b.events = append(b.events, m)
		}
		b.mu.Unlock()
	}
}

func (b *Browser) try(method string, params any) (json.RawMessage, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	b.next++
	m := message{ID: b.next, Method: method, SessionID: b.session}
	if params != nil {
		m.Params = encoded
	}
	b.answers[m.ID] = answer
	b.mu.Unlock()
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if _, err := b.write.Write(append(text, 0)); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, errors.New(method + ": " + string(m.Error))
		}
		return m.Result, nil
	case <-time.After(30 * time.Second):
		return nil, errors.New(method + ": no answer")
	}
}

// Call asks the browser for something, and decodes the answer.
func (b *Browser) Call(method string, params, result any) {
	b.T.Helper()
	answer, err := b.try(method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(answer, result)
	}
	must.OK(b.T, err)
}

// Eval runs a script in the page, beyond the page's own policy, and returns its value.
func (b *Browser) Eval(script string) any {
	b.T.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{
		"expression": script, "returnByValue": true,
		"awaitPromise": true,
	}, &answer)
	if answer.ExceptionDetails != nil {
		b.T.Fatalf("%s: %s", script, answer.ExceptionDetails)
	}
	return answer.Result.Value
}

// Show opens the page at a URL, and waits until a script says true of it.
func (b *Browser) Show(url string, width int, dark bool, ready string) {
	b.T.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	media := map[string]string{"name": "prefers-color-scheme", "value": scheme}
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []any{media}}, nil)
	b.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.mu.Lock()
	b.events = nil
	b.mu.Unlock()
	b.Call("Page.navigate", map[string]any{"url": url}, nil)
	b.Wait("document.readyState === 'complete' && " + ready)
}

// Wait waits until a script says true.
func (b *Browser) Wait(script string) {
	b.T.Helper()
	for range 200 {
		if done, _ := b.Eval(script).(bool); done {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.T.Errorf("never true: %s; events: %s", script, b.Faults())
}

// Press presses a key, by its name and its number.
func (b *Browser) Press(key string, code, modifiers int) {
	b.T.Helper()
	text := map[string]string{"Enter": "\r", " ": " "}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call("Input.dispatchKeyEvent", map[string]any{
			"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers, "text": text,
		}, nil)
	}
}

// Faults returns what the browser has said of the page since it was opened, and what the page has asked for beside the
// URLs that begin with one of these.
func (b *Browser) Faults(allowed ...string) (faults []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.events {
		switch m.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening":
			faults = append(faults, m.Method+": "+string(m.Params))
		case "Network.requestWillBeSent":
			var p struct {
				Type    string
				Request struct{ URL string }
			}
			known := func(url string) bool { return strings.HasPrefix(p.Request.URL, url) }
			if json.Unmarshal(m.Params, &p) != nil || p.Type != "Document" && !slices.ContainsFunc(allowed, known) {
				faults = append(faults, "asks for "+p.Request.URL)
			}
		}
	}
	return faults
}
