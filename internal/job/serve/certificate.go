package serve

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"
)

// Certificate is a certificate with its key, in two files that can be read anew while it is in use.
type Certificate struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
}

// OpenCertificate reads the files, in PEM. That of the certificate has those that lead to the root, too.
func OpenCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	return c, c.Reload()
}

// Reload reads the files again. If they are no good, the certificate stays what it was.
func (c *Certificate) Reload() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", c.cert, c.key, err)
	}
	c.current.Store(&pair)
	return nil
}

// Config is that of a server with the certificate.
func (c *Certificate) Config() *tls.Config {
	current := func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil }
	return &tls.Config{GetCertificate: current}
}
