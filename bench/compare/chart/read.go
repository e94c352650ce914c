package chart

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm/bench"
)

// ReadFiles reads all reports of the named files, each of which has one or an array of them.
func ReadFiles(paths []string) (all []*bench.Report, err error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		reports, err := readReports(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, reports...)
	}
	return all, nil
}

// readReports reads one report, or an array of them.
func readReports(text []byte) (reports []*bench.Report, err error) {
	texts := []json.RawMessage{text}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		if err := json.Unmarshal(text, &texts); err != nil {
			return nil, fmt.Errorf("not reports in JSON: %w", err)
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("the array has no reports")
	}
	for i, text := range texts {
		r, err := bench.ReadReport(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("report %d: %w", i+1, err)
		}
		reports = append(reports, r)
	}
	return reports, nil
}
