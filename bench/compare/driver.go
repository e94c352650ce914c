package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

//go:embed liblinear_driver.c
var driverSource []byte

// buildDriver compiles the program that times LIBLINEAR's train().
func (c *comparison) buildDriver(ctx context.Context) (string, error) {
	source, driver := c.temporary("liblinear_driver.c"), c.temporary("liblinear_driver")
	if err := os.WriteFile(source, driverSource, 0o644); err != nil {
		return "", err
	}
	_, err := output(ctx, "gcc", "-O2", "-o", driver, source, "-llinear", "-lm")
	return driver, err
}

// driverSession is a running driver with a matrix loaded.
type driverSession struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	answers *bufio.Scanner
	said    bytes.Buffer
	ending  sync.Once
	failure error
	Matrix  matrixSize
}

type matrixSize struct{ Rows, Features, NonZeros int }

// solution is the driver's answer.
type solution struct {
	Seconds float64 `json:"s"`
	Passes  float64 `json:"passes"`
	Primal  float64 `json:"primal"`
	Dual    float64 `json:"dual"`
}

// gap is relative to the primal objective, as nbsvm's.
func (s solution) gap() float64 { return (s.Primal - s.Dual) / s.Primal }

func openDriver(ctx context.Context, driver, matrix string) (*driverSession, error) {
	s := &driverSession{cmd: exec.CommandContext(ctx, driver, matrix)}
	s.cmd.Stderr = &s.said
	var err error
	if s.input, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	answers, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.answers = bufio.NewScanner(answers)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if err := s.answer(&s.Matrix); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// solverOf is LIBLINEAR's -s for a loss.
var solverOf = map[string]int{"squared-hinge": 1, "hinge": 3, "logistic": 7}

// Solve trains once.
func (s *driverSession) Solve(loss string, C, eps float64) (solution, error) {
	var answer solution
	if _, err := fmt.Fprintf(s.input, "%d %g %g\n", solverOf[loss], C, eps); err != nil {
		return answer, errors.Join(err, s.Close())
	}
	err := s.answer(&answer)
	return answer, err
}

func (s *driverSession) answer(to any) error {
	if !s.answers.Scan() {
		return errors.Join(errors.New("LIBLINEAR's driver ended early"), s.answers.Err(), s.Close())
	}
	if err := json.Unmarshal(s.answers.Bytes(), to); err != nil {
		return fmt.Errorf("the driver answered %q: %w", s.answers.Bytes(), err)
	}
	return nil
}

// Close ends the driver, and says how it failed if it did.
func (s *driverSession) Close() error {
	s.ending.Do(func() {
		s.input.Close()
		if err := s.cmd.Wait(); err != nil {
			s.failure = processError(s.cmd.Args, err, &s.said)
		}
	})
	return s.failure
}
