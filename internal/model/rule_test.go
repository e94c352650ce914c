package model

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRules: a file has one rule, whose bytes are a view at a multiple of 64 bytes; nothing is there to be rounded.
func TestRules(t *testing.T) {
	data := encode(t, ruled(Trees))
	m, err := decode(data)
	must.OK(t, err)
	begin, rule := uintptr(unsafe.Pointer(&data[0])), uintptr(unsafe.Pointer(&m.Rule.Data[0]))
	if at := int(rule - begin); at%64 != 0 || at >= len(data) {
		t.Errorf("the rule's data are at byte %d, want a view at a multiple of 64", at)
	}
	if _, err := m.Quantize(); err == nil || !strings.Contains(err.Error(), "TREES has no weights") {
		t.Errorf("quantized: %v", err)
	}
	f := takeApart(t, data)
	f.add(Neighbours, make([]byte, 16), false)
	if _, err := decode(f.build()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "sections TREES and NEIGHBRS") {
		t.Errorf("two rules: %v", err)
	}
}
