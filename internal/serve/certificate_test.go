package serve

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestCertificate: connections are made with the certificate that was read last, and a damaged one changes nothing.
func TestCertificate(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	if _, err := OpenCertificate(cert, key); err == nil {
		t.Error("there is no certificate, and no error")
	}
	first := testkit.WriteCertificate(t, cert, key, 1)
	c, err := OpenCertificate(cert, key)
	must.OK(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.OK(t, err)
	server := Server(New(trained(t, reviews), Options{}), Options{})
	server.TLSConfig = c.Config()
	go server.ServeTLS(listener, "", "") // returns ErrServerClosed
	defer server.Close()
	visit := func(trusted *x509.Certificate) {
		t.Helper()
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
		defer client.CloseIdleConnections()
		answer, err := client.Get("https://" + listener.Addr().String() + "/healthz")
		if err != nil {
			t.Error(err)
			return
		}
		answer.Body.Close()
	}
	visit(first)
	must.OK(t, os.WriteFile(cert, []byte("damaged"), 0o600))
	if _, err := c.Read(); err == nil {
		t.Error("a damaged certificate is read without an error")
	}
	visit(first)
	second := testkit.WriteCertificate(t, cert, key, 2)
	pair, err := c.Read()
	must.OK(t, err)
	visit(first) // until it is used
	c.Use(pair)
	visit(second)
}
