package scoring

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Compress says how outputs of text are compressed.
type Compress struct {
	How string `name:"compress" group:"output" enum:"auto,zstd,gzip,none" default:"auto" placeholder:"HOW" help:"Compression of the output: zstd, gzip or none; auto follows its name, .zst or .gz (default: auto)."`
}

// Kind returns how the named output is compressed.
func (f *Compress) Kind(path string) osfile.Compression {
	if f.How != "auto" && f.How != "" {
		return osfile.Compression(f.How)
	}
	return osfile.CompressionOf(path)
}

// To returns the named output, which goes to w.
func (f *Compress) To(w io.Writer, path string) *Output {
	return &Output{W: w, Kind: f.Kind(path), Of: corpus.FormatOfName(path)}
}

// Name returns path with the extension of the output's compression.
func (f *Compress) Name(path string) string {
	if f.How == "auto" {
		return path
	}
	return strings.TrimSuffix(path, osfile.CompressionOf(path).Suffix()) + f.Kind(path).Suffix()
}

// Stem returns a path without the extensions that tell format and compression.
func Stem(path string) string {
	path = osfile.TrimCompression(path)
	if extension := filepath.Ext(path); corpus.FormatOfName(path) != corpus.Auto && filepath.Base(path) != extension {
		return strings.TrimSuffix(path, extension)
	}
	return path
}

// Check refuses names of what can't be written.
func (f *Compress) Check(path string) error {
	if suffix := filepath.Ext(path); f.How == "auto" && slices.Contains(otherSuffixes, suffix) {
		return fmt.Errorf("%s: nbsvm compresses with zstd (.zst) or gzip (.gz), not %s; --compress none writes plain text", path, suffix)
	}
	return nil
}

// otherSuffixes are of files that nbsvm can't write.
var otherSuffixes = []string{".xz", ".bz2", ".lz4", ".br", ".zip", ".7z", ".zstd", ".gzip", ".lzma", ".Z"}

// BadFile says what to do with a bad input of --out-dir.
type BadFile struct {
	OnBadFile string `needs:"out-dir" group:"output" enum:"fail,skip" default:"fail" placeholder:"WHAT" help:"With --out-dir, what to do with a damaged or wrong input: fail, or skip it and exit with status 4 (default: fail). A bad record never makes an input bad: see --on-bad."`
}

// PassOver reports whether an input is skipped because of the error.
func (f *BadFile) PassOver(err error) bool {
	return f.OnBadFile == "skip" && corpus.IsBadFile(err)
}
