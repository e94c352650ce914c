package recordstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// RowWriter takes rows of a Parquet file, as [AppendKept] and [AppendScored] write them, for the program that copies
// them.
type RowWriter struct {
	path    string // of the file
	command *exec.Cmd
	rows    io.WriteCloser
	gone    bool // it takes no more rows
	stderr  bytes.Buffer
	ctx     context.Context
	cancel  context.CancelFunc
}

// StartRows starts the program, which writes rows of the file at path to w; args say how.
func StartRows(ctx context.Context, args []string, path string, w io.Writer) (*RowWriter, error) {
	program, err := FindProgram()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &RowWriter{path: path}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.command = exec.CommandContext(r.ctx, program, append(append([]string{"write"}, args...), "--", path)...)
	r.command.Stdout, r.command.Stderr = w, &r.stderr
	if r.rows, err = r.command.StdinPipe(); err == nil {
		err = r.command.Start()
	}
	if err != nil {
		r.cancel()
		return nil, err
	}
	_, _ = r.Write([]byte(RowsMagic)) // the next write has the same error
	return r, nil
}

// Write takes whole rows.
func (r *RowWriter) Write(rows []byte) (int, error) {
	n, err := r.rows.Write(rows)
	r.gone = r.gone || err != nil
	return n, err
}

// Close waits until all rows are written. With an error, which it returns unless the program says why, it ends the
// program: what that has written is not whole.
func (r *RowWriter) Close(err error) error {
	defer r.cancel()
	if err == nil {
		_, err = r.Write([]byte{byte(NoMore)})
	}
	r.rows.Close() // without the end, the program fails
	ended := r.command.Wait()
	said, _, _ := strings.Cut(strings.TrimPrefix(r.stderr.String(), Program+": "), "\n")
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case ended != nil && said != "" && (err == nil || r.gone):
		return errors.New(said)
	case err == nil && ended != nil:
		return fmt.Errorf("%s: %s could not write its rows: %w", r.path, Program, ended)
	}
	return err
}
