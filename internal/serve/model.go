package serve

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// Model is a classifier to serve, with its name in paths and answers. It has none if it is the only one.
type Model struct {
	Name string
	*nbsvm.Classifier
	Source Source
}

// model is a classifier in use. There is one of a name at a time; requests that have begun keep theirs.
type model struct {
	Model
	label   int64 // bytes of the longest label, as JSON
	members func(dst []byte, p *nbsvm.Prediction, classes []int) []byte
	users   sync.WaitGroup // the requests that it answers
}

// place is where the model of a name is.
type place struct {
	name  string
	mu    sync.RWMutex
	model *model
}

// current returns the models for a request, which must call done.
func current(of []*place) (models []*model, done func()) {
	for _, p := range of {
		p.mu.RLock() // the model is not let go before the request counts among its users
		models = append(models, p.model)
		p.model.users.Add(1)
		p.mu.RUnlock()
	}
	return models, func() {
		for _, m := range models {
			m.users.Done()
		}
	}
}

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

// Reload has requests answered by the model of a file, from now on, in place of the one of this name. That is closed,
// once the requests that have begun with it are answered. If there is an error, it stays.
func (s *Service) Reload(name, path string) error {
	c, of, err := Open(path)
	if err != nil {
		s.watch.reloads(name, "error").Inc()
		return err
	}
	if s.stopping.Load() { // nobody would close it
		return c.Close()
	}
	s.set(Model{name, c, of})
	s.watch.reloads(name, "ok").Inc()
	return nil
}

func (s *Service) set(of Model) {
	s.watch.loaded(of.Name).Set(float64(time.Now().Unix()))
	m := &model{Model: of, members: scoring.Members(of.Classifier)}
	for _, label := range of.Labels() {
		m.label = max(m.label, int64(len(display.AppendJSON(nil, label))))
	}
	at := s.places[slices.IndexFunc(s.places, func(p *place) bool { return p.name == of.Name })]
	at.mu.Lock()
	before := at.model
	at.model = m
	at.mu.Unlock()
	if before != nil {
		s.closing.Go(func() {
			before.users.Wait()
			_ = before.Close() // nobody needs it any more
		})
	}
}

// Close closes the classifiers, once all requests are answered. None may come afterwards.
func (s *Service) Close() (err error) {
	s.closing.Wait()
	for _, p := range s.places {
		p.model.users.Wait()
		err = errors.Join(err, p.model.Close())
	}
	return err
}
