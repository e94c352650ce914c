package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// checkShard finds what would be a pity to find behind the work.
func (s *scoreCmd) checkShard() error {
	switch {
	case s.Shard.Of == 0 || s.OutDir != "":
		return nil
	case usesStdin(s.Input):
		return usageError{errors.New("--shard is a part of files, whose size is known, not of standard input: name files")}
	case standardOutput(s.Output) || s.Rejects == "-":
		return usageError{errors.New("--shard needs -o FILE; beside it FILE" + provenance.ShardSuffix + " tells what it is")}
	}
	for _, of := range s.shardOutputs() {
		if provenance.Special(of.path) {
			return usageError{fmt.Errorf("--shard: %s is no regular file", of.path)}
		}
		for _, path := range []string{of.path, of.path + provenance.ShardSuffix} {
			if err := atomicfile.Check(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// shardOutput is a file of a shard beside which a record stands.
type shardOutput struct{ flag, path string }

func (s *scoreCmd) shardOutputs() []shardOutput {
	all := []shardOutput{{"-o", s.Output}, {"--rejects", s.Rejects}}
	if quarantine := s.OnBad.Quarantine(); !provenance.Special(quarantine) {
		all = append(all, shardOutput{"--on-bad quarantine", quarantine})
	}
	return slices.DeleteFunc(all, func(of shardOutput) bool { return of.path == "" })
}

// beginShard begins the shard's record, nil for the whole input. Until release, its files are kept from other runs.
func (s *scoreCmd) beginShard() (shard *provenance.Shard, release func(), err error) {
	var claims []*scratch.Claim
	release = func() {
		for _, claim := range claims {
			claim.Release()
		}
	}
	if s.Shard.Of == 0 {
		return nil, release, nil
	}
	run, err := provenance.NewRun(s.Model, s.Recorded(&s.inputFlags.Input))
	if err != nil {
		return nil, release, err
	}
	if shard, err = provenance.NewShard(run, s.Shard.Shard, s.Input, s.Kind(s.Output)); err != nil {
		return nil, release, err
	}
	for _, of := range s.shardOutputs() {
		target, err := atomicfile.Target(of.path)
		if err != nil {
			return nil, release, err
		}
		claim, err := scratch.ClaimFile(target)
		if errors.Is(err, scratch.ErrInUse) {
			err = usageError{fmt.Errorf("another run is about to write %s %s: %s", of.flag, of.path, shard.OwnName(of.path))}
		}
		if err != nil {
			return nil, release, err
		}
		claims = append(claims, claim)
	}
	return shard, release, s.refuseOthers(shard)
}

// refuseOthers refuses names under which another shard of the same run has written.
func (s *scoreCmd) refuseOthers(r *provenance.Shard) error {
	for _, of := range s.shardOutputs() {
		if err := r.Spares(of.flag, of.path); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// moreFiles are what stands beside a shard's outputs. What is in folders of outputs is compared with the inputs later,
// when these are known.
func (s *scoreCmd) moreFiles() (files []usedFile) {
	if s.Shard.Of == 0 || s.OutDir != "" {
		return nil
	}
	for _, of := range s.shardOutputs() {
		files = append(files, usedFile{role: "what --shard writes beside " + of.flag + ",", path: of.path + provenance.ShardSuffix, written: true})
	}
	return files
}
