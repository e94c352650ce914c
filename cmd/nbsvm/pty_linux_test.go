package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// terminalPair opens a pseudo-terminal: what is written to the terminal can be read from the other end.
func terminalPair(t *testing.T) (other, terminal *os.File) {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { other.Close() })
	if err := unix.IoctlSetPointerInt(int(other.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	number, err := unix.IoctlGetInt(int(other.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	return other, terminal
}

// onTerminal runs a command with a terminal for its output, and returns what reaches it.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	other, terminal := terminalPair(t)
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(other) // ends with an error, as terminals do
		shown <- string(text)
	}()
	run(context.Background(), args, streams{strings.NewReader(""), terminal, terminal})
	terminal.Close()
	return <-shown
}

// TestBinaryOnTerminal refuses to write there what is no text.
func TestBinaryOnTerminal(t *testing.T) {
	folder := t.TempDir()
	in, model := filepath.Join(folder, "in.tsv"), filepath.Join(folder, "m.nbm")
	must.OK(t, os.WriteFile(in, []byte(strings.Repeat("cooking\toven broth\nsailing\tanchor keel\n", 5)), 0o666))
	if shown := onTerminal(t, "train", "-q", in, "-o", model); shown != "" {
		t.Fatal(shown)
	}
	for _, args := range [][]string{
		{"train", in, "-o", "-"},
		{"pack", in, "-o", "-"},
		{"quantize", model, "-o", "-"},
		{"report", model, "-o", "-"},
	} {
		if shown := onTerminal(t, args...); !strings.Contains(shown, "-o: this output can't be written to a terminal; redirect standard output") {
			t.Errorf("%v: %q", args, shown)
		}
	}
}

// TestTerminalEscapes trains on labels that would take over a terminal. None of their escapes gets there; files and pipes
// have the bytes. TestHostileNames has other commands.
func TestTerminalEscapes(t *testing.T) {
	folder := t.TempDir()
	const evil = "\x1b]0;owned\a\x1b[2Jx\u009b31m\u202egnp.exe\u2066\x7f\b!\U000e0041"
	in, model := filepath.Join(folder, "in\x1b[31m.tsv"), filepath.Join(folder, "m.nbm")
	corpus := strings.Repeat(evil+"\toven broth\nsailing\tanchor keel\n", 5)
	must.OK(t, os.WriteFile(in, []byte(corpus), 0o666))
	records := filepath.Join(folder, "r.jsonl")
	must.OK(t, os.WriteFile(records, []byte("{\"text\":\"oven\",\"x\":\"\u009b31m\u202e\x7f\"}\n"), 0o666))
	if shown := onTerminal(t, "train", "--progress", "none", in, "-o", model); !strings.Contains(shown, "classes") {
		t.Fatal(shown)
	}
	for _, args := range [][]string{
		{"score", model, in, "--text-field", "2"},
		{"score", "--all-scores", model, in},
		{"score", "--json", model, in},
		{"score", "--where", "margin < 100", model, records},
		{"score", "--add-field", "s", model, records},
		{"score", "--label", "\x1b[2J", model, in},
		{"score", model, filepath.Join(folder, "none\x1b[31m.tsv")},
		{"eval", model, in},
		{"explain", model},
		{"explain", model, in},
		{"inspect", model},
		{"\x1b[2J"},
	} {
		args = append(args, "--progress", "none")
		shown := onTerminal(t, args...)
		if shown == "" || display.Text(shown) != shown {
			t.Errorf("%q shows %q", args, shown)
		}
	}

	var rows, stderr bytes.Buffer
	run(t.Context(), []string{"score", "--where", "margin < 100", model, records}, streams{strings.NewReader(""), &rows, &stderr})
	if want, _ := os.ReadFile(records); !bytes.Equal(rows.Bytes(), want) {
		t.Errorf("a pipe gets %q, want %q; %s", &rows, want, &stderr)
	}
}
