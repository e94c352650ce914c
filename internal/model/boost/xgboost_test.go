package boost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// ofXGBoost reads a problem as JSON, trains as this package does, with exact splits, and writes the margins of all
// rows and the splits of all trees: per tree and node the column, the threshold, the gain and the cover.
const ofXGBoost = `
import json, sys
import numpy as np, xgboost as xgb
p = json.load(sys.stdin)
x, y, k = np.array(p["x"], np.float32), np.array(p["y"]), len(p["base"])
d = xgb.DMatrix(x, label=y, weight=np.array(p["w"]))
base = np.tile(np.array(p["base"], np.float32), (len(y), 1))
d.set_base_margin(base if k > 1 else base[:, 0])
o = dict(tree_method="exact", max_depth=p["depth"], eta=p["rate"], min_child_weight=p["mcw"], nthread=1)
o["objective"] = "binary:logistic"
o["lambda"] = p["lambda"]
if k > 1:
    o.update(objective="multi:softprob", num_class=k)
b = xgb.train(o, d, p["rounds"])
trees = []
for text in b.get_dump(dump_format="json", with_stats=True):
    nodes = []
    def visit(n):
        if "leaf" in n:
            nodes.append([-1, n["leaf"], 0, n["cover"]])
            return
        nodes.append([int(n["split"][1:]), n["split_condition"], n["gain"], n["cover"]])
        for c in sorted(n["children"], key=lambda c: c["nodeid"] != n["yes"]):
            visit(c)
    visit(json.loads(text))
    trees.append(nodes)
margins = b.predict(d, output_margin=True).reshape(len(y), k)
shap = b.predict(d, pred_contribs=True).reshape(len(y), k, -1)
json.dump(dict(trees=trees, margins=margins.tolist(), contributions=shap.tolist()), sys.stdout)
`

// python is one that has XGBoost; empty if there is none.
func python() string {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(name, "-c", "import xgboost, numpy").Run() == nil {
			return name
		}
	}
	return ""
}

// TestXGBoost: trees have the splits of XGBoost's, with the same gains, covers and leaves, margins are the same, and
// so are contributions. Zeros are given to XGBoost as values, so that it learns no direction for them.
func TestXGBoost(t *testing.T) {
	interpreter := python()
	if interpreter == "" {
		t.Skip("no Python with the packages xgboost and numpy")
	}
	for _, classes := range []int{2, 4} {
		for _, valued := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d classes, values %v", classes, valued), func(t *testing.T) {
				x, p := sampled(31, 500, 30, classes, valued)
				o := options(5, 4)
				o.Lambda, o.MinChildWeight, o.Rate = 1.5, 2, 0.4
				ours := train(t, p, o)
				full := dense(x)
				in, err := json.Marshal(map[string]any{
					"x": full, "y": p.Class, "w": p.Weights, "base": ours.Base, "rounds": o.Rounds, "depth": o.Depth, "rate": o.Rate,
					"lambda": o.Lambda, "mcw": o.MinChildWeight,
				})
				must.OK(t, err)
				var theirs struct {
					Trees         [][][4]float64
					Margins       [][]float64
					Contributions [][][]float64
				}
				command := exec.Command(interpreter, "-c", ofXGBoost)
				command.Stdin = bytes.NewReader(in)
				out, err := command.Output()
				if err == nil {
					err = json.Unmarshal(out, &theirs)
				}
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				near := func(a, b float64) bool { return math.Abs(a-b) < 2e-4*(1+math.Abs(b)) }
				for k, want := range theirs.Trees {
					var got [][4]float64
					tree := &ours.Forest.Trees[k]
					var visit func(node uint32)
					visit = func(node uint32) {
						n := &tree.Nodes[node]
						if n.Leaf() {
							got = append(got, [4]float64{-1, float64(n.Number), 0, float64(n.Cover)})
							return
						}
						got = append(got, [4]float64{float64(n.Column), float64(n.Number), float64(n.Gain), float64(n.Cover)})
						visit(n.Left)
						visit(n.Left + 1)
					}
					visit(0)
					if !slices.EqualFunc(got, want, func(a, b [4]float64) bool {
						return a[0] == b[0] && near(a[1], b[1]) && near(a[2], b[2]) && near(a[3], b[3])
					}) {
						t.Fatalf("tree %d is %v\nwant %v", k, got, want)
					}
				}
				s := NewPredictor(&ours.Forest, x.Cols).NewScorer()
				shares := make([]float64, x.Cols)
				for i, want := range theirs.Margins {
					for k, got := range margins(ours, full[i]) {
						if !near(got, want[k]) {
							t.Errorf("row %d has the margin %v, want %v", i, got, want[k])
						}
						if i%10 > 0 {
							continue
						}
						ids, _ := x.Row(i)
						var values []float64
						for _, j := range ids {
							values = append(values, float64(full[i][j]))
						}
						s.Contributions(shares, k, ids, values)
						for j, got := range shares {
							if want := theirs.Contributions[i][k][j]; math.Abs(got-want) > 1e-3 {
								t.Errorf("row %d: column %d contributes %v, want %v", i, j, got, want)
							}
						}
					}
				}
			})
		}
	}
}

// TestXGBoostFixed: these are the margins that XGBoost 1.7.4 gave to the first rows of TestXGBoost's problems.
func TestXGBoostFixed(t *testing.T) {
	for _, c := range []struct {
		classes int
		valued  bool
		want    [][]float64
	}{
		{2, false, [][]float64{{0.31222081184387207}, {0.09988978505134583}, {0.25557267665863037}, {0.2786320447921753}}},
		{2, true, [][]float64{{-1.1034953594207764}, {-1.1034953594207764}, {-1.0516432523727417}, {-0.7984400391578674}}},
		{4, false, [][]float64{
			{-1.6937992572784424, -1.3058948516845703, -1.636965274810791, -1.318583369255066},
			{-1.465463399887085, -1.428752064704895, -1.636965274810791, -1.49281907081604},
		}},
		{4, true, [][]float64{
			{-1.2086013555526733, -1.2512367963790894, -1.7354985475540161, -2.215292453765869},
			{-0.34864342212677, -1.427450180053711, -1.7354985475540161, -2.215292453765869},
		}},
	} {
		x, p := sampled(31, 500, 30, c.classes, c.valued)
		o := options(5, 4)
		o.Lambda, o.MinChildWeight, o.Rate = 1.5, 2, 0.4
		r, full := train(t, p, o), dense(x)
		for i, want := range c.want {
			for k, got := range margins(r, full[i]) {
				if math.Abs(got-want[k]) > 1e-5 {
					t.Errorf("%d classes, values %v: row %d has the margin %v, want %v", c.classes, c.valued, i, got, want[k])
				}
			}
		}
	}
}
