package serve

import (
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/job/render"
)

// model is a classifier in use. The service has one at a time; requests that have begun keep theirs.
type model struct {
	*nbsvm.Classifier
	members func(dst []byte, p *nbsvm.Prediction, classes []int) []byte
	users   sync.WaitGroup // the requests that it answers
}

// current is the model for a request, which must call done.
func (s *Service) current() (m *model) {
	s.mu.RLock() // the model is not let go before the request counts among its users
	defer s.mu.RUnlock()
	s.model.users.Add(1)
	return s.model
}

func (m *model) done() { m.users.Done() }

// Reload has requests answered by the classifier that open returns, from now on. The one before is closed, once the
// requests that have begun with it are answered. If there is an error, it stays.
func (s *Service) Reload(open func() (*nbsvm.Classifier, error)) error {
	c, err := open()
	if err != nil {
		s.watch.reloads("error").Inc()
		return err
	}
	s.set(c)
	s.watch.reloads("ok").Inc()
	return nil
}

func (s *Service) set(c *nbsvm.Classifier) {
	s.watch.loaded.Store(time.Now().Unix())
	m := &model{Classifier: c, members: render.Members(c)}
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
