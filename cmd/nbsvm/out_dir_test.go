package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
)

// newShardshop is a folder with a model and shards.
func newShardshop(t *testing.T) (s *workshop, shards []string) {
	t.Helper()
	s = withModel(t)
	for k := range 12 {
		var b bytes.Buffer
		must.OK(t, writeDocuments(&b, "jsonl", 100+1500*(k%4), 2))
		name := fmt.Sprintf("shard-%02d.jsonl", k)
		s.write(name, b.Bytes())
		shards = append(shards, name)
	}
	return s, shards
}

// contents are the files of a folder by name; those that are on their way to a name are listed apart.
func contents(t *testing.T, folder string) (files map[string]string, temporary []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			temporary = append(temporary, e.Name())
			continue
		}
		if e.Name() == outdir.RecordName { // whose times differ
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		must.OK(t, err)
		files[e.Name()] = string(data)
	}
	return files, temporary
}

// TestOutDirKilled kills some of three runs that fill a folder, at random moments; TestCommandsKilled kills those that
// are alone. What is there is whole, those that live do the work of the others, and in the end all is there, with the
// bytes of one run, and nothing besides. NBSVM_KILLS says how many runs are killed.
func TestOutDirKilled(t *testing.T) {
	must.SkipUnderRace(t)
	t.Parallel()
	s, shards := newShardshop(t)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	args := func(out string) []string {
		return append(strings.Fields("score -q --threads 1 --where margin>0 --out-dir "+out+" --rejects "+out+"-no m.nbm"), shards...)
	}
	start := time.Now()
	s.run(0, args("all")...)
	took, wants := time.Since(start), map[string]map[string]string{}
	for _, folder := range []string{"", "-no"} {
		wants["out"+folder], _ = contents(t, s.in("all"+folder))
	}
	killed, lived := 0, 0
	for killed < amount("NBSVM_KILLS", 5) {
		var running []*exec.Cmd
		for range 3 {
			cmd := s.command(args("out")...)
			cmd.Stderr = new(bytes.Buffer)
			must.OK(t, cmd.Start())
			if r.Float64() < 0.8 {
				time.AfterFunc(time.Duration(r.Int64N(int64(took))), func() { cmd.Process.Kill() })
			}
			running = append(running, cmd)
		}
		ended := 0
		for _, cmd := range running {
			if cmd.Wait(); cmd.ProcessState.ExitCode() == exitDone {
				ended++
			} else if cmd.ProcessState.Exited() {
				t.Errorf("exit code %d: %s", cmd.ProcessState.ExitCode(), cmd.Stderr)
			}
		}
		killed, lived = killed+3-ended, lived+ended
		rejected, _ := contents(t, s.in("out-no"))
		for folder, want := range wants {
			got, _ := contents(t, s.in(folder))
			for name, data := range got {
				if _, there := rejected[name]; data != want[name] || !there {
					t.Errorf("%s/%s has %d bytes, want %d, and rejects of its own: %t", folder, name, len(data), len(want[name]), there)
				}
			}
			if ended > 0 && len(got) != len(want) {
				t.Errorf("a run has ended, and %s has %d files, want %d", folder, len(got), len(want))
			}
		}
		if ended == 0 && r.IntN(2) == 0 {
			continue // they are killed again
		}
		s.run(0, args("out")...) // which also removes temporary files
		for folder, want := range wants {
			if got, left := contents(t, s.in(folder)); !maps.Equal(got, want) || len(left) > 0 {
				t.Errorf("%s: %d files, want %d; left are %v", folder, len(got), len(want), left)
			}
			must.OK(t, os.RemoveAll(s.in(folder)))
		}
	}
	t.Logf("%d runs were killed, and %d lived", killed, lived)
}

// TestOutDirAtOnce: runs that fill one folder at the same time all succeed, and share the work: they write what one
// would, and each file once.
func TestOutDirAtOnce(t *testing.T) {
	t.Parallel()
	s, shards := newShardshop(t)
	s.run(0, append([]string{"score", "-q", "--out-dir", "one", "m.nbm"}, shards...)...)
	want, _ := contents(t, s.in("one"))
	var running []*exec.Cmd
	for k := range 4 {
		cmd := s.command(append([]string{"score", "--threads", fmt.Sprint(1 + k%2), "--out-dir", "out", "m.nbm"}, shards...)...)
		cmd.Stderr = new(bytes.Buffer)
		must.OK(t, cmd.Start())
		running = append(running, cmd)
	}
	claim, err := osfile.ClaimFile(filepath.Join(s.folder, "one", "claim"))
	must.OK(t, err)
	claim.Release()
	written := 0
	for _, cmd := range running {
		err := cmd.Wait()
		said := fmt.Sprint(cmd.Stderr)
		var of, here, there int
		_, line, _ := strings.Cut("\n"+said, "\n12 files: ")
		if _, scanned := fmt.Sscanf("12 files: "+line, "%d files: %d written, %d already there, 0 failed", &of, &here, &there); err != nil || scanned != nil || here+there != of {
			t.Errorf("%v: %s", err, said)
		}
		written += here
	}
	if claim != nil && written != len(shards) { // files can be locked
		t.Errorf("%d files were written, want %d", written, len(shards))
	}
	if got, left := contents(t, s.in("out")); !maps.Equal(got, want) || len(left) > 0 {
		t.Errorf("files %v, want %v; left are %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), left)
	}
}

// TestFolderError: files that are left are named, if they are not too many.
func TestFolderError(t *testing.T) {
	var failed []string
	for i := range 30 {
		failed = append(failed, fmt.Sprintf("%02d.jsonl", i))
	}
	r := &folderRun{folderFlags: &folderFlags{OutDir: "good"}, c: &call{ctx: t.Context()}, past: "scored", files: make([]outdir.File, 30)}
	err := r.failure(outdir.Result{Failed: failed, Full: true})
	if err == nil || !strings.Contains(err.Error(), "the disk is full, and 30 of 30 files are not scored: 00.jsonl, ") ||
		!strings.Contains(err.Error(), "make room for the files in good") || strings.Contains(err.Error(), "10.jsonl") {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	r.c = &call{ctx: stopped}
	err = r.failure(outdir.Result{There: 3, Written: 4})
	if want := "interrupted; 7 of 30 files in good are complete; run the same command to make the others"; err == nil || err.Error() != want {
		t.Errorf("it says %v, want %s", err, want)
	}
	r.c, r.files = &call{ctx: t.Context()}, r.files[:2]
	again := "; then run the same command again"
	records := "; add --on-bad skip to leave out the bad records alone, or --on-bad quarantine=FOLDER to keep them apart"
	files := "; replace damaged files with whole copies, or add --on-bad-file skip to do without them"
	for _, of := range []struct {
		bad, records int
		want         string
	}{{0, 0, "; run the same command to try again"}, {0, 1, records + again}, {1, 0, files + again}, {1, 1, records + files + again}} {
		err := r.failure(outdir.Result{Failed: []string{"a"}, BadFiles: of.bad, OfRecords: of.records})
		if want := "1 of 2 files could not be scored: a" + of.want; err == nil || err.Error() != want {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
	// What is left out decides the exit code: files, whatever is asked for of bad records.
	r.ExitZero = true
	for want, of := range map[int]outdir.Result{
		exitFiles: {PassedOver: []string{"a"}, BadFiles: 1, Counts: outdir.Counts{Bad: 1}}, exitDone: {Counts: outdir.Counts{Bad: 1}},
	} {
		if code := explainExit(r.failure(of), io.Discard); code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
	}
}

// TestFolderFailed: what is said of a file says what to do, as errors of commands do.
func TestFolderFailed(t *testing.T) {
	got := faultOf("web/a.jsonl", &fs.PathError{Op: "open", Path: "out/.nbsvm-outputs.json", Err: syscall.EACCES})
	want := "web/a.jsonl: out/.nbsvm-outputs.json: permission denied; change its permissions, or name another file"
	if got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
