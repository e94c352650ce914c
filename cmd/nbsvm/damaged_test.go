package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// readers are commands that read BAD, by the file that it is.
var readers = map[string][]string{
	"bad.nbm": {
		"eval BAD text.tsv", "eval BAD c.nbc", "score -q -o out BAD text.tsv", "explain BAD", "explain BAD text.tsv",
		"export -o out BAD text.tsv", "export -o out BAD", "inspect BAD", "verify BAD",
	},
	"bad-counts.nbm": {"quantize -o out BAD"}, // whose numbers have 32 bits
	"bad.nbc": {
		"inspect BAD", "verify BAD", "train -q -o out BAD", "train -q --memory 36MiB -o out BAD",
		"train -q --valid BAD -o out text.tsv", "cv -q --folds 2 BAD", "eval m.nbm BAD",
		"merge -q -o out c.nbc BAD",
	},
	"bad.jsonl": {"score -q --threads 1 --on-bad skip -o out m.nbm BAD", "score -q --on-bad skip --output-format jsonl m.nbm BAD"},
}

// newReadersShop has a corpus, its model, and rows, and of each a second: good and other have those that bad files are
// made from.
func newReadersShop(t *testing.T, documents, rows int) (s *workshop, good, other map[string][]byte) {
	t.Helper()
	s = newWorkshop(t)
	good, other = map[string][]byte{}, map[string][]byte{}
	for k, of := range []map[string][]byte{other, good} { // the good ones stay
		s.documents("text.tsv", documents+documents*(1-k)/10)
		s.run(0, "pack", "-q", "--names", "--min-df", "1", "-o", "c.nbc", "text.tsv")
		s.run(0, "train", "-q", "--bits", "18", "-o", "m.nbm", "text.tsv")
		s.run(0, "train", "-q", "--bits", "18", "--model", "mnb", "-o", "counts.nbm", "text.tsv")
		s.rows(rows + 1000*(1-k))
		of["bad-counts.nbm"] = s.read("counts.nbm")
		of["bad.nbm"], of["bad.nbc"], of["bad.jsonl"] = s.read("m.nbm"), s.read("c.nbc"), s.read("rows.jsonl")
	}
	return s, good, other
}

// TestInputsChange truncates the file that a command reads, or puts another in its place, at a random moment: the
// command has read it before, and its output is that of a file which was there, or there is none, and an error that
// names the file. NBSVM_TRUNCATIONS says how often.
func TestInputsChange(t *testing.T) {
	must.SkipUnderRace(t)
	t.Parallel()
	s, good, other := newReadersShop(t, 2_000, 12_000)
	// A file that is truncated before it is opened is one that was cut off.
	// A page that is being read may be zeroed by the system before it is gone: these bytes are refused, too.
	cut := regexp.MustCompile(`bad\.jsonl(: after \d+ bytes: truncated while it was read|:\d+ \(byte \d+\): (the file ends within a record|zero bytes stand where records were))`)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	refused, runs := 0, 0
	for bad, lines := range readers {
		for _, line := range lines {
			if testing.Short() && r.IntN(3) > 0 {
				continue // some of them, drawn each time
			}
			args := strings.Fields(strings.ReplaceAll(line, "BAD", bad))
			result := func() string { // of what the command leaves, without what has times
				out, _ := os.ReadFile(s.in("out"))
				if strings.HasPrefix(line, "pack") {
					out, _ = os.ReadFile(s.in(bad))
				}
				os.RemoveAll(s.in("out"))
				return string(out)
			}
			var wants []string
			var took time.Duration
			for _, data := range [][]byte{other[bad], good[bad]} {
				s.write(bad, data)
				start := time.Now()
				s.run(map[bool]int{true: exitBad}[bad == "bad.jsonl"], args...)
				took = time.Since(start)
				wants = append(wants, result())
			}
			for range amount("NBSVM_TRUNCATIONS", 1) {
				s.write(bad, good[bad])
				cmd := s.command(args...)
				var said bytes.Buffer
				cmd.Stderr = &said
				must.OK(t, cmd.Start())
				time.Sleep(time.Duration(r.Int64N(int64(took))))
				size, what := r.Int64N(int64(len(good[bad]))), "replaced"
				for bad == "bad.jsonl" && size > 0 && strings.IndexByte("}\n", good[bad][size-1]) >= 0 {
					size-- // lines that are cut off behind a whole one are missed by nobody
				}
				switch r.IntN(3) {
				case 0:
					s.write("next", other[bad])
					if err := os.Rename(s.in("next"), s.in(bad)); err != nil {
						t.Skip("a mapped file can't be replaced here:", err)
					}
				case 1:
					size = 0
					fallthrough
				default:
					what = fmt.Sprintf("truncated to %d bytes", size)
					if err := os.Truncate(s.in(bad), size); err != nil {
						t.Skip("a mapped file can't be truncated here:", err)
					}
				}
				cmd.Wait()
				code, got := cmd.ProcessState.ExitCode(), result()
				runs++
				switch isPack := strings.HasPrefix(line, "pack"); {
				case (code == exitDone || code == exitBad) && (got == wants[1] || what == "replaced" && got == wants[0]):
				case isPack && code == exitDone: // what it has written was truncated
				case bad == "bad.jsonl" && size == 0 && code == exitDone && got == "": // it was empty when it was opened
				case (code == exitFailed || size == 0 && code == exitUsage) && (isPack || got == "") && strings.Contains(said.String(), bad) &&
					(bad != "bad.jsonl" || size == 0 || cut.Match(said.Bytes())):
					refused++
				default:
					t.Errorf("%s, %s: exit code %d, %d bytes, it says %s", line, what, code, len(got), &said)
				}
			}
		}
	}
	t.Logf("%d of %d runs were refused", refused, runs)
}

// TestDamagedCorpus changes a bit of every part of a corpus, and cuts it off in the first block: every
// command that reads the part refuses it, and says where it is damaged.
func TestDamagedCorpus(t *testing.T) {
	s, good, _ := newReadersShop(t, 300, 1)
	t.Chdir(s.folder)
	data := good["bad.nbc"]
	info, err := packed.Inspect("c.nbc")
	must.OK(t, err)
	parts := map[string]int{"BLOCK 0": 100, "FOOTER": len(data) - 30, "TABLE": len(data) - 32 - 10}
	for _, section := range info.Sections {
		if section.Name != "ROWS" { // which are the blocks
			parts[section.Name] = int(section.Offset + section.Length/2)
		}
	}
	check := func(part, where string, damaged []byte) {
		s.write("bad.nbc", damaged)
		before := s.tree()
		for _, line := range readers["bad.nbc"] {
			if strings.HasPrefix(line, "inspect") && where == "BLOCK 0 at byte " || !strings.HasPrefix(line, "verify") && part == "NAMES" {
				continue // it does not read that
			}
			code, _, said := invoke(t.Context(), strings.Fields(strings.ReplaceAll(line, "BAD", "bad.nbc"))...)
			if code != exitFailed || !strings.Contains(said, "bad.nbc: "+where) && !strings.Contains(said, "bad.nbc: corpus") {
				t.Errorf("%s, %s: exit code %d: %s", part, line, code, said)
			}
			if !maps.Equal(before, s.tree()) {
				t.Errorf("%s, %s: files have changed", part, line)
			}
		}
	}
	for part, at := range parts {
		flipped := bytes.Clone(data)
		flipped[at] ^= 4
		check(part, part+" at byte ", flipped)
		if strings.HasPrefix(part, "BLOCK 0") {
			check("the rest of "+part, "", data[:at])
		}
	}
}

// TestManyRows: with one bad record in a thousand there are as many rows as records, in order, the same for any number
// of threads.
func TestManyRows(t *testing.T) {
	t.Parallel()
	s, _, _ := newReadersShop(t, 60, 1)
	all := amount("NBSVM_ROWS", 10_000)
	bad := s.rows(all)
	score := func(out string, args ...string) []byte {
		t.Helper()
		s.run(exitBad, append([]string{"score", "-q", "-o", out, "m.nbm", "rows.jsonl"}, args...)...)
		return s.read(out)
	}
	whole := score("scores", "--threads", "1", "--on-bad", "skip", "--output-format", "jsonl")
	for _, threads := range []string{"2", "7"} {
		if !bytes.Equal(score("other", "--threads", threads, "--on-bad", "skip", "--output-format", "jsonl"), whole) {
			t.Error("another number of threads gives other bytes")
		}
	}
	n, wrong := 0, 0 // the model knows hardly all words
	for line := range bytes.Lines(whole) {
		label, _ := document(n, 2)
		isBad := bytes.HasPrefix(line, []byte(`{"error":"rows.jsonl (byte `))
		if isBad != (n%1000 == 500) {
			t.Fatalf("row %d, of %s: %s", n, label, line)
		}
		if !isBad && !bytes.HasPrefix(line, []byte(`{"labels":["`+label+`"]`)) {
			wrong++
		}
		n++
	}
	if n != all || wrong > n/1000 {
		t.Errorf("%d rows of %d records, %d not of their label", n, all, wrong)
	}
	if !bytes.Equal(score("kept", "--on-bad", "quarantine=bad", "--where", "margin > 0 or not margin > 0"), s.read("good.jsonl")) {
		t.Error("what passes is not the good records")
	}
	if got := bytes.Count(s.read("bad"), []byte("\n")); got != bad {
		t.Errorf("%d bad records in quarantine, want %d", got, bad)
	}
}
