package testkit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// WriteCertificate writes a certificate of 127.0.0.1 that signs itself, with this serial number, and its key.
func WriteCertificate(t testing.TB, cert, key string, number int64) *x509.Certificate {
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
