package nbsvm_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
)

// Any number of goroutines may share a classifier.
func ExampleClassifier_Classify_goroutines() {
	c := trained()
	texts := []string{"a lovely story", "boring", "wonderful music", "dreadful jokes"}
	labels := make([]string, len(texts))
	var wg sync.WaitGroup
	for k, text := range texts {
		wg.Go(func() {
			label, _, err := c.Classify(text)
			if err != nil {
				log.Fatal(err)
			}
			labels[k] = label
		})
	}
	wg.Wait()
	fmt.Println(labels)
	// Output: [good bad good bad]
}

// A scorer allocates no memory per text. Give each goroutine its own.
func ExampleClassifier_NewScorer() {
	c := trained()
	texts := make(chan string)
	counts := make([]int, len(c.Labels()))
	var mutex sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			scorer, err := c.NewScorer()
			if err != nil {
				log.Fatal(err)
			}
			for text := range texts {
				p, err := scorer.Predict([]byte(text)) // p is valid until the next call
				if err != nil {
					log.Fatal(err)
				}
				mutex.Lock()
				counts[p.Labels[0]]++
				mutex.Unlock()
			}
		})
	}
	for _, text := range []string{"a lovely story", "boring", "wonderful music"} {
		texts <- text
	}
	close(texts)
	wg.Wait()
	fmt.Println(c.Labels(), counts)
	// Output: [bad good] [1 2]
}

// classify returns a handler that answers a text with its label.
func classify(c *nbsvm.Classifier) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		label, _, err := c.Classify(string(text))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, label)
	})
}

// Serve predictions over HTTP. The handler reads at most a mebibyte, and answers within a second or not at all.
func ExampleClassifier_Classify_http() {
	c := trained()
	server := httptest.NewServer(http.TimeoutHandler(classify(c), time.Second, "timeout")) // or http.Server
	defer server.Close()

	answer, err := http.Post(server.URL, "text/plain", strings.NewReader("a lovely and funny story"))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	label, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(answer.Status, ": ", string(label))
	// Output: 200 OK: good
}
