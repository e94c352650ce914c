package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"sync"
)

var (
	//go:embed assets/page.html
	bodyTemplate string
	// Common is the style sheet that all pages share. Parts of a text have the classes for1 to for4, by how much they
	// add to a margin, and against1 to against4, by how much they take from it.
	//go:embed common.css
	Common string
	//go:embed assets/audit.html
	auditTemplate string
	//go:embed assets/page.css
	ownStyle string
	//go:embed assets/page.js
	script string
	//go:embed assets/echarts.min.js.gz
	chartsCompressed []byte
)

// assets are what all pages share.
type assets struct {
	body                  *pageTemplate
	style, script, charts string
	policy                string // Content-Security-Policy
}

// loadAssets makes them ready, once.
var loadAssets = sync.OnceValues(func() (*assets, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(chartsCompressed))
	if err != nil {
		return nil, fmt.Errorf("report: the charts' script: %w", err)
	}
	charts, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("report: the charts' script: %w", err)
	}
	body, err := parseTemplate(bodyTemplate)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	a := &assets{body: body, style: Common + ownStyle, script: script, charts: string(charts)}
	a.policy = fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src '%s'; base-uri 'none'; form-action 'none'",
		hash(a.charts), hash(a.script), hash(a.style))
	return a, nil
})

// hash names a script or style in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
