package nbsvmbeam

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// recordOf is the file that tells of which run a folder is. Folders are those of nbsvm's --out-dir, which can go on
// with what a pipeline has begun, as a pipeline can with one of its.
func recordOf(w work, folder string) string { return join(folder, outdir.RecordName(w.command())) }

// runOf is the run of options with a model.
func runOf(path string, model []byte, options map[string]string) provenance.Run {
	sum := sha256.Sum256(model)
	of := provenance.Fingerprint{Path: path, Bytes: int64(len(model)), SHA256: hex.EncodeToString(sum[:])}
	if path == "" {
		of = provenance.Fingerprint{}
	}
	return provenance.Run{Version: nbsvm.Version, Options: options, Model: of}
}

// from is where a folder is, from another one, so that both may be moved together; elsewhere than on this machine, it
// is its path.
func from(folder, to string) string {
	if !isLocal(folder) || !isLocal(to) {
		return to
	}
	return outdir.From(folder, to)
}
