package page

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/audit"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
)

// AuditOptions say what is above the figures of an audit.
type AuditOptions struct {
	Title   string // the files
	Against string // those of the older set; "" for none
	Command string // that writes the page again
}

// auditTexts are what the template shows of an audit.
type auditTexts struct {
	Title, Subtitle, Command string
	Tiles                    facts.List
	Notes, Sentences         []string
	All                      table
	Histogram                *table
	Fields                   []auditField
}

type auditField struct {
	Number        int
	Name          string
	Sentences     []string
	Groups, Drift *table
}

// table has a head, whose first column is that of the rows' names.
type table struct {
	Head []head
	Rows []tableRow
}

type head struct {
	Text   string
	Number bool
}

type tableRow struct {
	Name  string
	Cells []string
	Bar   *bar
}

// bar shows a share and its interval.
type bar struct{ Width, From, To, About string }

const barWidth = 200

func newBar(r *audit.Row) *bar {
	if r.KeptShare == nil {
		return nil
	}
	at := func(share float64) string { return fmt.Sprintf("%.1f", barWidth*share) }
	return &bar{
		at(*r.KeptShare), at(r.Interval[0]), at(r.Interval[1]),
		fmt.Sprintf("kept share %.4f, 95 %% interval %.4f to %.4f", *r.KeptShare, r.Interval[0], r.Interval[1]),
	}
}

// newTable returns a table of rows of text, the first of which is its head.
func newTable(rows [][]string) *table {
	t := new(table)
	for i, name := range rows[0] {
		t.Head = append(t.Head, head{name, i > 0})
	}
	for _, row := range rows[1:] {
		t.Rows = append(t.Rows, tableRow{Name: legible(row[0], longestName), Cells: row[1:]})
	}
	return t
}

// newHistogram returns the shares of documents by score, with a bar each, and a mark where the older share is. Bars are
// as long as the square roots of shares, so that few documents are seen, too.
func newHistogram(r *audit.Report) *table {
	g := &r.Histogram
	sets, documents, title := [][]int64{g.Counts}, []int64{r.All.Documents}, "share, on a square-root scale"
	rows := [][]string{{"scores from", "to", "documents", "share"}}
	if r.Against != nil {
		sets, documents = append(sets, g.Against), append(documents, r.Against.Documents)
		rows[0], title = append(rows[0], "share before"), title+"; marks: before"
	}
	share := func(set, i int) float64 { return float64(sets[set][i]) / float64(documents[set]) }
	most := 0.0
	for set := range sets {
		for i := range g.Counts {
			most = max(most, share(set, i))
		}
	}
	edge := func(i int) string { return fmt.Sprintf("%.4g", g.Edge(i)) }
	for i, count := range g.Counts {
		row := []string{edge(i), edge(i + 1), display.Count(count)}
		for set := range sets {
			row = append(row, fmt.Sprintf("%.4f", share(set, i)))
		}
		rows = append(rows, row)
	}
	t := newTable(rows)
	t.Head = append(t.Head, head{Text: title})
	for i := range t.Rows {
		at := func(set int) string { return fmt.Sprintf("%.1f", barWidth*math.Sqrt(share(set, i)/most)) }
		mark := at(len(sets) - 1)
		t.Rows[i].Bar = &bar{at(0), mark, mark, "share " + strings.Join(rows[i+1][3:], ", before ")}
	}
	return t
}

// WriteAudit writes a page of an audit. It has no scripts.
func WriteAudit(r *audit.Report, o AuditOptions, w io.Writer) error {
	t := auditTexts{
		Title: "Audit of " + legible(o.Title, longestName), Subtitle: "scores are margins", Command: display.Text(o.Command),
		Sentences: r.Sentences(), Histogram: newHistogram(r),
	}
	if r.Probabilities {
		t.Subtitle = "scores are from 0 to 1"
	}
	if o.Against != "" {
		t.Subtitle += ", compared with " + legible(o.Against, longestName)
	}
	t.Tiles.Add("documents", "%s", display.Count(r.All.Documents))
	t.Tiles.Add("mean score", "%.4f", *r.All.Mean)
	if r.Cut != nil {
		t.Tiles.Add(fmt.Sprintf("kept from %v", *r.Cut), "%s", percent(*r.All.KeptShare))
	}
	if r.Drift != nil {
		t.Tiles.Add("population stability index", "%.4f", r.Drift.PSI)
	}
	for _, note := range r.Notes {
		t.Notes = append(t.Notes, legible(note, longestText))
	}
	rows := r.Table()
	if r.Against == nil {
		rows = append([][]string{{"", ""}}, rows...)
	}
	t.All = *newTable(rows)
	for i := range r.By {
		f := &r.By[i]
		field := auditField{
			Number: i + 1, Name: legible(f.Field, longestName), Sentences: f.Sentences(), Groups: newTable(f.Table(r)),
		}
		if r.Cut != nil {
			field.Groups.Head = append(field.Groups.Head, head{"kept share", false})
			for k := range f.Rows {
				field.Groups.Rows[k].Bar = newBar(&f.Rows[k].Row)
			}
		}
		if r.Against != nil {
			field.Drift = newTable(f.DriftTable(r))
		}
		t.Fields = append(t.Fields, field)
	}
	return t.write(w)
}

// write puts the page together.
func (t *auditTexts) write(w io.Writer) error {
	body, err := parseTemplate(auditTemplate)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	style := Common + ownStyle
	var b bytes.Buffer
	policy := fmt.Sprintf("default-src 'none'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(style))
	writeHead(&b, t.Title+" – nbsvm", style, policy)
	if err := body.Execute(&b, t); err != nil {
		return fmt.Errorf("audit: the page's texts: %w", err)
	}
	b.WriteString("</body>\n</html>\n")
	_, err = w.Write(b.Bytes())
	return err
}
