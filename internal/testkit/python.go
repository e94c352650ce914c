package testkit

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// Python gives a Python script a value as JSON, and decodes what it prints. The test is skipped if there is no Python
// with the module that it needs, such as scipy (Debian: python3-scipy).
func Python(t *testing.T, module, script string, in, out any) {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import "+module).Run() != nil {
			continue
		}
		data, err := json.Marshal(in)
		must.OK(t, err)
		cmd := exec.CommandContext(t.Context(), python, "-c", script)
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(data), &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
		must.OK(t, json.Unmarshal(stdout.Bytes(), out))
		return
	}
	t.Skipf("SKIPPED: there is no Python with %s here", module)
}
