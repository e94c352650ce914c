package serve

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// model is a classifier in use. The service has one at a time; requests that have begun keep theirs.
type model struct {
	*nbsvm.Classifier
	source  Source
	label   int64 // bytes of the longest label, as JSON
	members func(dst []byte, p *nbsvm.Prediction, classes []int) []byte
	users   sync.WaitGroup // the requests that it answers
}

// current returns the model for a request, which must call done.
func (s *Service) current() (m *model) {
	s.mu.RLock() // the model is not let go before the request counts among its users
	defer s.mu.RUnlock()
	s.model.users.Add(1)
	return s.model
}

func (m *model) done() { m.users.Done() }

// Source says which model is served.
type Source struct {
	Name   string    `json:"name"`   // of the file, without its folder
	SHA256 string    `json:"sha256"` // of its bytes
	Opened time.Time `json:"opened"`
}

// Open opens a model file, and says which one it was.
func Open(path string) (c *nbsvm.Classifier, of Source, err error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, of, err
	}
	if c, err = nbsvm.Open(path); err != nil {
		return nil, of, err
	}
	run, err := outdir.NewRun([]string{path}, nil)
	after, statErr := os.Stat(path)
	if err = cmp.Or(err, statErr); err == nil && !Same(before, after) {
		err = fmt.Errorf("nbsvm: %s changes while it is opened: write a model beside it, and rename that", path)
	}
	if err != nil {
		return nil, of, errors.Join(err, c.Close())
	}
	return c, Source{filepath.Base(path), run.Model.SHA256, time.Now().UTC().Truncate(time.Millisecond)}, nil
}

// Same reports whether two files are one that has not changed, as far as can be told without reading it.
func Same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Reload has requests answered by the model of a file, from now on. The one before is closed, once the requests that
// have begun with it are answered. If there is an error, it stays.
func (s *Service) Reload(path string) error {
	c, of, err := Open(path)
	if err != nil {
		s.watch.reloads("error").Inc()
		return err
	}
	if s.stopping.Load() { // nobody would close it
		return c.Close()
	}
	s.set(c, of)
	s.watch.reloads("ok").Inc()
	return nil
}

func (s *Service) set(c *nbsvm.Classifier, of Source) {
	s.watch.loaded.Store(time.Now().Unix())
	m := &model{Classifier: c, source: of, members: scoring.Members(c)}
	for _, label := range c.Labels() {
		m.label = max(m.label, int64(len(display.AppendJSON(nil, label))))
	}
	s.mu.Lock()
	before := s.model
	s.model = m
	s.mu.Unlock()
	if before != nil {
		s.closing.Go(func() {
			before.users.Wait()
			_ = before.Close() // nobody needs it any more
		})
	}
}

// Close closes the classifier, once all requests are answered. None may come afterwards.
func (s *Service) Close() error {
	s.closing.Wait()
	s.model.users.Wait()
	return s.model.Close()
}
