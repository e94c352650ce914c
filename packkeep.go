package nbsvm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// keeper packs inputs one by one into corpora that stay, and merges these.
type keeper struct {
	in      Input
	o       PackOptions // orders of n-grams settled
	files   []keptFile
	tell    func(Progress)
	done    int64 // bytes of files before it
	total   int64 // bytes of all files that are read
	written int64 // documents of files before it
}

// keptFile is an input and where its corpus is kept.
type keptFile struct {
	input, corpus string
	info          os.FileInfo // of the input
	there         bool        // the corpus is
}

// packKeeping is Pack with a folder that keeps a corpus of every input.
func packKeeping(ctx context.Context, in Input, o PackOptions, w io.Writer) (*PackReport, error) {
	begin := time.Now()
	if err := rereadable(in, "what is kept is told by name and time of its file", "pack files, or keep nothing"); err != nil {
		return nil, err
	}
	if err := refusePacked(in); err != nil {
		return nil, err
	}
	p := newPacker(in, o)
	if err := p.orders(ctx); err != nil {
		return nil, err
	}
	k := &keeper{in: in, o: o, tell: o.Progress}
	k.o.Text.NgramLo, k.o.Text.NgramHi, k.o.MinDF, k.o.Keep, k.o.Progress = p.o.Text.NgramLo, p.o.Text.NgramHi, 1, "", k.show
	if err := k.look(o.Keep); err != nil {
		return nil, err
	}
	m := &packedMerge{}
	defer m.close()
	for _, f := range k.files {
		if err := k.keep(ctx, f); errors.As(err, new(noDocuments)) {
			continue // others may have some
		} else if err != nil {
			return nil, err
		}
		if err := m.add(f.corpus, f.corpus); err != nil {
			return nil, err
		}
	}
	if len(m.parts) == 0 {
		return nil, noDocuments{in.Paths}
	}
	if err := m.makeFolder(o.Temp); err != nil {
		return nil, err
	}
	return m.write(ctx, o.MinDF, o.Threads, begin, w)
}

// look finds out which inputs have their corpora in the folder.
func (k *keeper) look(folder string) error {
	for _, path := range k.in.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("nbsvm: %w", err)
		}
		name, err := k.name(path, info)
		if err != nil {
			return err
		}
		f := keptFile{input: path, corpus: filepath.Join(folder, name), info: info}
		if f.there = isKept(f.corpus); !f.there {
			k.total += info.Size()
		}
		k.files = append(k.files, f)
	}
	return nil
}

// name is that of an input's corpus: another one if the file has changed since, or if it
// would be packed in another way.
func (k *keeper) name(path string, info os.FileInfo) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("nbsvm: %w", err)
	}
	o := k.o
	identity, err := json.Marshal(struct {
		Path, Changed, Version string
		Size                   int64
		Input                  corpus.Options
		Text                   any
		Auto, Counts, Names    bool
	}{absolute, info.ModTime().UTC().Format(time.RFC3339Nano), Version, info.Size(), k.in.Options, o.Text, o.AutoNgrams, o.Counts, o.Names})
	if err != nil {
		return "", fmt.Errorf("nbsvm: %w", err)
	}
	return fmt.Sprintf("%s-%.8x.nbc", shorten(filepath.Base(path)), sha256.Sum256(identity)), nil
}

// isKept says whether a corpus is there, good as far as opening it tells. One without some
// records is made again, so that these are reported again.
func isKept(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	c, meta, err := openPacked(path)
	if err != nil {
		return false
	}
	defer c.Close()
	return meta.Bad == 0
}

// keep makes the corpus of an input, unless it is there.
func (k *keeper) keep(ctx context.Context, f keptFile) error {
	if f.there {
		return nil
	}
	p := newPacker(k.in.With(f.input), k.o)
	p.settled = true
	err := atomicfile.WriteFile(f.corpus, func(w io.Writer) error {
		r, err := p.pack(ctx, w)
		if err != nil {
			return err
		}
		k.written += r.Documents
		if now, err := os.Stat(f.input); err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
			return fmt.Errorf("nbsvm: %s was changed while it was packed", f.input)
		}
		return nil
	})
	k.done += f.info.Size()
	return err
}

// show tells how far all inputs together are.
func (k *keeper) show(p Progress) {
	if k.tell != nil {
		p.Done, p.Total, p.Documents = p.Done+k.done, k.total, p.Documents+k.written
		k.tell(p)
	}
}
