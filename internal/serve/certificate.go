package serve

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Certificate is a certificate with its key, in two files that can be read anew while it is in use.
type Certificate struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
}

// OpenCertificate reads the files, in PEM. That of the certificate has those that lead to the root, too.
func OpenCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	pair, err := c.Read()
	if err == nil {
		c.Use(pair)
	}
	return c, err
}

// mostPEM is how many bytes a certificate or key may have.
const mostPEM = 1 << 20

// Read reads the files again. The certificate in use stays what it is until [Certificate.Use].
func (c *Certificate) Read() (*tls.Certificate, error) {
	cert, err := osfile.ReadRegular(c.cert, mostPEM)
	if err != nil {
		return nil, fmt.Errorf("certificate %w", err)
	}
	key, err := osfile.ReadRegular(c.key, mostPEM)
	if err != nil {
		return nil, fmt.Errorf("key of certificate %s: %w", c.cert, err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", c.cert, c.key, err)
	}
	return &pair, nil
}

// Use has new connections made with a certificate.
func (c *Certificate) Use(pair *tls.Certificate) { c.current.Store(pair) }

// Config returns the configuration of a server with the certificate.
func (c *Certificate) Config() *tls.Config {
	current := func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil }
	return &tls.Config{GetCertificate: current}
}
