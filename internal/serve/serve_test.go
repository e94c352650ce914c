package serve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// limits fills in those of nbsvm serve where a test has none of its own.
func limits(o Options) Options {
	o.MaxBody, o.MaxTexts = cmp.Or(o.MaxBody, 16<<20), cmp.Or(o.MaxTexts, 10_000)
	o.Timeout, o.InFlight = cmp.Or(o.Timeout, 30*time.Second), cmp.Or(o.InFlight, 256<<20)
	return o
}

// one has a classifier alone.
func one(c *nbsvm.Classifier) []Model { return []Model{{Classifier: c}} }

// trained is a classifier of a few lines, with probabilities.
func trained(t testing.TB, lines string, changes ...func(*nbsvm.Options)) *nbsvm.Classifier {
	t.Helper()
	o := nbsvm.DefaultOptions()
	o.MinDF, o.Loss = 1, "logistic"
	for _, change := range changes {
		change(&o)
	}
	in := corpus.Input{Stdin: strings.NewReader(lines), Format: corpus.TSV}
	if strings.Contains(lines, ":") {
		in.Format = corpus.SVMLight
	}
	c, _, err := nbsvm.Train(context.Background(), in, o)
	must.OK(t, err)
	return c
}

const reviews = "good\ta lovely film\ngood\tlovely and warm\nbad\ta dull film\nbad\tdull and boring\n\"odd\"\tsomething else\n"

// ask sends a request and returns the status and the answer.
func ask(t testing.TB, server *httptest.Server, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	must.OK(t, err)
	answer, err := server.Client().Do(r)
	must.OK(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must.OK(t, err)
	if kind := answer.Header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("%s %s is of type %s", method, path, kind)
	}
	return answer.StatusCode, string(text)
}

// answered is what a client reads.
type answered struct {
	Labels        []string           `json:"labels"`
	Probabilities map[string]float64 `json:"probabilities"`
}

// TestPredict: what is answered is what the classifier predicts, of one text and of many.
func TestPredict(t *testing.T) {
	c := trained(t, reviews)
	server := httptest.NewServer(New(one(c), limits(Options{})))
	defer server.Close()
	texts := []string{"a lovely film", "boring", "", "something \u2028 \x00 else", "\U0001f600"}
	body, err := json.Marshal(map[string]any{"texts": texts, "top": 3})
	must.OK(t, err)
	status, text := ask(t, server, http.MethodPost, "/predict", string(body))
	var many struct{ Predictions []answered }
	if err := json.Unmarshal([]byte(text), &many); err != nil || status != http.StatusOK || len(many.Predictions) != len(texts) {
		t.Fatalf("%d, %v: %s", status, err, text)
	}
	for k, text := range texts {
		want, err := c.Predict([]byte(text))
		must.OK(t, err)
		body, err := json.Marshal(map[string]any{"text": text})
		must.OK(t, err)
		status, reply := ask(t, server, http.MethodPost, "/predict", string(body))
		var one answered
		if err := json.Unmarshal([]byte(reply), &one); err != nil || status != http.StatusOK {
			t.Fatalf("%d, %v: %s", status, err, reply)
		}
		label := c.Labels()[want.Labels[0]]
		if one.Labels[0] != label || len(one.Probabilities) != 1 || many.Predictions[k].Labels[0] != label {
			t.Errorf("%q: %s, and %v, want %s", text, reply, many.Predictions[k], label)
		}
		for class, score := range want.Scores {
			if got := many.Predictions[k].Probabilities[c.Labels()[class]]; fmt.Sprintf("%.5g", got) != fmt.Sprintf("%.5g", score) {
				t.Errorf("%q has %s %v, want %v", text, c.Labels()[class], got, score)
			}
		}
	}
}

// TestBytes: an answer has the bytes of a row of score --json.
func TestBytes(t *testing.T) {
	c := trained(t, "<a>\ta lovely film\n<a>\tlovely and warm\nb&c\ta dull film\nb&c\tdull and boring\n")
	server := httptest.NewServer(New(one(c), limits(Options{})))
	defer server.Close()
	var row bytes.Buffer
	if _, err := c.Score(t.Context(), corpus.Input{Stdin: strings.NewReader("dull\n"), Format: corpus.Lines, Unlabelled: true},
		nbsvm.ScoreOptions{}, scoring.Rows["jsonl"](&scoring.Row{Of: []scoring.Shown{{Model: scoring.Model{Classifier: c}, Least: math.Inf(-1)}}}), &row); err != nil {
		t.Fatal(err)
	}
	if _, got := ask(t, server, http.MethodPost, "/predict", `{"text": "dull"}`); got != row.String() {
		t.Errorf("%s, want %s", got, &row)
	}
}

func TestPages(t *testing.T) {
	server := httptest.NewServer(New(one(trained(t, reviews)), limits(Options{MaxBody: 200, MaxTexts: 3})))
	defer server.Close()
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/model", "", 200, `"labels":["\"odd\"","bad","good"],"scores":"probabilities"`},
		{"POST", "/predict", `{"texts":[]}`, 200, `{"predictions":[]}`},
		{"POST", "/predict", `{"text":"lovely","top":1}`, 200, `{"labels":["good"],"probabilities":{"good":0.`},
		{"POST", "/explain", `{"text":"lovely","top":1}`, 200, `"contributions":[{"name":"lovely",`},
		{"POST", "/explain", `{"text":""}`, 200, `"contributions":[],"others":0,"others_margin":0,"parts":[]`},
		{"POST", "/explain", `{"texts":["a"]}`, 400, `one text is explained at a time`},
		{"POST", "/explain", `{`, 400, `unexpected end of JSON input`},
		{"GET", "/predict", "", 405, "takes POST"},
		{"POST", "/healthz", "", 405, "takes GET"},
		{"GET", "/nowhere", "", 404, "POST /predict"},
		{"POST", "/predict", "", 400, `the request must be a JSON object such as {\"text\": \"…\"} or {\"texts\": [\"…\"], \"top\": 3}: it is empty`},
		{"POST", "/predict", `{"text" "a"}`, 400, `invalid character '\"' after object key (byte 9)`},
		{"POST", "/predict", "lovely", 400, `: invalid character 'l'`},
		{"POST", "/predict", "[1]", 400, `the request must not be of JSON type array`},
		{"POST", "/predict", `{"text":1}`, 400, `\"text\" must not be of JSON type number: \"text\" is a string`},
		{"POST", "/predict", `{"texts":"a"}`, 400, `\"texts\" must not be of JSON type string`},
		{"POST", "/predict", `{"texts":["a",1]}`, 400, `\"texts\" must not be of JSON type number`},
		{"POST", "/predict", `{"text":"a","top":1.5}`, 400, `\"top\" must not be of JSON type number 1.5`},
		{"POST", "/predict", `{"txt":"a"}`, 400, `either`},
		{"POST", "/predict", `{"text":"lovely","model":"m","user":{"a":[1]}}`, 200, `{"labels":["good"]`},
		{"POST", "/predict", `{"id":"7","text":"lovely"}`, 200, `{"id":"7","labels":["good"],"probabilities":{"good":0.`},
		{"POST", "/predict", `{"id":{"a": [1]},"texts":["lovely"]}`, 200, `{"id":{"a": [1]},"predictions":[{"labels":["good"]`},
		{"POST", "/predict", `{"id":null,"texts":[]}`, 200, `{"id":null,"predictions":[]}`},
		{"POST", "/explain", `{"id":1e400,"text":"lovely"}`, 200, `{"id":1e400,"label":"good"`},
		{"POST", "/predict", `{}`, 400, `either`},
		{"POST", "/predict", `null`, 400, `either`},
		{"POST", "/predict", `{"text":"lovely","text":"dull"}`, 400, `it has \"text\" twice`},
		{"POST", "/predict", `{"text":"lovely","Text":"dull","TOP":-1}`, 200, `{"labels":["good"]`},
		{"POST", "/predict", `{ "x" : [{"a":"]\\"},-1e5] , "\u0074ext" : "lovely" }`, 200, `{"labels":["good"]`},
		{"POST", "/predict", `{"texts" : [ "dull" , "l\u006fvely\\" ] , "x":"\""}`, 200, `{"predictions":[{"labels":["bad"],`},
		{"POST", "/predict", `{"texts":["a",{"b":["c"]}]}`, 400, `\"texts\" must not be of JSON type object`},
		{"POST", "/predict", "\ufeff" + `{"text":"lovely"}`, 200, `{"labels":["good"]`},
		{"POST", "/predict", "{\"text\":\"caf\xe9\"}", 400, `is not UTF-8, as JSON must be: byte 13 is 0xe9, in \"{\\\"text\\\":\\\"caf\\xe9\\\"}\"`},
		{"POST", "/explain", `{"text":"` + strings.Repeat("\ufffd", 16) + `"}`, 400, `U+FFFD`},
		{"POST", "/predict", `{"text":"a","texts":["a"]}`, 400, `either`},
		{"POST", "/predict", `{"text":"a"} {}`, 400, `after top-level value (byte 14)`},
		{"POST", "/predict", `{"text":"a"`, 400, `: unexpected end of JSON input (byte 11)`},
		{"POST", "/predict", `{"text":"a","top":-1}`, 400, `\"top\" must be 1 or more, got -1`},
		{"POST", "/predict", `{"texts":["a",null]}`, 400, "text 2 is null"},
		{"POST", "/predict", `{"texts":["a","b","c","d"]}`, 413, "at most 3 at a time"},
		{"POST", "/predict", `{"text":"` + strings.Repeat("a", 200) + `"}`, 413, "more than 200 bytes"},
		{"POST", "/predict", `{"text":"a"}` + strings.Repeat(" ", 200), 413, "more than 200 bytes"},
	} {
		if status, text := ask(t, server, test.method, test.path, test.body); status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s %s %.40s: %d %s, want %d and %s", test.method, test.path, test.body, status, text, test.status, test.want)
		}
	}
}

// TestFeatures: ready-made features that can't be read are the client's fault.
func TestFeatures(t *testing.T) {
	server := httptest.NewServer(New(one(trained(t, "a 1:1 2:1\nb 2:1 3:1\na 1:2\nb 3:1\n")), limits(Options{})))
	defer server.Close()
	if status, text := ask(t, server, http.MethodPost, "/predict", `{"text":"3:1"}`); status != 200 || !strings.Contains(text, `"labels":["b"]`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := ask(t, server, http.MethodPost, "/explain", `{"text":"3:1"}`); status != 400 || !strings.Contains(text, "no text to explain") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := ask(t, server, http.MethodPost, "/predict", `{"texts":["3:1","words"]}`); status != 400 || !strings.Contains(text, "text 2") {
		t.Errorf("%d %s", status, text)
	}
}

// TestRequestsWait: no more requests than allowed are answered at a time, and those that wait too long are told so.
func TestRequestsWait(t *testing.T) {
	server := httptest.NewServer(New(one(trained(t, reviews)), limits(Options{InFlight: 1, Timeout: 200 * time.Millisecond})))
	defer server.Close()
	reader, writer := io.Pipe() // a client that does not send what it has begun
	var wait sync.WaitGroup
	wait.Go(func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/predict", reader)
		if err != nil {
			t.Error(err)
			return
		}
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		answer.Body.Close()
	})
	if _, err := io.WriteString(writer, `{"text":`); err != nil {
		t.Fatal(err)
	}
	for ended := time.Now().Add(10 * time.Second); ; {
		status, text := ask(t, server, http.MethodPost, "/predict", `{"text":"lovely"}`)
		if status == http.StatusServiceUnavailable && strings.Contains(text, "busy with requests that take 1 bytes") {
			break
		}
		if time.Now().After(ended) { // the first may come late
			t.Fatalf("%d %s", status, text)
		}
	}
	if _, err := io.WriteString(writer, `"boring"}`); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	wait.Wait()
	if status, _ := ask(t, server, http.MethodPost, "/predict", `{"text":"lovely"}`); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
}

// TestConnections: a client that sends nothing more, too much, or what it has compressed gets an answer that says so.
func TestConnections(t *testing.T) {
	const size = 8 << 20
	o := limits(Options{InFlight: size, Timeout: 500 * time.Millisecond})
	service := New(one(trained(t, reviews)), o)
	server := httptest.NewUnstartedServer(nil)
	server.Config = Server(service, o)
	server.Start()
	defer server.Close()
	for _, test := range []struct {
		headers, body string
		length        int
		others        int64 // bytes that other requests take
		status        int
		want          string
	}{
		{"", `{"text":"a`, 100, 0, 503, "did not arrive within 500ms"},
		{"Content-Encoding: gzip\r\n", "\x1f\x8b\x08", 3, 0, 400, `Content-Encoding \"gzip\": send it as it is`},
		{"", `{"text":"a"}`, 12, size, 503, "the server is busy"},
		{"Expect: 100-continue\r\n", "", size, size, 503, "the server is busy"},
	} {
		must.OK(t, service.room.Acquire(t.Context(), test.others))
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		must.OK(t, err)
		if _, err := fmt.Fprintf(c, "POST /predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n%s",
			test.length, test.headers, test.body); err != nil {
			t.Errorf("%s: the client can't send it: %v", test.want, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%s: %v", test.want, err)
			continue
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != test.status || !strings.Contains(string(text), test.want) {
			t.Errorf("%d %s, %v, want %d and %s", answer.StatusCode, text, err, test.status, test.want)
		}
		if again := answer.Header.Get("Retry-After"); (again == "1") != (test.status == http.StatusServiceUnavailable) {
			t.Errorf("%s: Retry-After %q", test.want, again)
		}
		c.Close()
		service.room.Release(test.others)
	}
}

// FuzzPredict: whatever is sent, the answer is JSON and of a status that is meant.
func FuzzPredict(f *testing.F) {
	handler := New(one(trained(f, reviews)), limits(Options{MaxBody: 1 << 16}))
	for _, seed := range []string{`{"text":"lovely"}`, `{"texts":["a",""],"top":2}`, `{"text":"\ud800"}`, `[`, "\xff", `{"id":[{"a":"\\"}, 1],"texts":[null]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(body)))
		if !json.Valid(w.Body.Bytes()) || w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// TestLongText: a text that takes longer than a request may is refused in time, with an answer in JSON.
func TestLongText(t *testing.T) {
	server := httptest.NewServer(New(one(trained(t, reviews)), limits(Options{Timeout: 30 * time.Millisecond, Threads: 1})))
	defer server.Close()
	var text strings.Builder
	for n := 0; text.Len() < 15<<20; n++ {
		fmt.Fprintf(&text, "w%d ", n%100_003)
	}
	begun := time.Now()
	status, answer := ask(t, server, http.MethodPost, "/predict", `{"text":"`+text.String()+`"}`)
	if status != http.StatusServiceUnavailable || !strings.Contains(answer, "30ms") {
		t.Errorf("%d %.200s", status, answer)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the answer took %v", took)
	}
}

// TestManyEmptyTexts: texts are counted before they take memory. A request of empty texts took 20 times its bytes.
func TestManyEmptyTexts(t *testing.T) {
	s := New(one(trained(t, reviews)), limits(Options{}))
	body := `{"texts":["",` + strings.Repeat(`"",`, 4<<20/3) + `""]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(body)))
	runtime.ReadMemStats(&after)
	if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "has more than 10000 texts") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 48<<20 {
		t.Errorf("a request of 4 MiB took %d MiB", took>>20)
	}
}
