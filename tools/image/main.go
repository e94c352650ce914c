// Command image writes a container image of some programs and nothing else: no shell, no libraries, no root. It needs
// no container engine, and the same files give the same image, byte for byte. docker load and podman load read it.
//
//	image -arch ARCH -version VERSION -created SECONDS -revision COMMIT -o FILE.tar PROGRAM... LICENCE...
//
// Files that can be executed go to the root of the image, the others to /licenses.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// options are the command's flags.
type options struct {
	arch, version, revision, out string
	created                      int64
}

func main() {
	var o options
	flag.StringVar(&o.arch, "arch", "amd64", "CPU of the programs, as Go names it")
	flag.StringVar(&o.version, "version", "", "version, which is also the tag of the image")
	flag.StringVar(&o.revision, "revision", "", "commit that the programs were built from")
	flag.Int64Var(&o.created, "created", 0, "time of all files and of the image, in seconds since 1970")
	flag.StringVar(&o.out, "o", "", "file to write")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(o options, files []string) error {
	created := time.Unix(o.created, 0).UTC()
	content, err := pack(files, created)
	if err != nil {
		return err
	}
	image, err := build(o, created, content)
	if err != nil {
		return err
	}
	tag, err := name.NewTag("nbsvm:"+o.version, name.WithDefaultRegistry(""))
	if err != nil {
		return err
	}
	var archive bytes.Buffer // small enough, and a failure leaves no half of a file
	if err := tarball.Write(tag, image, &archive); err != nil {
		return err
	}
	return os.WriteFile(o.out, archive.Bytes(), 0o644)
}

// pack makes the file system of the image.
func pack(files []string, created time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, folder := range []struct {
		name string
		mode int64
	}{{"data/", 0o777}, {"licenses/", 0o755}, {"tmp/", 0o1777}} {
		if err := archive.WriteHeader(&tar.Header{
			Typeflag: tar.TypeDir, Name: folder.name, Mode: folder.mode,
			ModTime: created,
		}); err != nil {
			return nil, err
		}
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		name, mode := "licenses/"+filepath.Base(path), int64(0o644)
		if info.Mode()&0o111 != 0 {
			name, mode = filepath.Base(path), 0o755
		}
		if err := archive.WriteHeader(&tar.Header{
			Name: name, Mode: mode, Size: int64(len(content)),
			ModTime: created,
		}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(content); err != nil {
			return nil, err
		}
	}
	err := archive.Close() // before the bytes are taken: it writes the end
	return out.Bytes(), err
}

// build makes the image: the first program is what it runs.
func build(o options, created time.Time, content []byte) (v1.Image, error) {
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "tools/image"},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", o.arch, v1.Time{Time: created}
	config.Config = v1.Config{
		Entrypoint:   []string{"/nbsvm"},
		User:         "65532:65532",
		WorkingDir:   "/data", // where the examples mount what they read and write
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "nbsvm",
			"org.opencontainers.image.version":  o.version,
			"org.opencontainers.image.revision": o.revision,
			"org.opencontainers.image.licenses": "MIT",
			"org.opencontainers.image.source":   "https://github.com/seed-167f963f/nbsvm",
		},
	}
	return mutate.ConfigFile(image, config)
}
