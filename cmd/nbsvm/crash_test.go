package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// crash is a program that ends as nbsvm does if one of its goroutines fails.
func crash() {
	prepareProcess()
	go func() { panic("lost") }()
	time.Sleep(time.Minute)
}

// panicking is a writer with a fault.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("out of ink") }

// TestCrash lets a command fail as it never should: the exit code is not that of wrong usage, and users are told
// that it is not their fault.
func TestCrash(t *testing.T) {
	var stderr bytes.Buffer
	code := run(context.Background(), []string{"version"}, streams{strings.NewReader(""), panicking{}, &stderr})
	if code != 70 {
		t.Errorf("exit code %d, want 70", code)
	}
	for _, want := range []string{"nbsvm: this is a bug in nbsvm: out of ink\n", "crash_test.go", "Please report it"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &stderr)
		}
	}
}
