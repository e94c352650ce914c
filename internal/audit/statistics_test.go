package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// scoresOf draws scores: of few values if they are rounded, else hardly any is twice.
func scoresOf(r *rand.Rand, n int, shift float64, rounded bool) []float64 {
	scores := make([]float64, n)
	for i := range scores {
		if scores[i] = r.NormFloat64() + shift; rounded {
			scores[i] = math.Round(3*scores[i]) / 3
		}
	}
	slices.Sort(scores)
	return scores
}

// TestThreshold compares with a search through all scores.
func TestThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		scores := scoresOf(r, 1+r.IntN(40), 0, r.IntN(2) == 0)
		share := r.Float64()
		if r.IntN(5) == 0 {
			share = 1
		}
		got := thresholdOf(scores, share)
		wanted := int64(math.Round(share * float64(len(scores))))
		if wanted == 0 {
			if got != nil {
				t.Fatalf("%v of %v: %+v, want none", share, scores, got)
			}
			continue
		}
		kept := func(threshold float64) (n int64) {
			for _, s := range scores {
				if s >= threshold {
					n++
				}
			}
			return n
		}
		want := Threshold{Threshold: math.Inf(-1), Wanted: wanted}
		for _, s := range scores { // the highest score that keeps enough
			if kept(s) >= wanted {
				want.Threshold = max(want.Threshold, s)
			}
		}
		want.Kept = kept(want.Threshold)
		for _, s := range scores {
			if s == want.Threshold {
				want.Equal++
			}
			if s > want.Threshold && (want.Next == nil || s < *want.Next) {
				want.Next = &s
			}
		}
		if (got.Next == nil) != (want.Next == nil) || got.Next != nil && *got.Next != *want.Next {
			t.Fatalf("%v of %v: next %v, want %v", share, scores, got.Next, want.Next)
		}
		got.Next, want.Next = nil, nil
		if *got != want {
			t.Fatalf("%v of %v: %+v, want %+v", share, scores, *got, want)
		}
	}
}

// scipy computes the same figures as this package by SciPy and NumPy.
const scipy = `
import json, sys
import numpy as np
from scipy import stats

def psi(p, q):
    p, q = np.maximum(1e-4, p / p.sum()), np.maximum(1e-4, q / q.sum())
    return ((q - p) * np.log(q / p)).sum()

out = []
for case in json.load(sys.stdin):
    old, new, groups = (np.array(case[k]) for k in ("Old", "New", "Groups"))
    edges = np.unique(np.quantile(old, np.arange(1, 10) / 10, method="inverted_cdf"))
    counts = [np.bincount(np.searchsorted(edges, x, side="left"), minlength=len(edges) + 1) for x in (old, new)]
    keep = (counts[0] + counts[1]) > 0
    ks = stats.ks_2samp(old, new, mode="asymp")
    sets = [new[groups == g] for g in np.unique(groups)]
    center, within = new.mean(), sum(((s - s.mean()) ** 2).sum() for s in sets)
    total = ((new - center) ** 2).sum()
    n, k = len(new), len(sets)
    kept = new >= case["Cut"]
    shares = np.array([kept[groups == g].mean() for g in groups])
    u = stats.mannwhitneyu(shares[kept], shares[~kept]).statistic
    ci = stats.binomtest(int(kept.sum()), n).proportion_ci(0.95, method="wilson")
    out.append({
        "PSI": psi(counts[0][keep], counts[1][keep]), "Freedom": int(keep.sum()) - 1,
        "Chi": stats.chi2.ppf(0.95, max(1, keep.sum() - 1)),
        "KS": ks.statistic, "P": ks.pvalue, "Mean": center, "Median": np.median(new),
        "Eta": 1 - within / total, "Epsilon": max(0, 1 - within / (n - k) * (n - 1) / total),
        "AUC": u / kept.sum() / (~kept).sum(), "Low": ci.low, "High": ci.high,
    })
json.dump(out, sys.stdout)`

// TestSciPy compares all figures with those of SciPy and NumPy.
func TestSciPy(t *testing.T) {
	must.SkipUnderRace(t)
	type problem struct {
		Old, New []float64
		Groups   []int
		Cut      float64
	}
	var problems []problem
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 24 {
		p := problem{Cut: 0.5}
		p.Old = scoresOf(r, 100+r.IntN(2000), 0, i%3 == 0)
		p.New = scoresOf(r, 100+r.IntN(2000), float64(i%4)/8, i%3 == 0)
		for _, score := range p.New {
			p.Groups = append(p.Groups, int(math.Abs(score+float64(i)*r.NormFloat64()))%12)
		}
		problems = append(problems, p)
	}
	var all []struct{ PSI, Chi, KS, P, Mean, Median, Eta, Epsilon, AUC, Low, High, Freedom float64 }
	testkit.Python(t, "scipy", scipy, problems, &all)
	for i, want := range all {
		p := problems[i]
		near := func(name string, got, want, tolerance float64) {
			t.Helper()
			if !(math.Abs(got-want) <= tolerance*max(1e-3, math.Abs(want))) {
				t.Errorf("%d: %s is %v, want %v", i, name, got, want)
			}
		}
		d := scoreDrift(p.Old, p.New)
		near("PSI", d.PSI, want.PSI, 1e-9)
		near("chance", d.Chance, want.Chi*(1/float64(len(p.Old))+1/float64(len(p.New))), 0.02)
		near("KS", *d.KS, want.KS, 1e-9)
		if math.Abs(*d.P-want.P) > 0.004+0.05*want.P { // SciPy does not stop at the limit
			t.Errorf("%d: p is %v, want %v", i, *d.P, want.P)
		}
		report := Report{Cut: &p.Cut}
		row := report.row(&sorted{scores: p.New, ends: []int{len(p.New)}}, 0)
		near("mean", *row.Mean, want.Mean, 1e-9)
		near("median", *row.Median, want.Median, 1e-12)
		near("low end", row.Interval[0], want.Low, 1e-9)
		near("high end", row.Interval[1], want.High, 1e-9)

		groups := make([][]float64, 12)
		for k, score := range p.New {
			groups[p.Groups[k]] = append(groups[p.Groups[k]], score)
		}
		groups = slices.DeleteFunc(groups, func(scores []float64) bool { return len(scores) == 0 })
		eta, epsilon, ok := explained(groups)
		if !ok {
			t.Fatalf("%d: all scores are said to be equal", i)
		}
		near("eta squared", eta, want.Eta, 1e-9)
		near("epsilon squared", epsilon, want.Epsilon, 1e-9)
		area, _ := separation(groups, p.Cut)
		near("AUC", area, want.AUC, 1e-9)
	}
}

// TestKolmogorov has values of the limit from the tables of Smirnov (1948), and both series where they meet.
func TestKolmogorov(t *testing.T) {
	for x, want := range map[float64]float64{0.03: 1, 0.5: 0.963945, 1: 0.269999671677, 1.36: 0.0494859, 2: 0.00067092525578, 6: 1.07604e-31} {
		if got := kolmogorov(x); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
	if below, above := kolmogorov(math.Nextafter(1.18, 0)), kolmogorov(1.18); math.Abs(below-above) > 1e-12 {
		t.Errorf("the series differ at 1.18: %v and %v", below, above)
	}
}

// TestChance: sets drawn from the same scores have a PSI below the value of chance in about 95 of 100 cases.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const trials = 2000
	within := 0
	for range trials {
		if d := scoreDrift(scoresOf(r, 300, 0, false), scoresOf(r, 200, 0, false)); d.PSI <= d.Chance {
			within++
		}
	}
	if share := float64(within) / trials; share < 0.92 || share > 0.97 {
		t.Errorf("%v of the cases, want 0.95", share)
	}
}
