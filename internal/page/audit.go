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
	Histogram                histogram
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

// histogram is drawn from 50 to 890 and from 270 up to 10, by square roots of shares, so that few are seen, too.
type histogram struct {
	About       string
	Lines       []mark
	Bars        []rect
	Before, Cut string // paths
	Ticks       []mark
	Table       *table
}

type mark struct{ At, Text string }

type rect struct{ X, Y, Width, Height string }

const (
	plotLeft, plotRight = 50, 890
	plotTop, plotBottom = 10, 270
)

func newHistogram(r *audit.Report) (h histogram) {
	g := &r.Histogram
	most, n, before := 0.0, float64(r.All.Documents), 1.0
	if r.Against != nil {
		before = float64(r.Against.Documents)
	}
	for i := range g.Counts {
		most = max(most, float64(g.Counts[i])/n)
		if g.Against != nil {
			most = max(most, float64(g.Against[i])/before)
		}
	}
	height := func(share float64) float64 { return (plotBottom - plotTop) * math.Sqrt(share/most) }
	px := func(x float64) string { return fmt.Sprintf("%.1f", x) }
	width := float64(plotRight-plotLeft) / float64(len(g.Counts))
	rows := [][]string{{"from", "to", "documents"}}
	if g.Against != nil {
		rows[0] = append(rows[0], "before")
	}
	edge := func(i int) string {
		part := float64(i) / float64(len(g.Counts))
		return fmt.Sprintf("%.4g", float64(g.Low*(1-part))+float64(g.High*part))
	}
	var path strings.Builder
	for i, count := range g.Counts {
		x, y := plotLeft+float64(i)*width, height(float64(count)/n)
		h.Bars = append(h.Bars, rect{px(x), px(plotBottom - y), px(width - 1), px(y)})
		row := []string{edge(i), edge(i + 1), display.Count(count)}
		if g.Against != nil {
			row = append(row, display.Count(g.Against[i]))
			at := px(plotBottom - height(float64(g.Against[i])/before))
			fmt.Fprintf(&path, "%s%s %sH%s", map[bool]string{true: "M", false: "L"}[i == 0], px(x), at, px(x+width))
		}
		rows = append(rows, row)
	}
	h.Before, h.Table = path.String(), newTable(rows)
	if c := r.Cut; c != nil && g.Low <= *c && *c <= g.High && g.High > g.Low {
		part := *c/(g.High-g.Low) - g.Low/(g.High-g.Low)
		h.Cut = fmt.Sprintf("M%s %dV%d", px(plotLeft+float64((plotRight-plotLeft)*part)), plotTop, plotBottom)
	}
	for _, share := range []float64{0, 0.01, 0.05, 0.1, 0.25, 0.5, 1} {
		if share <= most {
			h.Lines = append(h.Lines, mark{px(plotBottom - height(share)), fmt.Sprintf("%v %%", math.Round(100*share))})
		}
	}
	for i := 0; i <= 4; i++ {
		h.Ticks = append(h.Ticks, mark{px(plotLeft + float64(i)*(plotRight-plotLeft)/4), edge(i * len(g.Counts) / 4)})
	}
	h.About = "Distribution of the scores; the table has the same figures."
	return h
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
		field := auditField{Number: i + 1, Name: legible(f.Field, longestName), Sentences: f.Sentences(), Groups: newTable(f.Table(r))}
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
	writeHead(&b, t.Title+" – nbsvm", style, fmt.Sprintf("default-src 'none'; style-src '%s'; base-uri 'none'; form-action 'none'", hash(style)))
	if err := body.Execute(&b, t); err != nil {
		return fmt.Errorf("audit: the page's texts: %w", err)
	}
	b.WriteString("</body>\n</html>\n")
	_, err = w.Write(b.Bytes())
	return err
}
