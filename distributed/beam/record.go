package nbsvmbeam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/provenance"
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

// begin makes sure that what is in the folders of outputs is of this run, and tells so there.
func begin(ctx context.Context, o work) error {
	run, _, err := o.run(ctx)
	if err != nil {
		return err
	}
	outDir := o.folders()[0].path
	for _, folder := range o.folders() {
		if isLocal(folder.path) {
			if err := os.MkdirAll(folder.path, 0o777); err != nil {
				return fmt.Errorf("%s: %w", folder.flag, err)
			}
		}
	}
	for k, folder := range o.folders() {
		mine := outdir.Record{Run: run}
		if k > 0 {
			mine.Flag, mine.OutDir = folder.flag, from(folder.path, outDir)
		}
		text, there, err := readRecord(ctx, o, folder.path)
		if err != nil {
			return err
		}
		if there {
			if err := checkRecord(&mine, o, folder, text); err != nil {
				return err
			}
			continue
		}
		if err := writeJSON(ctx, recordOf(o, folder.path), "  ", mine); err != nil {
			return err
		}
	}
	return nil
}

// readRecord is that of a folder, if it has one.
func readRecord(ctx context.Context, w work, folder string) (text []byte, there bool, err error) {
	path := recordOf(w, folder)
	if _, there, err = exists(ctx, path); !there || err != nil {
		return nil, false, err
	}
	text, err = readAll(ctx, path)
	return text, true, err
}

// checkRecord refuses a folder that has files of another run.
func checkRecord(mine *outdir.Record, w work, of folder, text []byte) error {
	var theirs outdir.Record
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("%s is damaged: %w", recordOf(w, of.path), err)
	}
	if what := theirs.Differs(mine, outdir.OutputFlag); what != "" {
		return fmt.Errorf("%s %s holds files of another run: %s; name another folder, or remove that one", of.flag, of.path, what)
	}
	return nil
}

// from is where a folder is, from another one, so that both may be moved together; elsewhere than on this machine, it
// is its path.
func from(folder, to string) string {
	if !isLocal(folder) || !isLocal(to) {
		return to
	}
	return outdir.From(folder, to)
}
