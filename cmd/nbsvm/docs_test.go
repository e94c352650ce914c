package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// block is a fenced block of commands of a page.
type block struct {
	line   int // of the opening fence
	shell  string
	script string
	notRun string   // the reason why it is not run, if there is one
	output []string // lines that a fence without a language right behind it shows; "..." stands for any lines
}

var (
	fence  = regexp.MustCompile("^```(sh|bash|console)$")
	notRun = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	// took matches durations and speeds, which are not compared.
	took = regexp.MustCompile(`\d[\d.]* (s|ms|MB/s|documents/s)\b`)
)

// blocksOf finds the commands of a page. A comment on the line above a fence, which readers of the page never see,
// says why its commands can't be run. A fence without a language behind a block shows what it prints.
func blocksOf(page string) (blocks []block) {
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		found := fence.FindStringSubmatch(lines[i])
		if found == nil {
			continue
		}
		b := block{line: i + 1, shell: found[1]}
		for k := i - 1; k >= 0 && lines[k] != "" && b.notRun == ""; k-- {
			if reason := notRun.FindStringSubmatch(lines[k]); reason != nil {
				b.notRun = reason[1]
			}
		}
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			b.script += lines[i] + "\n"
		}
		next := i + 1
		for next < len(lines) && lines[next] == "" {
			next++
		}
		if next < len(lines) && lines[next] == "```" {
			for next++; next < len(lines) && lines[next] != "```"; next++ {
				b.output = append(b.output, lines[next])
			}
			i = next
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// peers are programs of pages' commands that a machine may be without, and where they come from.
var peers = map[string]string{
	"fasttext": "Debian's fasttext", "liblinear-train": "Debian's liblinear-tools", "liblinear-predict": "Debian's liblinear-tools",
	"zstdcat": "Debian's zstd", "zstd": "Debian's zstd", "curl": "Debian's curl", "go": "https://go.dev", "jq": "Debian's jq",
}

var shellWord = regexp.MustCompile(`(^|[|&;(]\s*|\s)([a-z][a-z-]*)(?:\s|$)`)

// missing is a peer that a line of commands calls and this machine lacks.
func missing(line string) string {
	code, _, _ := strings.Cut(line, " #")
	for _, word := range shellWord.FindAllStringSubmatch(code, -1) {
		// Only what begins a command is one, but no argument on these pages is named like a peer.
		if _, ok := peers[word[2]]; ok {
			if _, err := exec.LookPath(word[2]); err != nil {
				return word[2]
			}
		}
	}
	return ""
}

// corporaOfPages are what the commands of pages read: N documents of the classes, in the format that the suffix says.
var corporaOfPages = map[string][]string{
	"README.md":                     {"reviews.tsv", "new.txt", "test.tsv", "dev.tsv", "web.jsonl"},
	"docs/how-to/pack.md":           {"reviews.tsv", "jan/1.tsv", "jan/2.tsv", "feb/1.tsv", "late.tsv", "2025/1.tsv", "2025/2.tsv", "big.tsv.zst"},
	"docs/how-to/profile.md":        {"imdb.tsv"},
	"docs/how-to/train-large.md":    {"reviews.tsv", "2025/1.tsv", "2025/2.tsv"},
	"docs/how-to/update-a-model.md": {"monday.tsv", "tuesday.tsv", "wednesday.tsv"},
	"docs/how-to/serve.md":          {"reviews.tsv", "reviews.nbm", "language.tsv", "language.nbm"},
	"docs/how-to/embed.md":          {"reviews.tsv"},
	"docs/how-to/report.md":         {"reviews.tsv", "test.tsv", "reviews.nbm"},
	"docs/how-to/tune.md":           {"reviews.tsv"},
	"docs/how-to/quantize.md":       {"reviews.tsv", "dev.tsv", "reviews.nbm"},
	"docs/how-to/filter.md": {
		"web.jsonl", "web-1.jsonl", "web-2.jsonl", "web.jsonl.zst", "crawl-1.warc.wet.gz", "crawl-2.warc.wet.gz", "web/1.jsonl.zst", "web/2.jsonl.zst", "web/3.jsonl.zst",
		"quality.tsv", "quality-dev.tsv", "quality.nbm", "language.tsv", "language.nbm",
	},
	"docs/how-to/audit.md":      {"web.jsonl", "web-1.jsonl", "web-2.jsonl", "last-month.jsonl", "quality.tsv", "quality.nbm"},
	"docs/how-to/scores.md":     {"rated.jsonl", "rated-dev.jsonl", "web.jsonl", "web/1.jsonl.zst", "web/2.jsonl.zst"},
	"docs/reference/formats.md": {"wiki/1.jsonl.zst", "wiki/2.jsonl.zst", "crawl.txt", "wiki-dev.jsonl", "crawl-dev.txt"},
	"docs/tutorials/filter-a-crawl.md": {
		"web/1.jsonl.zst", "web/2.jsonl.zst", "web/3.jsonl.zst", "quality.tsv", "quality-dev.tsv",
	},
	"docs/tutorials/first-model.md":         {"sms.tsv"},
	"docs/tutorials/language-identifier.md": {"all.tsv"},
	"docs/how-to/from-fasttext.md":          {"train.ft", "test.ft", "dev.ft"},
	"docs/how-to/run-fasttext-models.md":    {"train.ft", "test.ft"},
	"docs/how-to/from-pipelines.md":         {"quality.ft", "language.ft", "web/1.jsonl.zst", "web/2.jsonl.zst", "documents/1.jsonl.gz"},
	"docs/how-to/from-liblinear.md":         {"train.svm", "test.svm"},
	"docs/how-to/from-scikit-learn.md":      {"reviews.jsonl", "reviews.tsv", "test.tsv", "new.txt"},
	"docs/how-to/wrong-labels.md":           {"reviews.tsv"},
	"docs/how-to/calibrate.md":              {"reviews.tsv", "test.tsv", "new.txt"},
	"docs/how-to/choose-a-model.md":         {"reviews.tsv", "dev.tsv"},
	"docs/how-to/from-vowpal-wabbit.md":     {"train.vw"},
	"docs/how-to/parquet.md":                {"reviews.parquet", "new.parquet", "web.parquet", "web.jsonl", "shards/1.parquet", "shards/2.parquet"},
}

// classesOfPages are the names of the classes in a file of a page.
func classesOfPages(name string) [2]string {
	switch {
	case strings.HasPrefix(name, "web"), strings.HasPrefix(name, "quality"):
		return [2]string{"bad", "good"}
	case strings.HasPrefix(name, "language"):
		return [2]string{"de", "en"}
	case name == "sms.tsv":
		return [2]string{"ham", "spam"}
	case name == "all.tsv":
		return [2]string{"fra", "spa"}
	case strings.HasSuffix(name, ".vw"):
		return [2]string{"-1", "1"}
	}
	return [2]string{"neg", "pos"}
}

// realOfPages lists the pages whose outputs are compared, with the real corpora behind the files that outputs depend
// on.
var realOfPages = map[string]map[string]string{
	"docs/tutorials/first-model.md":         {"sms.tsv": "sms-spam/all.tsv.zst"},
	"docs/tutorials/language-identifier.md": {},
	"docs/how-to/audit.md":                  {},
	"docs/how-to/scores.md":                 {},
}

// makeReal makes a file of a page from a real corpus, and reports whether there is one.
func makeReal(t *testing.T, folder, name, corpus string) bool {
	data, err := os.ReadFile(filepath.Join(os.Getenv("NBSVM_DATA"), filepath.FromSlash(corpus)))
	if os.Getenv("NBSVM_DATA") == "" || err != nil {
		t.Logf("SKIPPED: outputs are not compared, because there is no %s (NBSVM_DATA=FOLDER)", corpus)
		return false
	}
	reader, err := zstd.NewReader(bytes.NewReader(data))
	must.OK(t, err)
	defer reader.Close()
	plain, err := io.ReadAll(reader)
	must.OK(t, err)
	must.OK(t, os.WriteFile(filepath.Join(folder, name), plain, 0o600))
	return true
}

// compareOutput compares what commands printed with what a page shows, durations and speeds aside.
func compareOutput(t *testing.T, where string, shown []string, printed string) {
	t.Helper()
	printed = took.ReplaceAllString(printed, "N $1")
	rest, skip := strings.Split(strings.TrimSuffix(printed, "\n"), "\n"), true // commands before the last one print, too
	for _, line := range shown {
		if line == "..." {
			skip = true
			continue
		}
		at := slices.Index(rest, took.ReplaceAllString(line, "N $1"))
		if at < 0 || at > 0 && !skip {
			t.Errorf("%s: the output is not as shown, from %q on:\n%s", where, line, printed)
			return
		}
		rest, skip = rest[at+1:], false
	}
}

// makeCorpus makes a file of a page in a folder: documents, the same for the same name, or a model of reviews.
func makeCorpus(t *testing.T, folder, name string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	classes, from, n := classesOfPages(name), 0, 300
	if strings.Contains(name, "test") || strings.Contains(name, "dev") {
		from, n = 1000, 100
	}
	plain := osfile.TrimCompression(name)
	switch filepath.Ext(plain) {
	case ".nbm":
		training := strings.TrimSuffix(name, ".nbm") + ".tsv"
		inFolder(t, folder, "nbsvm", "train", "-q", "--model", "logistic", "-o", name, training)
		return
	case ".parquet":
		writeParquet(t, path, reviews(200), 50)
		return
	case ".svm":
		var b bytes.Buffer
		must.OK(t, writeDocuments(&b, "svmlight", n, 2))
		must.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
		return
	}
	var b bytes.Buffer
	for i := from; i < from+n; i++ {
		label, text := document(i, 2)
		label = classes[map[string]int{"cooking": 0, "sailing": 1}[label]]
		switch filepath.Ext(plain) {
		case ".tsv":
			fmt.Fprintf(&b, "%s\t%s\n", label, text)
		case ".txt":
			fmt.Fprintln(&b, text)
		case ".jsonl":
			lang := []string{"de", "en"}[i/2%2]
			if strings.HasPrefix(name, "rated") { // scores from 0 to 5, of which words tell half
				fmt.Fprintf(&b, "{\"score\":%d,\"text\":%q}\n", 3*slices.Index(classes[:], label)+i%7%3, text)
				continue
			}
			fmt.Fprintf(&b, "{\"id\":\"%s-%d\",\"url\":\"https://example.org/%d\",\"source\":%q,\"lang\":%q,\"label\":%q,\"text\":%q}\n",
				name, i, i, sourceOfPages(i), lang, label, text)
		case ".wet":
			fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://example.org/%d\r\nWARC-Record-ID: <urn:%d>\r\nWARC-Date: 2026-11-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, len(text), text)
		case ".ft":
			fmt.Fprintf(&b, "__label__%s %s\n", label, text)
		case ".vw":
			fmt.Fprintf(&b, "%s |t %s\n", label, text)
		default:
			t.Fatalf("no idea what %s is: make it in docs_test.go", name)
		}
	}
	data := b.Bytes()
	if plain != name {
		var err error
		if data, err = pressed(string(osfile.CompressionOf(name)), data); err != nil {
			t.Fatal(err)
		}
	}
	must.OK(t, os.WriteFile(path, data, 0o600))
}

// sourceOfPages is where a document comes from: a source of one class, of the other, or of both.
func sourceOfPages(i int) string {
	if i%5 > 2 {
		return "news"
	}
	return []string{"forum", "wiki"}[i%2]
}

// inFolder runs a command there and returns what it writes to standard output.
func inFolder(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = folder
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// pagesWithCommands returns the paths of README.md and of every page in docs, relative to the root.
func pagesWithCommands(t *testing.T, root string) []string {
	t.Helper()
	pages := []string{"README.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	must.OK(t, err)
	if len(pages) == 1 {
		t.Fatal("there are no pages in docs")
	}
	return pages
}

// TestDocs runs every command of README.md and of the pages in docs, page by page from top to bottom, in a folder that
// has the files that the page names. Of targets of make it asks what would be run: CI runs them as steps of its own.
// What is not run it lists. With -short, only those of README.md are run.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("the commands of pages need a Unix shell, bash among others")
	}
	must.SkipUnderRace(t)
	root, err := filepath.Abs("../..")
	must.OK(t, err)
	for _, page := range pagesWithCommands(t, root) {
		if testing.Short() && page != "README.md" {
			continue
		}
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, page))
			must.OK(t, err)
			folder, compare := t.TempDir(), realOfPages[page] != nil
			for _, name := range corporaOfPages[page] {
				switch corpus := realOfPages[page][name]; {
				case corpus == "":
					makeCorpus(t, folder, name)
				case !makeReal(t, folder, name, corpus):
					makeCorpus(t, folder, name)
					compare = false
				}
			}
			runPage(t, root, page, folder, blocksOf(string(text)), compare)
		})
	}
}

// runPage runs the blocks of a page, and compares what they print if the page's files are those that it is about.
func runPage(t *testing.T, root, page, folder string, blocks []block, compare bool) {
	t.Helper()
	ran, left := 0, 0
	lacks := "" // a program that is not here, and whose lines were left out
	for _, b := range blocks {
		lines := strings.SplitAfter(b.script, "\n")
		if b.notRun != "" {
			left++
			t.Logf("%s:%d is not run: %s", page, b.line, b.notRun)
			continue
		}
		lines = slices.DeleteFunc(lines, func(line string) bool {
			peer := missing(line)
			if peer != "" {
				left++
				lacks = peer
				t.Logf("%s:%d: SKIPPED, there is no %s here (%s): %s", page, b.line, peer, peers[peer], strings.TrimSpace(line))
			}
			return peer != ""
		})
		prelude := "set -eu\nmake() { command make --no-print-directory -n -C \"$ROOT\" \"$@\" >/dev/null; }\n"
		shell := b.shell
		if shell == "bash" {
			prelude += "set -o pipefail\n"
		} else {
			shell = "sh"
		}
		cmd := exec.CommandContext(t.Context(), shell, "-c", prelude+strings.Join(lines, ""))
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "ROOT="+root)
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil && lacks != "": // it may need what was to be made by lines that were left out
			t.Logf("%s:%d: SKIPPED, it fails without %s: %s", page, b.line, lacks, out)
			left++
			continue
		case err != nil:
			t.Errorf("%s:%d: %v\n%s%s", page, b.line, err, strings.Join(lines, ""), out)
		}
		ran++
		switch {
		case len(b.output) == 0:
		case compare:
			compareOutput(t, fmt.Sprintf("%s:%d", page, b.line), b.output, string(out))
		case realOfPages[page] == nil:
			t.Errorf("%s:%d: the output can't be compared: add the real files to realOfPages, or mark it as measured", page, b.line)
		}
	}
	if len(blocks) > 0 {
		t.Logf("%s: %d blocks of commands run; %d blocks or lines left out", page, ran, left)
	}
}

var (
	// figures matches accuracies, times, speeds and sizes as pages write what was measured.
	figures = regexp.MustCompile(`\d\.\d+ ?(%|s\b|x\b)|\| *\**\d+\.\d+|\d (ms|ns|µs|s|MB/s|GB/s) `)
	// dated matches the sentence that says when and how figures were measured.
	dated  = regexp.MustCompile("(?s)[Mm]easured\\s+(on|from|between)\\s+\\d{1,2}.{0,30}20\\d\\d.*`")
	fenced = regexp.MustCompile("(?ms)^```.*?^```$")
)

// unmeasured lists pages whose figures are limits, defaults and examples.
var unmeasured = []string{
	"docs/how-to/clusters.md", "docs/how-to/serve.md",
	"docs/reference/commands.md", "docs/reference/stability.md", "docs/reference/training-options.md",
}

// TestDocsFigures asks every page with figures when and with what command they were measured.
func TestDocsFigures(t *testing.T) {
	must.SkipUnderRace(t)
	root, err := filepath.Abs("../..")
	must.OK(t, err)
	for _, page := range append(pagesWithCommands(t, root), "python/README.md") {
		data, err := os.ReadFile(filepath.Join(root, page))
		must.OK(t, err)
		text := fenced.ReplaceAllString(string(data), "")
		at := figures.FindStringIndex(text)
		switch is := slices.Contains(unmeasured, page); {
		case at == nil && is:
			t.Errorf("%s has no figures: remove it from unmeasured", page)
		case at != nil && !is && !dated.MatchString(text):
			t.Errorf("%s has figures, as in %q, but does not say on which date and with what command they were measured",
				page, strings.TrimSpace(text[max(at[0]-40, 0):min(at[1]+20, len(text))]))
		}
	}
}

// spans are the commands within sentences and tables.
var (
	spans       = regexp.MustCompile("`(nbsvm [^`]*)`")
	flagsOfSpan = regexp.MustCompile(`(?:^|\s)--([a-z-]+)`)
)

// TestDocsFlags asks the help of every command that a page mentions in a sentence for the flags that are mentioned
// with it.
func TestDocsFlags(t *testing.T) {
	must.SkipUnderRace(t)
	root, err := filepath.Abs("../..")
	must.OK(t, err)
	helps := map[string]string{}
	ofAll := inFolder(t, root, "nbsvm", "help")
	for _, page := range append(pagesWithCommands(t, root), "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(filepath.Join(root, page))
		must.OK(t, err)
		for _, span := range spans.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(span[1])
			name := words[1]
			if !regexp.MustCompile(`^[a-z]+$`).MatchString(name) {
				continue
			}
			command := []string{"nbsvm", name}
			if name == "bench" && len(words) > 2 {
				command = append(command, strings.FieldsFunc(words[2], func(r rune) bool { return r == '|' || r == ',' })[0])
			}
			key := strings.Join(command, " ")
			if helps[key] == "" {
				helps[key] = inFolder(t, root, append(command, "--help")...)
			}
			for _, flag := range flagsOfSpan.FindAllStringSubmatch(span[1], -1) {
				if !strings.Contains(helps[key]+ofAll, "--"+flag[1]) {
					t.Errorf("%s: `%s`: %s has no --%s", page, span[1], key, flag[1])
				}
			}
		}
	}
}

var (
	linkOfPage    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingOfPage = regexp.MustCompile(`^#{1,6} +(.+)$`)
	linkText      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInAnchor   = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	wordlessImage = regexp.MustCompile(`!\[\s*\]\([^)]*\)|<img\b[^>]*>`)
)

// prose returns the lines of a page outside of code blocks.
func prose(page string) (lines []string) {
	inCode := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		} else if !inCode {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// anchorsOf returns the anchors that GitHub gives to the headings of a page.
func anchorsOf(page string) map[string]bool {
	anchors, seen := map[string]bool{}, map[string]int{}
	for _, line := range prose(page) {
		heading := headingOfPage.FindStringSubmatch(line)
		if heading == nil {
			continue
		}
		text := strings.ToLower(linkText.ReplaceAllString(heading[1], "$1"))
		anchor := strings.ReplaceAll(notInAnchor.ReplaceAllString(text, ""), " ", "-")
		if n := seen[anchor]; n > 0 {
			anchors[fmt.Sprintf("%s-%d", anchor, n)] = true
		}
		seen[anchor]++
		anchors[anchor] = true
	}
	return anchors
}

// TestDocsLinks follows every relative link of the pages: the file must exist and have the heading that is meant. A
// picture must have a text for those who can't see it.
func TestDocsLinks(t *testing.T) {
	must.SkipUnderRace(t)
	root, err := filepath.Abs("../..")
	must.OK(t, err)
	read := func(page string) string {
		text, err := os.ReadFile(filepath.Join(root, page))
		must.OK(t, err)
		return string(text)
	}
	for _, page := range append(pagesWithCommands(t, root), "CONTRIBUTING.md", "CHANGELOG.md", "python/README.md") {
		text := strings.Join(prose(read(page)), "\n")
		for _, image := range wordlessImage.FindAllString(text, -1) {
			t.Errorf("%s has a picture without a text: %s; write ![what it shows](FILE)", page, image)
		}
		for _, link := range linkOfPage.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(link[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: there is no such file", page, link[1])
			} else if anchor != "" && strings.HasSuffix(target, ".md") && !anchorsOf(read(target))[anchor] {
				t.Errorf("%s links to %s: the page has no such heading", page, link[1])
			}
		}
	}
}

// TestDocsIndex asks that docs/README.md, the index of the manual, links to every other page of it.
func TestDocsIndex(t *testing.T) {
	root, err := filepath.Abs("../..")
	must.OK(t, err)
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	must.OK(t, err)
	for _, page := range pagesWithCommands(t, root) {
		name, isInDocs := strings.CutPrefix(page, "docs/")
		if isInDocs && name != "README.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/README.md does not link to %s", name)
		}
	}
}
