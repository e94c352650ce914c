package solver

import (
	"math"
)

// pass is what one epoch leaves behind.
type pass struct {
	gap     float64 // Σ over updated rows of loss + conj + alpha·margin: P − D, as seen on the way
	primal  float64 // Σ over updated rows of loss + ½·alpha·y·wᵀx: P, as seen on the way
	gain    float64 // Σ over updated rows of row.gain
	updates int
	// The largest and the smallest projected gradient; not of the logistic loss.
	largest, smallest float64
}

func newPass() pass { return pass{largest: math.Inf(-1), smallest: math.Inf(1)} }

// note takes in the gradient of a row that stays active.
func (p *pass) note(v *update) {
	g := v.gradient
	if v.atBound {
		g = 0
	}
	p.largest, p.smallest = max(p.largest, g), min(p.smallest, g)
}

// refresh is after how many epochs the slots are brought back to what alpha says,
// if they were not for another reason: the rounding of float32 steps adds up, and
// after thousands of epochs would keep the gap from falling.
const refresh = 32

// leastGroupTol is the least Options.Tol for several problems at once. Their gaps are certified by sums of float32
// slots, whose rounding moves a gap by some 1e-7 of P. The gap of a single problem is certified in double precision
// below this tolerance.
const leastGroupTol = 1e-5

// solution is how far one problem is.
type solution struct {
	stats    Stats
	gapRatio gapRatio
	primal   float64 // P as last certified, or else as last seen
	seen     pass    // by the last epoch
	norms    float64 // Σ ‖x_i‖² as far as engines notice there that rows overflow
}

// certify computes the objectives from ‖w‖² and sums over rows, and learns how they compare
// with the estimate of the last epoch, which was full if it took all rows.
//
// P is that of the weights w in the slots, which differ from w(alpha) by the rounding e
// of their steps. So ‖w(alpha)‖² = 2·w(alpha)ᵀw − ‖w‖² + ‖e‖², and as w(alpha)ᵀw is
// Σ alpha_i·y_i·wᵀx_i, one pass gives D but for ½‖e‖², which is of second order in the
// rounding: 1e-12 of P where slots are off by 1e-6. Exactly, the slots are brought to
// what alpha says first, which takes another pass, and sums are in double precision.
func (s *solution) certify(square float64, sum *objective, tol, estimate float64, full bool) {
	half := float64(square / 2)
	st := &s.stats
	st.Primal, st.Dual = half+sum.losses, half-sum.cross-sum.conj
	st.Gap = relative(st.Primal-st.Dual, st.Primal)
	st.Converged = st.Gap <= tol
	s.primal = st.Primal
	s.gapRatio.learn(st.Gap, estimate, full)
}

// objective is what the objectives are made of besides ½‖w‖²: sums over rows.
type objective struct {
	losses float64 // Σ C_i·loss
	conj   float64 // Σ conj(alpha_i) + alpha_i·offset_i
	cross  float64 // Σ alpha_i·y_i·wᵀx_i, which is w(alpha)ᵀw
}

// addRow takes in a row, given y_i·wᵀx_i and what the margin is besides.
func (o *objective) addRow(l rowLoss, alpha, rest, cost, own, offset float64) {
	o.losses += l.of(own+offset, cost)
	o.conj += l.conj(alpha, rest, cost) + float64(alpha*offset)
	o.cross += float64(alpha * own)
}

func (o *objective) add(p objective) {
	o.losses += p.losses
	o.conj += p.conj
	o.cross += p.cross
}

// squareOf returns what a column is to ‖w‖².
func (p *Problem) squareOf(j int, u float64) float64 {
	c := p.colScale(j)
	if c == 0 {
		return 0
	}
	w := u / c
	return float64(w * w)
}

func relative(gap, primal float64) float64 {
	if primal <= 0 {
		return 0 // nothing to lose: no rows, all of cost 0, or all within epsilon of their targets at w = 0
	}
	return gap / primal
}

// gapRatio is how the certified gap compares with the estimate of an epoch, as last
// seen, for epochs over all rows and for those over fewer.
type gapRatio struct{ full, active float64 }

func newGapRatio(l Loss) gapRatio {
	switch {
	case l == Logistic:
		return gapRatio{full: 0.15, active: 1}
	case l.isSquared(): // falls faster
		return gapRatio{full: 0.2, active: 0.6}
	}
	return gapRatio{full: 0.5, active: 1}
}

// gap returns the gap to expect after an epoch.
func (t *gapRatio) gap(estimate float64, full bool) float64 {
	if full {
		return estimate * t.full
	}
	return estimate * t.active
}

// learn takes in a certified gap. The next check must be neither far off nor at once.
func (t *gapRatio) learn(gap, estimate float64, full bool) {
	ratio := gap / max(estimate, math.SmallestNonzeroFloat64)
	if full {
		t.full = min(max(ratio, 0.1), 2)
	} else {
		t.active = min(max(ratio, 0.5), 4)
	}
}

// trend tells from two estimates of the gap how far it has fallen since. An epoch's
// estimate is of the weights on the way, and the gap by then below it: by about what it is
// below the last epoch's estimate, as the gap falls by much the same factor from epoch to
// epoch. Estimates compare if both epochs took all rows.
type trend struct {
	before float64 // the last estimate, 0 if it was not of all rows
}

// gap returns the gap to expect after an epoch, trusted where nothing better is known.
func (f *trend) gap(trusted, estimate float64, full bool) float64 {
	const margin = 3 // the gap has been 0.3 to 3 times what it should be
	before := f.before
	f.before = 0
	if !full {
		return trusted
	}
	f.before = estimate
	if before > 0 {
		trusted = min(trusted, margin*estimate*estimate/before)
	}
	return trusted
}

// watch finds out whether batches are too large all the same.
type watch struct {
	best float64 // least estimate of an epoch over all rows with batches of this size
	last float64 // gap at the last refresh
}

func newWatch() watch { return watch{best: math.Inf(1), last: 1} }

// worse reports whether an epoch's estimate of the gap is far above what it has been.
func (w *watch) worse(estimate float64, full bool) bool {
	const far = 2
	if estimate > far*w.best {
		w.best = math.Inf(1)
		return true
	}
	if full {
		w.best = min(w.best, estimate)
	}
	return false
}

// stuck reports whether the gap has not even halved since the last refresh.
func (w *watch) stuck(gap float64) bool {
	stuck := 2*gap > w.last
	w.last = gap
	return stuck
}
