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

// recordName is the name of the file that tells of which run a folder is. Folders are those of nbsvm score --out-dir,
// which can go on with what a pipeline has begun, as a pipeline can with one of its.
var recordName = outdir.RecordName("score")

// runOf is the run of options with a model.
func (o *ScoreOptions) runOf(model []byte) provenance.Run {
	options := o.Options.Recorded(&o.Input)
	if o.Rejects != "" {
		options["rejects"] = provenance.Folder
	}
	sum := sha256.Sum256(model)
	return provenance.Run{
		Version: nbsvm.Version, Options: options,
		Model: provenance.Fingerprint{Path: o.Model, Bytes: int64(len(model)), SHA256: hex.EncodeToString(sum[:])},
	}
}

// begin makes sure that what is in the folders of outputs is of this run, and tells so there.
func (o *ScoreOptions) begin(ctx context.Context) error {
	model, err := readAll(ctx, o.Model)
	if err != nil {
		return err
	}
	run := o.runOf(model)
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
			mine.Flag, mine.OutDir = folder.flag, from(folder.path, o.OutDir)
		}
		text, there, err := readRecord(ctx, folder.path)
		if err != nil {
			return err
		}
		if there {
			if err := checkRecord(&mine, folder, text); err != nil {
				return err
			}
			continue
		}
		if err := writeJSON(ctx, join(folder.path, recordName), "  ", mine); err != nil {
			return err
		}
	}
	return nil
}

// readRecord is that of a folder, if it has one.
func readRecord(ctx context.Context, folder string) (text []byte, there bool, err error) {
	path := join(folder, recordName)
	if _, there, err = exists(ctx, path); !there || err != nil {
		return nil, false, err
	}
	text, err = readAll(ctx, path)
	return text, true, err
}

// checkRecord refuses a folder that has files of another run.
func checkRecord(mine *outdir.Record, of folder, text []byte) error {
	var theirs outdir.Record
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("%s is damaged: %w", join(of.path, recordName), err)
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
