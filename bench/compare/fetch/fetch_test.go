package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packedTar is a compressed archive of names and contents in turn.
func packedTar(t *testing.T, namesAndContents ...string) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for i := 0; i < len(namesAndContents); i += 2 {
		name, content := namesAndContents[i], namesAndContents[i+1]
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	archive.Close()
	zipped.Close()
	return out.String()
}

// TestFetch fetches small sets in the forms of their authors from a server of its own.
func TestFetch(t *testing.T) {
	served := map[string]string{
		"/imdb.tar.gz": packedTar(t, "aclImdb/train/pos/0_9.txt", "a\tlovely\nfilm", "aclImdb/train/neg/0_2.txt", "dull",
			"aclImdb/train/unsup/0_0.txt", "who knows", "aclImdb/test/pos/1_8.txt", "fine", "aclImdb/README", "read me"),
		"/train_5500.label": "DESC:manner How is caf\xe9 written ?\n", "/TREC_10.label": "NUM:dist How far ?\n",
		"/rt.tar.gz": packedTar(t, "data/rt-polarity.pos", "good\nfine\n", "data/rt-polarity.neg", "bad\n", "data/rt-polaritydata.README", "x"),
		"/train.csv": "text,category\n\"Where, please?\",card\n", "/test.csv": "text,category\nHow?,pin\n",
		"/a9a": "-1 3:1\n", "/a9a.t": "+1 4:1\n",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served[r.URL.Path] == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(served[r.URL.Path]))
	}))
	defer server.Close()
	addresses := map[string]string{
		"imdb": "/imdb.tar.gz", "trec": "/train_5500.label /TREC_10.label", "rt-polarity": "/rt.tar.gz",
		"banking77": "/train.csv /test.csv", "libsvm": "/a9a /a9a.t",
	}
	want := map[string]string{
		"imdb/train.tsv": "pos\ta lovely film\nneg\tdull\n", "imdb/test.tsv": "pos\tfine\n",
		"trec/train.tsv": "DESC\tHow is café written ?\n", "trec/test.tsv": "NUM\tHow far ?\n",
		"rt-polarity/all.tsv": "pos\tgood\npos\tfine\nneg\tbad\n",
		"banking77/train.tsv": "card\tWhere, please?\n", "banking77/test.tsv": "pin\tHow?\n",
		"libsvm/a9a": "-1 3:1\n", "libsvm/a9a.t": "+1 4:1\n",
	}
	var local []source
	for _, s := range sources {
		s.urls = nil
		for _, address := range strings.Fields(addresses[s.set]) {
			s.urls = append(s.urls, server.URL+address)
		}
		lines := map[string]int{}
		for name := range s.lines {
			lines[name] = strings.Count(want[s.set+"/"+name], "\n")
		}
		s.lines = lines
		local = append(local, s)
	}
	said, folder := new(bytes.Buffer), t.TempDir()
	if !fetchAll(t.Context(), local, folder, said) {
		t.Errorf("%s", said)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, want %q, %v", name, got, text, err)
		}
	}
	said.Reset()
	if !fetchAll(t.Context(), local, folder, said) || said.Len() > 0 {
		t.Errorf("what is there was fetched again: %s", said)
	}

	for k := range local { // what has changed, or is no longer there, leaves nothing behind
		said.Reset()
		changed, other := local[k], t.TempDir()
		changed.lines = map[string]int{"train.tsv": 7}
		for name := range local[k].lines {
			changed.lines[name] = 9
		}
		gone := local[k]
		gone.urls = []string{server.URL + "/gone"}
		complete := fetchAll(t.Context(), []source{changed, gone}, other, said)
		if text := said.String(); !strings.Contains(text, "documents are map[") || !strings.Contains(text, "404 Not Found") || complete {
			t.Errorf("%s", text)
		}
		if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}
