// Command fetch fetches labelled corpora that their authors let anyone have, in the form that make compare and make
// imdb read: folders with train.tsv and test.tsv, or all.tsv, of label<TAB>text.
//
//	fetch FOLDER
package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// source is where a set comes from, and how it becomes the files of a folder.
type source struct {
	set  string
	urls []string
	read func(url string, body io.Reader, add func(file, line string)) error
	// How many lines the files then have. Others mean that the source has changed.
	lines map[string]int
}

// sources are the sets that their authors let anyone fetch.
var sources = []source{
	{
		"imdb",
		[]string{"https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"},
		readIMDB,
		map[string]int{"train.tsv": 25000, "test.tsv": 25000},
	},
	{
		"trec",
		[]string{"https://cogcomp.seas.upenn.edu/Data/QA/QC/train_5500.label", "https://cogcomp.seas.upenn.edu/Data/QA/QC/TREC_10.label"},
		readTREC,
		map[string]int{"train.tsv": 5452, "test.tsv": 500},
	},
	{
		"rt-polarity",
		[]string{"https://www.cs.cornell.edu/people/pabo/movie-review-data/rt-polaritydata.tar.gz"},
		readPolarity,
		map[string]int{"all.tsv": 10662},
	},
	{
		"banking77",
		[]string{
			"https://raw.githubusercontent.com/PolyAI-LDN/task-specific-datasets/master/banking_data/train.csv",
			"https://raw.githubusercontent.com/PolyAI-LDN/task-specific-datasets/master/banking_data/test.csv",
		},
		readBanking,
		map[string]int{"train.tsv": 10003, "test.tsv": 3080},
	},
	{
		"libsvm",
		[]string{"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a", "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/a9a.t"},
		func(url string, body io.Reader, add func(file, line string)) error {
			return eachLine(body, func(line string) { add(path.Base(url), line) })
		},
		map[string]int{"a9a": 32561, "a9a.t": 16281},
	},
}

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "Usage: fetch FOLDER")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := 0
	if !fetchAll(ctx, sources, os.Args[1], os.Stderr) {
		code = 1
	}
	stop()
	os.Exit(code)
}

// fetchAll fetches the sets that the folder does not have yet, and says whether it has all of them then.
func fetchAll(ctx context.Context, sources []source, folder string, log io.Writer) bool {
	all := true
	for _, s := range sources {
		if err := s.fetch(ctx, filepath.Join(folder, s.set), log); err != nil {
			fmt.Fprintf(log, "%s is left out: %v\n", s.set, err)
			all = false
		}
	}
	return all
}

func (s *source) fetch(ctx context.Context, folder string, log io.Writer) error {
	names := slices.Sorted(maps.Keys(s.lines))
	if !slices.ContainsFunc(names, func(name string) bool { _, err := os.Stat(filepath.Join(folder, name)); return err != nil }) {
		return nil
	}
	files, lines := map[string]*bytes.Buffer{}, map[string]int{}
	for _, name := range names {
		files[name] = new(bytes.Buffer)
	}
	for _, url := range s.urls {
		fmt.Fprintf(log, "fetching %s\n", url)
		err := get(ctx, url, func(body io.Reader) error {
			return s.read(url, body, func(file, line string) {
				if lines[file]++; files[file] != nil {
					files[file].WriteString(line + "\n")
				}
			})
		})
		if err != nil {
			return fmt.Errorf("%s: %w", url, err)
		}
	}
	if !maps.Equal(lines, s.lines) {
		return fmt.Errorf("documents are %v, and were %v", lines, s.lines)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		if err := osfile.WriteFile(filepath.Join(folder, name), func(w io.Writer) error { _, err := w.Write(files[name].Bytes()); return err }); err != nil {
			return err
		}
	}
	return nil
}

// get reads what a server has at an address.
func get(ctx context.Context, url string, read func(io.Reader) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server says %s", response.Status)
	}
	return read(response.Body)
}

// labelled is a line of a set; white space in the text becomes blanks.
func labelled(label, text string) string {
	return label + "\t" + strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(text)
}

// readIMDB reads an archive of files such as aclImdb/train/pos/0_9.txt.
func readIMDB(_ string, body io.Reader, add func(file, line string)) error {
	return eachFile(body, func(name string, content io.Reader) error {
		part, label := path.Base(path.Dir(path.Dir(name))), path.Base(path.Dir(name))
		if label != "pos" && label != "neg" || path.Ext(name) != ".txt" {
			return nil
		}
		text, err := io.ReadAll(content)
		add(part+".tsv", labelled(label, string(text)))
		return err
	})
}

// readPolarity reads an archive with rt-polarity.pos and rt-polarity.neg, a sentence a line.
func readPolarity(_ string, body io.Reader, add func(file, line string)) error {
	return eachFile(body, func(name string, content io.Reader) error {
		label, ok := strings.CutPrefix(path.Base(name), "rt-polarity.")
		if !ok {
			return nil
		}
		return eachLine(content, func(line string) { add("all.tsv", labelled(label, fromLatin1(line))) })
	})
}

// readTREC reads lines of LABEL:detail question.
func readTREC(url string, body io.Reader, add func(file, line string)) error {
	file := "train.tsv"
	if strings.Contains(url, "TREC_10") {
		file = "test.tsv"
	}
	return eachLine(body, func(line string) {
		label, question, _ := strings.Cut(fromLatin1(line), " ")
		label, _, _ = strings.Cut(label, ":")
		add(file, labelled(label, question))
	})
}

// readBanking reads CSV with the columns text and category.
func readBanking(url string, body io.Reader, add func(file, line string)) error {
	rows, err := csv.NewReader(body).ReadAll()
	for i, row := range rows {
		if i > 0 && len(row) == 2 {
			add(strings.TrimSuffix(path.Base(url), ".csv")+".tsv", labelled(row[1], row[0]))
		}
	}
	return err
}

// eachFile calls with each file of a compressed archive.
func eachFile(body io.Reader, with func(name string, content io.Reader) error) error {
	unpacked, err := gzip.NewReader(body)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unpacked)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag == tar.TypeReg {
			if err := with(header.Name, archive); err != nil {
				return err
			}
		}
	}
}

func eachLine(body io.Reader, with func(line string)) error {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		with(lines.Text())
	}
	return lines.Err()
}

// fromLatin1 is a text of ISO 8859-1 as UTF-8.
func fromLatin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}
