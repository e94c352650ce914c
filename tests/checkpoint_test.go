package tests

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/solver"
)

// watched trains with a checkpoint and returns what was in its file meanwhile: what a
// process that is killed leaves behind.
func watched(t *testing.T, in corpus.Input, o nbsvm.Options) (c *nbsvm.Classifier, files [][]byte) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, _, _ = nbsvm.Train(context.Background(), in, o)
	}()
	for over := false; !over; time.Sleep(200 * time.Microsecond) {
		select {
		case <-done:
			over = true
		default:
		}
		b, err := os.ReadFile(o.Checkpoint.Path)
		if err == nil && (files == nil || !bytes.Equal(b, files[len(files)-1])) {
			files = append(files, b)
		}
	}
	return c, files
}

// TestCheckpoint resumes from what killed trainings leave behind, and gets the same model.
func TestCheckpoint(t *testing.T) {
	shapes := map[string]shape{
		"two classes": small.with(func(s *shape) { s.signal = 0.1 }),
		"three":       small.with(func(s *shape) { s.classes = 3 }),
		"two groups":  small.with(func(s *shape) { s.classes, s.docs = 11, 600 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 4, true }),
	}
	for kind, s := range shapes {
		for name, change := range variants() {
			o := options(change)
			if !solved(o.Kind) {
				continue
			}
			o.Tol, o.MaxEpochs = 1e-8, 60
			if s.classes > 2 {
				o.Tol = solver.LeastGroupTol // side by side
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				want, _ := mustTrain(t, s.input(), o)
				o := o
				o.Checkpoint.Path = filepath.Join(t.TempDir(), "check")
				first, files := watched(t, s.input(), o)
				if first == nil || !bytes.Equal(encode(t, first), encode(t, want)) {
					t.Fatal("with a checkpoint it is another model")
				}
				if len(files) == 0 {
					t.Fatal("there was no checkpoint")
				}
				said := ""
				o.Progress = func(p corpus.Progress) {
					if p.Stage == "resume" {
						said = p.Detail
					}
				}
				for k, file := range spread(files, 3) {
					if err := os.WriteFile(o.Checkpoint.Path, file, 0o600); err != nil {
						t.Fatal(err)
					}
					o.Threads = 1 + k
					said = ""
					again, _ := mustTrain(t, s.input(), o)
					if !bytes.Equal(encode(t, again), encode(t, want)) {
						t.Errorf("another model, which %s", said)
					}
					if !strings.Contains(said, "resumes from "+o.Checkpoint.Path) {
						t.Errorf("it says %q", said)
					}
				}
				if !strings.HasSuffix(said, ": all is solved") {
					t.Errorf("in the end it says %q", said)
				}
			})
		}
	}
}

// spread takes some of a slice, the first and the last among them.
func spread[T any](all []T, n int) (some []T) {
	for k := range n {
		some = append(some, all[k*(len(all)-1)/(n-1)])
	}
	return some
}

// TestCheckpointCancelled: a training that is cancelled leaves what it has done, however
// long the interval is.
func TestCheckpointCancelled(t *testing.T) {
	for from, s := range map[string]shape{
		"epoch 5":             small,
		"5 of 11 groups done": small.with(func(s *shape) { s.classes, s.docs = 11, 600 }),
	} {
		o := options(func(o *nbsvm.Options) { o.Tol, o.MaxEpochs, o.Loss, o.Threads = 1e-9, 200, "logistic", 1 })
		want, _ := mustTrain(t, s.input(), o)
		o.Checkpoint = nbsvm.Checkpoint{Path: filepath.Join(t.TempDir(), "check"), Every: time.Hour}
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(p corpus.Progress) {
			if p.Stage == "solve" && p.Done >= 5 { // epochs, or classes
				cancel()
			}
		}
		if _, _, err := nbsvm.Train(ctx, s.input(), o); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", from, err)
		}
		said := ""
		o.Progress = func(p corpus.Progress) {
			if p.Stage == "resume" {
				said = p.Detail
			}
		}
		again, _ := mustTrain(t, s.input(), o)
		if !strings.Contains(said, ": "+from) || !bytes.Equal(encode(t, again), encode(t, want)) {
			t.Errorf("another model, or from elsewhere: %q, want %s", said, from)
		}
	}
}

// TestCheckpointRefused: the file of another training, what is none, and what is damaged.
func TestCheckpointRefused(t *testing.T) {
	s := small.with(func(s *shape) { s.classes, s.weights = 3, true })
	weighed := func(records []record) corpus.Input {
		in := input(csv(records), corpus.CSV)
		in.WeightField = "weight"
		return in
	}
	in := func() corpus.Input { return weighed(s.records()) }
	o := options(func(o *nbsvm.Options) { o.Checkpoint.Path = filepath.Join(t.TempDir(), "check") })
	_, files := watched(t, in(), o)
	file := files[len(files)-1]
	refused := func(name string, in corpus.Input, o nbsvm.Options, says string) {
		t.Helper()
		_, _, err := nbsvm.Train(t.Context(), in, o)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), o.Checkpoint.Path) {
			t.Errorf("%s: %v; want %q", name, err, says)
		}
	}
	for name, change := range map[string]func(o *nbsvm.Options){
		"C":       func(o *nbsvm.Options) { o.C = 2 },
		"seed":    func(o *nbsvm.Options) { o.Seed = 2 },
		"bits":    func(o *nbsvm.Options) { o.Text.Bits = 17 },
		"weights": func(o *nbsvm.Options) { o.ClassWeight.Weights = map[string]float64{"class01": 2} },
	} {
		o := o
		change(&o)
		refused(name, in(), o, "is of another training, with other options; delete it, or name another file")
	}
	// Weights and labels are checked when the matrix is the same.
	records := s.records()
	records[7].weight++
	refused("weights", weighed(records), o, "with other documents")
	records = s.records()
	records[0].label, records[1].label = records[1].label, records[0].label
	refused("labels", weighed(records), o, "with other documents")
	refused("documents", weighed(s.records()[:299]), o, "with other documents")

	put := func(b []byte) {
		if err := os.WriteFile(o.Checkpoint.Path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put([]byte("label\ttext\n"))
	refused("a text", in(), o, "is not a checkpoint; name another file")
	put(nil)
	refused("nothing", in(), o, "is not a checkpoint")
	put(append([]byte("nbcheck\x09"), file[8:]...))
	refused("a later version", in(), o, "has layout 9")
	ds := readAll(t, in(), &o)
	d, err := train.LayOut(t.Context(), ds, ds.All(), learner(&o), false)
	if err != nil {
		t.Fatal(err)
	}
	put(file)
	if _, err := train.Fit(t.Context(), ds, d, learner(&o)); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(file); at += 1 + len(file)/500 {
		bad := slices.Clone(file)
		bad[at] ^= 0x10
		for _, bad := range [][]byte{bad, file[:at]} {
			put(bad)
			if _, err := train.Fit(t.Context(), ds, d, learner(&o)); err == nil {
				t.Fatalf("a file of %d bytes, damaged at %d, is taken", len(file), at)
			}
		}
	}
	// Lengths are held against the problem, whatever the checksum says.
	huge := slices.Clone(file[:12+binary.LittleEndian.Uint32(file[8:])]) // the fingerprint
	huge = binary.LittleEndian.AppendUint64(huge, 1<<22)
	huge = append(huge, 1, 0, 0, 0, 0)
	huge = append(huge, make([]byte, 1<<22)...)
	put(binary.LittleEndian.AppendUint32(huge, crc32.Checksum(huge, checksum.Castagnoli)))
	refused("a long state", in(), o, "; delete it, or name another file")

	o.Checkpoint.Path = t.TempDir()
	refused("a folder", in(), o, "is not a regular file")
	o.Checkpoint.Path = filepath.Join(o.Checkpoint.Path, "missing", "check")
	refused("no folder", in(), o, "the checkpoint: ")
}

// TestCheckpointOptions: what there is nothing to save of.
func TestCheckpointOptions(t *testing.T) {
	for _, kind := range nbsvm.Kinds() {
		o := options(func(o *nbsvm.Options) { o.Kind, o.Checkpoint.Path = kind, "check" })
		if err := o.Validate(); (err == nil) != solved(kind) {
			t.Errorf("model %s: %v", kind, err)
		}
	}
	o := options(func(o *nbsvm.Options) { o.Checkpoint = nbsvm.Checkpoint{Path: "check", Every: -1} })
	if err := o.Validate(); err == nil {
		t.Error("an interval below 0 is taken")
	}
	o.Checkpoint = nbsvm.Checkpoint{Path: filepath.Join(t.TempDir(), "missing", "check")}
	if _, _, err := nbsvm.Train(t.Context(), small.input(), o); err == nil || !strings.HasSuffix(err.Error(), "; no checkpoint was saved") {
		t.Errorf("a folder that does not exist: %v", err)
	}
	o.Checkpoint.Path = filepath.Join(t.TempDir(), "check")
	if _, err := nbsvm.CrossValidate(t.Context(), small.input(), o, 3); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(o.Checkpoint.Path); err == nil {
		t.Error("cross-validation left a checkpoint")
	}
}
