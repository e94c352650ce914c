package scoring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// Columns that are added to rows of Parquet. Inputs of training have a column label often enough.
const (
	predictedColumn = "predicted"
	scoreColumn     = "score"
)

// parquetArgs are the arguments of the program that writes Parquet.
func (s *Scoring) parquetArgs() (args []string) {
	o := s.options
	label, score := predictedColumn, scoreColumn
	switch {
	case o.Records() && o.AddField == "":
		return []string{"write"}
	case o.AddField != "" && o.Label != nil:
		label, score = "", o.AddField
	case o.AddField != "":
		args, label = append(args, "--group="+o.AddField), "label"
	case o.Label != nil:
		label = ""
	}
	if s.lists {
		args = append(args, "--lists")
		if o.AddField != "" {
			label, score = "labels", "scores"
		}
	}
	if label != "" {
		args = append(args, "--label="+label)
	}
	if !o.Records() {
		args = append(args, "--all")
	}
	return append(append([]string{"write"}, args...), "--score="+score)
}

// throughParquet runs write on a program that writes a Parquet file to w, of the rows of a file.
func throughParquet(
	ctx context.Context, args []string, path string, w io.Writer, write func(io.Writer) error,
) error {
	program, err := recordstream.FindProgram()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(ctx, program, append(args, "--", path)...)
	var stderr bytes.Buffer
	command.Stdout, command.Stderr = w, &stderr
	rows, err := command.StdinPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	_, err = io.WriteString(rows, recordstream.RowsMagic)
	if err == nil {
		err = write(rows)
	}
	if err == nil {
		_, err = rows.Write([]byte{byte(recordstream.NoMore)})
	}
	rows.Close() // without the end, the program fails
	ended := command.Wait()
	said, _, _ := strings.Cut(strings.TrimPrefix(stderr.String(), recordstream.Program+": "), "\n")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ended != nil && said != "" && (err == nil || process.ReaderGone(err)):
		return errors.New(said)
	case err != nil:
		return err
	case ended != nil:
		return fmt.Errorf("%s: %s could not write its rows: %w", path, recordstream.Program, ended)
	}
	return nil
}
