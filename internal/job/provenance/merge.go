package provenance

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// File is a shard's output with the record beside it.
type File struct {
	Path string
	Shard
}

// Read reads the records beside outputs: all shards of one run, in order. Records that are named themselves are passed
// over. What an output is that has none, the caller says.
func Read(outputs []string, none func(path string) error) ([]File, error) {
	var files []File
	var errs []error
	for _, path := range outputs {
		if strings.HasSuffix(path, ShardSuffix) {
			continue
		}
		f, err := read(path)
		if errors.Is(err, errNone) {
			err = none(path)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(files) > 0 {
			if what := f.Differs(&files[0].Shard); what != "" {
				errs = append(errs, fmt.Errorf("%s and %s are from different runs: %s", path, files[0].Path, what))
				continue
			}
		}
		files = append(files, f)
	}
	switch {
	case len(files) == 0 && len(errs) == 0:
		return nil, errors.New("no shards to merge: name the outputs that have files ending in " + ShardSuffix + " beside them")
	case len(files) == 0:
		return nil, errors.Join(errs...)
	}
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(a.Shard.Shard, b.Shard.Shard) })
	return files, joinErrors(append(errs, gaps(files)...))
}

// errNone is that of an output without a record.
var errNone = errors.New("no record")

func read(path string) (File, error) {
	f := File{Path: path}
	info, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	text, err := osfile.ReadRegular(path+ShardSuffix, mostRecord)
	switch s := &f.Shard; {
	case errors.Is(err, fs.ErrNotExist):
		return f, errNone
	case err != nil:
		return f, err
	case json.Unmarshal(text, s) != nil:
		return f, fmt.Errorf("%s%s is damaged: it does not describe a shard", path, ShardSuffix)
	case s.Shards < 1 || s.Shard < 1 || s.Shard > s.Shards:
		return f, fmt.Errorf("%s%s is damaged: it says shard %d of %d", path, ShardSuffix, s.Shard, s.Shards)
	case info.Size() != s.Output.Bytes:
		return f, fmt.Errorf("%s (shard %d) is damaged: it has %d bytes instead of %d",
			path, s.Shard, info.Size(), s.Output.Bytes)
	}
	return f, nil
}

// joinErrors adds to what is wrong with shards what to do about it.
func joinErrors(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errors.Join(append(errs, errors.New("merge needs every shard of one run once: score missing or damaged shards again with the same command"))...)
}

// gaps names the shards that are missing or there twice, given the others in order.
func gaps(files []File) (errs []error) {
	next, of := 1, files[0].Shards
	missing := func(until int) {
		switch {
		case until == next:
		case until == next+1:
			errs = append(errs, fmt.Errorf("shard %d of %d is missing", next, of))
		default:
			errs = append(errs, fmt.Errorf("shards %d to %d of %d are missing", next, until-1, of))
		}
	}
	for i := range files {
		s := files[i].Shard.Shard
		if i > 0 && s == files[i-1].Shard.Shard {
			errs = append(errs, fmt.Errorf("%s and %s are both shard %d of %d", files[i-1].Path, files[i].Path, s, of))
			continue
		}
		missing(s)
		next = s + 1
	}
	missing(of + 1)
	return errs
}

// Join writes shards one behind the other, and names all that are not what their records say.
func Join(w io.Writer, files []File) error {
	var errs []error
	for _, s := range files {
		f, err := osfile.OpenRegular(s.Path)
		if err != nil {
			return err
		}
		sum := NewSummer(w)
		_, err = io.CopyBuffer(sum, f, make([]byte, 1<<18))
		f.Close()
		if err != nil {
			return err
		}
		if got := sum.Fingerprint(); got != s.Output {
			errs = append(errs,
				fmt.Errorf("%s (shard %d) is damaged: it has CRC-32C %s and %d bytes instead of %s and %d",
					s.Path, s.Shard.Shard, got.CRC32C, got.Bytes, s.Output.CRC32C, s.Output.Bytes))
		}
	}
	return joinErrors(errs)
}
