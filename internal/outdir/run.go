package outdir

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// AnyFolder is what a run has for an option that names a folder: not which.
const AnyFolder = "FOLDER"

// Run is what outputs depend on besides their inputs.
type Run struct {
	Version string            `json:"nbsvm"`
	Model   Model             `json:"model,omitzero"` // of none if outputs depend on none
	Options map[string]string `json:"options"`        // that make a difference, by the names of their flags
}

// Model tells models apart.
type Model struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// NewRun returns a run of this version with models, if any; several count as one that has the bytes of all.
func NewRun(models []string, options map[string]string) (Run, error) {
	if len(models) == 0 {
		return Run{Version: nbsvm.Version, Options: options}, nil
	}
	var all []io.Reader
	for _, path := range models {
		file, err := osfile.OpenRegular(path)
		if err != nil {
			return Run{}, err
		}
		defer file.Close()
		all = append(all, file)
	}
	return RunOf(strings.Join(models, ", "), io.MultiReader(all...), options)
}

// RunOf returns a run of this version with a model of this name that is read.
func RunOf(name string, model io.Reader, options map[string]string) (Run, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, model)
	return Run{nbsvm.Version, Model{name, n, hex.EncodeToString(sum.Sum(nil))}, options}, err
}

// Differs says in what outputs are of another run, but for their inputs; empty if they are of the same.
func (r *Run) Differs(o *Run) string {
	switch {
	case r.Version != o.Version:
		return fmt.Sprintf("nbsvm %s, not %s", r.Version, o.Version)
	case r.Model.SHA256 != o.Model.SHA256:
		return fmt.Sprintf("another model, %s with SHA-256 %.12s, not %s with %.12s",
			r.Model.Path, r.Model.SHA256, o.Model.Path, o.Model.SHA256)
	}
	either := map[string]string{} // one of them may have none
	maps.Copy(either, r.Options)
	maps.Copy(either, o.Options)
	for _, name := range slices.Sorted(maps.Keys(either)) {
		if a, b := r.option(name), o.option(name); a != b {
			return fmt.Sprintf("%s, not %s", a, b)
		}
	}
	return ""
}

// option reports whether and how an option was given.
func (r *Run) option(name string) string {
	switch value, given := r.Options[name]; {
	case !given:
		return "without --" + name
	case value == "true" || value == AnyFolder:
		return "with --" + name
	default:
		return fmt.Sprintf("with --%s %q", name, value)
	}
}
