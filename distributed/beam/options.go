package nbsvmbeam

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// ScoreOptions say what [Score] makes of shards, and where. Fields are those of the flags of nbsvm score, whose help
// tells what they mean; zero values are flags that are not given.
type ScoreOptions struct {
	Model   string // a model file
	OutDir  string // the folder of the outputs
	Rejects string // the folder of the records that do not pass Where; empty for none

	scoring.Options // what is made: Where, AddField, OutputFormat, Label, Top, …
	flags.Input     // how shards are read: Format, TextField, OnBad, … A quarantine is a folder.
	flags.Compress  // How outputs are compressed, if not as their names say

	Threads      int // shards that a worker process scores at the same time; 0 for as many as it has processors
	ShardThreads int // threads for each of them; 0 for one
}

// validate finds what contradicts itself, and fills in defaults.
func (o *ScoreOptions) validate() error {
	o.How, o.OnBad = cmp.Or(o.How, "auto"), cmp.Or(o.OnBad, "fail")
	o.ShardThreads = cmp.Or(o.ShardThreads, 1)
	switch {
	case o.Model == "":
		return errors.New("there is no model: name its file")
	case o.OutDir == "":
		return errors.New("there is no folder for outputs: name one")
	case o.Threads < 0 || o.ShardThreads < 0:
		return fmt.Errorf("threads are %d, those of a shard %d: want 1 or more, or 0 for the default", o.Threads, o.ShardThreads)
	case o.Rejects != "" && o.Where == "":
		return errors.New("--rejects takes the records that do not pass --where: give that, too")
	}
	folders := map[string]string{}
	for _, of := range o.folders() {
		clean := strings.TrimRight(of.path, "/")
		if folders[clean] != "" {
			return fmt.Errorf("%s and %s are the same folder %s: their files would have the same names", folders[clean], of.flag, of.path)
		}
		folders[clean] = of.flag
	}
	if err := o.Validate(&o.Input, "", false); err != nil {
		return err
	}
	read := o.Input.Options(true)
	o.ReadFields(&read)
	return read.Validate()
}

// Flags of folders, as records have them.
const (
	rejectsFlag    = "--rejects"
	quarantineFlag = "--on-bad quarantine"
)

// folder is one of outputs.
type folder struct{ flag, path string }

// folders are those of the outputs, the main one first.
func (o *ScoreOptions) folders() []folder {
	all := []folder{{outdir.OutputFlag, o.OutDir}}
	if o.Rejects != "" {
		all = append(all, folder{rejectsFlag, o.Rejects})
	}
	if quarantine := o.OnBad.Quarantine(); quarantine != "" {
		all = append(all, folder{quarantineFlag, quarantine})
	}
	return all
}

// threads is how many shards a worker process scores at the same time.
func (o *ScoreOptions) threads() int { return cmp.Or(o.Threads, runtime.GOMAXPROCS(0)) }

// encode is for workers, which may be elsewhere.
func (o ScoreOptions) encode() []byte {
	o.Format = corpus.Format(o.Format.String()) // as it is read again
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // there is nothing in it that can't be written
	}
	return text
}

// decode reads what encode has written.
func (o *ScoreOptions) decode(text []byte) error { return json.Unmarshal(text, o) }
