package nbsvm

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/learn"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Near negatives pay from about so many classes, and so many documents times classes, on. See
// docs/explanation/solver.md.
const (
	nearClasses = 64
	nearPairs   = 1 << 24
)

// check refuses what is no way to choose negatives.
func (n Negatives) check() error {
	switch n {
	case "", AutoNegatives, AllNegatives, NearNegatives:
		return nil
	}
	return fmt.Errorf("nbsvm: unknown Options.Negatives %q: use %s, %s or %s", n, AutoNegatives, AllNegatives, NearNegatives)
}

// chosenFor is what auto stands for with so many classes and documents: "" for all negatives. Logistic loss is never 0,
// however far a document is.
func (n Negatives) chosenFor(outputs int, documents int64, loss solver.Loss) Negatives {
	many := outputs >= nearClasses && int64(outputs)*documents >= nearPairs && loss != solver.Logistic
	switch {
	case n == AutoNegatives && many:
		return NearNegatives
	case n == AutoNegatives:
		return ""
	}
	return n
}

// nearGroups puts similar classes into groups of size, and finds the rows that each group is trained on: those of its
// classes, those that a naive Bayes classifier of groups takes for one of them or nearly so, and a sample of all.
func (t *trainer) nearGroups(ctx context.Context, classes []int, size int) (groups []classGroup, err error) {
	err = stage.Do(ctx, stage.Negatives, func(ctx context.Context) error {
		sets := make([]*roaring.Bitmap, len(classes))
		for i, class := range classes {
			sets[i] = t.rowsOf(class)
		}
		order := learn.Order(learn.Centroids(t.x.X, t.x.Frequencies, sets), size, t.o.Seed)
		for some := range slices.Chunk(order, size) {
			g := classGroup{rows: roaring.New()}
			for _, i := range some {
				g.classes = append(g.classes, classes[i])
				g.rows.Or(sets[i])
			}
			groups = append(groups, g)
		}
		return t.newMatcher(groups).addNear(ctx, t, groups)
	})
	return groups, err
}

// What is near. On 306 classes of Bible verses the objective is .7, .4, .3 or .2 % below that of all negatives where
// the margin is 2, 2.5, 3 or 4, for 9, 10, 11 or 14 % of the rows; the best 4 groups of each row, whatever their
// scores, leave .4 % for 12 %. A limit to the number of groups does harm: one of 16 of 63 costs 2 points of accuracy on
// a made-up set of 500 classes with little that tells them apart.
const (
	nearMargin = 2.5 // natural logarithms of a probability, for each feature of a row
	sampled    = 50  // one of so many rows is trained on with each group
)

// Limits of the matcher's table.
const (
	matchedColumns = 1 << 18
	matchedNumbers = 1 << 26
)

// matcher is a multinomial naive Bayes classifier of groups, of the most frequent features.
type matcher struct {
	groups  int
	columns int
	pitch   int
	table   []float32 // by column and group: logarithms of probabilities
	prior   []float64 // of every group, likewise
}

// newMatcher fits the classifier to the groups' rows.
func (t *trainer) newMatcher(groups []classGroup) *matcher {
	const smoothing = 0.1
	pitch := (len(groups) + kernels.RowUnit - 1) / kernels.RowUnit * kernels.RowUnit
	m := &matcher{groups: len(groups), pitch: pitch, columns: min(len(t.x.Keys), max(matchedNumbers/pitch, 1), matchedColumns)}
	m.table, m.prior = make([]float32, m.columns*pitch), make([]float64, pitch)
	for g := range groups {
		total := 0
		for it := groups[g].rows.Iterator(); it.HasNext(); {
			for _, j := range m.known(t, int(it.Next())) {
				m.table[int(j)*pitch+g]++
				total++
			}
		}
		m.prior[g] = xmath.Log(1 + float64(groups[g].rows.GetCardinality()))
		all := xmath.Log(float64(total) + float64(smoothing*float64(m.columns)))
		logs := map[float32]float32{}
		for j := range m.columns {
			n := &m.table[j*pitch+g]
			log, ok := logs[*n]
			if !ok {
				log = float32(xmath.Log(float64(*n)+smoothing) - all)
				logs[*n] = log
			}
			*n = log
		}
	}
	return m
}

// known are the features of a row that the matcher looks at.
func (m *matcher) known(t *trainer, row int) []uint32 {
	ids, _ := t.x.X.Row(row)
	n, _ := slices.BinarySearch(ids, uint32(m.columns))
	return ids[:n]
}

// addNear adds to the rows of each group those that are near to it, and the sample.
func (m *matcher) addNear(ctx context.Context, t *trainer, groups []classGroup) error {
	const block = 1 << 12 // rows
	rows := t.x.Rows()
	workers := make([]nearFinder, t.o.threads())
	err := par.Map(ctx, len(workers), (rows+block-1)/block, func(w, b int) ([][]uint32, error) {
		near := make([][]uint32, len(groups))
		for i := b * block; i < min((b+1)*block, rows); i++ {
			for _, g := range workers[w].of(m, m.known(t, i)) {
				near[g] = append(near[g], uint32(i))
			}
		}
		return near, ctx.Err()
	}, func(near [][]uint32) error {
		for g, rows := range near {
			groups[g].rows.AddMany(rows)
		}
		return nil
	})
	if err != nil {
		return err
	}
	random, sample := splitmix.Source(t.o.Seed), roaring.New()
	for i := range rows {
		if random.IntN(sampled) == 0 {
			sample.Add(uint32(i))
		}
	}
	for g := range groups {
		// Where most rows are near, the features tell little of the groups, and those left out may matter.
		if groups[g].rows.Or(sample); groups[g].rows.GetCardinality() > uint64(rows/2) {
			groups[g].rows = nil
		}
	}
	return nil
}

// nearFinder finds the groups that are near to a row, for one goroutine.
type nearFinder struct {
	scores []float64
	found  []int
}

// of are the groups that are near to a row of some features.
func (n *nearFinder) of(m *matcher, ids []uint32) []int {
	n.found = n.found[:0]
	scores := n.score(m, ids)
	least := slices.Max(scores) - float64(nearMargin*float64(len(ids)))
	for g, score := range scores {
		if score >= least {
			n.found = append(n.found, g)
		}
	}
	return n.found
}

// score gives each group's logarithm of a probability for a row of some features, less a number that all share.
func (n *nearFinder) score(m *matcher, ids []uint32) []float64 {
	n.scores = append(n.scores[:0], m.prior...)
	kernels.AddRows(n.scores, m.table, m.pitch, ids, len(ids))
	return n.scores[:m.groups]
}
