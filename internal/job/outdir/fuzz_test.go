package outdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// FuzzVerify reads records of anything: whatever they say, no file outside of the folder is looked at, and nothing that
// is not what its record says is good.
func FuzzVerify(f *testing.F) {
	f.Add(`{"run":"r","input":{"path":"a","bytes":1,"crc32c":"c1d04330"},"documents":1,"files":{"--out-dir":{"path":"a.out","bytes":1,"crc32c":"c1d04330"}}}`)
	f.Add(`{"run":"r","input":{"path":"a"},"files":{"--out-dir":{"path":"../b","bytes":4}}}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, record string) {
		folder := filepath.Join(t.TempDir(), "out")
		for name, text := range map[string]string{".nbsvm-test.json": `{"nbsvm":"1"}`, ".nbsvm-made/a.out.json": record, "a.out": "text", "../b": "text"} {
			path := filepath.Join(folder, name)
			must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must.OK(t, os.WriteFile(path, []byte(text), 0o600))
		}
		v, err := Verify(t.Context(), folder, []string{filepath.Join(folder, "../b")}, 1)
		must.OK(t, err)
		if v.Files == 0 {
			if len(v.Faults) == 0 {
				t.Fatal("there is an output, and nothing is said of it")
			}
			return
		}
		made, err := readMade(Disk{}, filepath.Join(folder, "a.out"))
		if err != nil || made.Run != (&provenance.Run{Version: "1"}).ID() || made.Files[OutputFlag].Path != "a.out" || made.Files[OutputFlag].CRC32C != sumOf("text") {
			t.Fatalf("%q is good: %+v, %v", record, made, err)
		}
	})
}
