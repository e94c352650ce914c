package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

type healthCmd struct {
	Address serverAddress `arg:"" optional:"" default:"http://127.0.0.1:8080" help:"Address of the server: HOST:PORT, or a URL (default: http://127.0.0.1:8080)."`
	Timeout time.Duration `min:"1" values:"above 0" group:"serve" default:"4s" placeholder:"TIME" help:"Maximum time to wait for an answer (default: 4s)."`
}

func (h *healthCmd) Help() string {
	return `Asks a server that nbsvm serve has started whether it is ready, and exits with 0 if it is, with 1 if not. It is
for health checks where there is no curl, as in the container image:

    nbsvm health 127.0.0.1:8080 && echo ready

The certificate of an https:// address is not checked: nothing but the question is sent.`
}

func (h *healthCmd) Run(c *call) error {
	asked := h.Address.JoinPath("readyz")
	if err := ready(c.ctx, asked.String(), h.Timeout); err != nil {
		return fmt.Errorf("nbsvm: %s is not ready: %w", display.Text(asked.String()), err)
	}
	if !c.Quiet {
		fmt.Fprintln(c.out, "ready")
	}
	return nil
}

// serverAddress is where a server listens: HOST:PORT, or a URL.
type serverAddress struct{ url.URL }

func (a *serverAddress) UnmarshalText(text []byte) error {
	address := string(text)
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return fmt.Errorf("must be HOST:PORT, http://HOST:PORT or https://HOST:PORT, got %q", text)
	}
	a.URL = *parsed
	return nil
}

// ready returns nil if a server answers with 200.
func ready(ctx context.Context, address string, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Do(request)
	if failed := new(url.Error); errors.As(err, &failed) {
		err = failed.Err // without the address again
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", timeout)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return fmt.Errorf("it says %s: %s", response.Status, display.Text(strings.TrimSpace(string(said))))
	}
	return nil
}
