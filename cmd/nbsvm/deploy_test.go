package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestDeployedCommands parses the command lines of the job files: in manifests, lists named args; in scripts, lines
// that call "$nbsvm", and the examples in comments that call a script with a command.
func TestDeployedCommands(t *testing.T) {
	t.Setenv("JOB_COMPLETION_INDEX", "0")
	paths, err := filepath.Glob("../../deploy/*/*")
	must.OK(t, err)
	inline := regexp.MustCompile(`(?m)^ *args: \[(.+)\]$`)
	block := regexp.MustCompile(`(?m)^( *)args:\n((?: +- .+\n)+)`)
	call := regexp.MustCompile(`(?m)^"\$nbsvm" (.+)$`)
	example := regexp.MustCompile(`(?m)^# .*(?:array\.sbatch|each\.sh s3\S+ s3\S+ \S+) ((?:score|pack) .+)`)
	comment := regexp.MustCompile(` #.*`)
	var lines [][]string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must.OK(t, err)
		text, before := string(data), len(lines)
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			lines = append(lines, strings.Split(m[1], ", "))
		}
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			var args []string
			for line := range strings.Lines(m[2]) {
				_, arg, _ := strings.Cut(comment.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""), "- ")
				args = append(args, arg)
			}
			lines = append(lines, args)
		}
		for _, m := range append(call.FindAllStringSubmatch(text, -1), example.FindAllStringSubmatch(text, -1)...) {
			m[1] = strings.NewReplacer(`p("good") >= 0.9`, "margin>0", "*.zst')", "*.zst", `${SLURM_CPUS_PER_TASK:-1}`, "1", "'", "", `"`, "").Replace(comment.ReplaceAllString(m[1], ""))
			lines = append(lines, strings.Fields(m[1]))
		}
		if len(lines) == before {
			t.Errorf("%s: no command line found", path)
		}
	}
	for _, args := range lines {
		if _, err := parse(args, io.Discard, io.Discard); err != nil {
			t.Errorf("nbsvm %s: %v", strings.Join(args, " "), err)
		}
	}
}

// TestDailyFolder runs the command by which daily.yaml links to the folder of the day before.
func TestDailyFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("date -d is of Linux")
	}
	data, err := os.ReadFile("../../deploy/kubernetes/daily.yaml")
	must.OK(t, err)
	found := regexp.MustCompile(`command: \[sh, -c, '(.+) (/link/\w+)'\]`).FindSubmatch(data)
	if found == nil {
		t.Fatal("there is no such command")
	}
	if arg := "--out-dir=" + string(found[2]) + "/"; !strings.Contains(string(data), arg) {
		t.Errorf("nbsvm is not called with %s", arg)
	}
	link := filepath.Join(t.TempDir(), "day")
	before := time.Now()
	must.OK(t, exec.CommandContext(t.Context(), "sh", "-c", string(found[1])+" "+link).Run())
	to, err := os.Readlink(link)
	must.OK(t, err)
	day := func(at time.Time) string { return "/data/days/" + at.UTC().AddDate(0, 0, -1).Format(time.DateOnly) }
	if to != day(before) && to != day(time.Now()) {
		t.Errorf("linked to %s, want %s", to, day(before))
	}
}
