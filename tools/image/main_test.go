package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// TestImage builds an image twice, in different folders, and reads it back.
func TestImage(t *testing.T) {
	var archives [2][]byte
	for i := range archives {
		folder := t.TempDir()
		program, licence, out := filepath.Join(folder, "nbsvm"), filepath.Join(folder, "LICENSE"), filepath.Join(folder, "image.tar")
		if err := os.WriteFile(program, []byte("a program"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(licence, []byte("a licence"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(options{arch: "arm64", version: "1.2.3", revision: "abc", created: 1e9, out: out}, []string{program, licence}); err != nil {
			t.Fatal(err)
		}
		var err error
		if archives[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same files give two images")
	}
	image, err := tarball.Image(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archives[0])), nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if config.Architecture != "arm64" || config.OS != "linux" || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/nbsvm"}) ||
		c.Labels["org.opencontainers.image.revision"] != "abc" {
		t.Errorf("%+v", config)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	layer, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	if end, err := io.ReadAll(layer); err != nil || !bytes.HasSuffix(end, make([]byte, 1024)) {
		t.Errorf("the layer has no end, %v", err)
	}
	found := map[string]int64{}
	content := mutate.Extract(image)
	defer content.Close()
	files := tar.NewReader(content)
	for {
		header, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = header.Mode
	}
	for name, mode := range map[string]int64{"nbsvm": 0o755, "licenses/LICENSE": 0o644, "tmp": 0o1777, "data": 0o777} {
		if found[name] != mode {
			t.Errorf("%s has mode %o, want %o: %v", name, found[name], mode, found)
		}
	}
}

func TestMissing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "image.tar")
	if err := run(options{version: "1", out: out}, []string{"absent"}); err == nil {
		t.Error("a missing file was accepted")
	}
	if err := run(options{version: "not a tag", out: out}, nil); err == nil {
		t.Error("a version that is no tag was accepted")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written all the same")
	}
}
