package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// writeCertificate writes a certificate of 127.0.0.1 that signs itself, with its key.
func writeCertificate(t *testing.T, cert, key string, number int64) *x509.Certificate {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.OK(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	made, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	must.OK(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	must.OK(t, err)
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: made}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		must.OK(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	parsed, err := x509.ParseCertificate(made)
	must.OK(t, err)
	return parsed
}

// TestCertificate: connections are made with the certificate that was read last, and a damaged one changes nothing.
func TestCertificate(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	if _, err := OpenCertificate(cert, key); err == nil {
		t.Error("there is no certificate, and no error")
	}
	first := writeCertificate(t, cert, key, 1)
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
	second := writeCertificate(t, cert, key, 2)
	pair, err := c.Read()
	must.OK(t, err)
	visit(first) // until it is used
	c.Use(pair)
	visit(second)
}
