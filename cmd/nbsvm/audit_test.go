package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/audit"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// audited is the report that audit prints.
func audited(t *testing.T, args ...string) (r audit.Report) {
	t.Helper()
	must.OK(t, json.Unmarshal([]byte(output(t, append([]string{"audit", "-q", "--json"}, args...)...)), &r))
	return r
}

// TestAuditThreshold: score keeps as many documents from the threshold of audit on as audit says, whatever the scores
// are and in whichever format they are written.
func TestAuditThreshold(t *testing.T) {
	must.SkipUnderRace(t)
	in := withModel(t)
	t.Chdir(in.in("."))
	for name, format := range map[string]string{"new.jsonl": "jsonl", "train.tsv": "tsv"} {
		var text bytes.Buffer
		must.OK(t, writeDocuments(&text, format, 400, 2))
		in.write(name, text.Bytes())
	}
	output(t, "train", "-q", "--min-df", "1", "--model", "logistic", "-o", "p.nbm", "train.tsv")
	output(t, "train", "-q", "--min-df", "1", "--model", "svm", "-o", "margins.nbm", "train.tsv")
	for _, test := range []struct{ model, label, score string }{
		{"p.nbm", "sailing", "p"}, {"margins.nbm", "cooking", "margin"},
	} {
		for _, format := range []string{"csv", "jsonl"} {
			rows := "rows." + format
			output(t, "score", "-q", "--label", test.label, "--id-field", "id", "--output-format", format, "-o", rows, test.model, "new.jsonl")
			for _, share := range []string{"0.0025", "0.1", "0.333", "0.5", "1"} {
				found := audited(t, "--keep-share", share, rows).Threshold
				where := fmt.Sprintf("%s >= %v", test.score, found.Threshold)
				kept := output(t, "score", "-q", "--label", test.label, "--where", where, test.model, "new.jsonl")
				if n := int64(bytes.Count([]byte(kept), []byte("\n"))); n != found.Kept || n < found.Wanted {
					t.Errorf("%s, %s of %s: score --where '%s' keeps %d, audit %d of %d", format, share, test.model, where, n, found.Kept, found.Wanted)
				}
			}
		}
	}
}

// TestAuditParquet: rows of Parquet give the same figures as rows of CSV.
func TestAuditParquet(t *testing.T) {
	must.SkipUnderRace(t)
	in := withModel(t)
	t.Chdir(in.in("."))
	writeParquet(t, in.in("new.parquet"), reviews(500), 100)
	output(t, "score", "-q", "--label", "sailing", "-o", "rows.parquet", "m.nbm", "new.parquet")
	output(t, "score", "-q", "--label", "sailing", "--keep-fields", "label", "--output-format", "jsonl", "-o", "rows.jsonl", "m.nbm", "new.parquet")
	got, err := json.Marshal(audited(t, "--cut", "0", "--by", "label", "rows.parquet"))
	must.OK(t, err)
	want, err := json.Marshal(audited(t, "--cut", "0", "--by", "label", "rows.jsonl"))
	must.OK(t, err)
	if !bytes.Equal(got, want) || !bytes.Contains(got, []byte(`"documents":500`)) {
		t.Errorf("of Parquet\n%s\nof JSON\n%s", got, want)
	}
	if r := audited(t, "--score-field", strconv.Itoa(3), "rows.parquet"); r.All.Documents != 500 {
		t.Errorf("by the number of the column: %d documents", r.All.Documents)
	}
}
