// Package solver trains L2-regularised linear classifiers by coordinate descent
// in the dual.
//
// # Problem
//
// With rows x_i, labels y_i = ±1 and costs C_i > 0, it minimises the primal
//
//	P(w) = ½‖w‖² + Σ C_i·loss(y_i·wᵀx_i)
//
// for the losses
//
//	hinge           max(0, 1−z)       (LIBLINEAR -s 3)
//	squared hinge   max(0, 1−z)²      (LIBLINEAR -s 1)
//	logistic        log(1+exp(−z))    (LIBLINEAR -s 7)
//
// through its dual, the maximum over alpha of
//
//	D(alpha) = −½‖w(alpha)‖² − Σ conj_i(alpha_i),   w(alpha) = Σ alpha_i·y_i·x_i
//
// where conj_i is −alpha + ½·D_i·alpha² with 0 ≤ alpha ≤ U: for the hinge
// D_i = 0 and U = C_i; for the squared hinge D_i = 1/(2·C_i) and U = ∞; and for
// the logistic loss conj_i is alpha·log(alpha/C_i) + (C_i−alpha)·log((C_i−alpha)/C_i)
// with 0 ≤ alpha ≤ C_i. A bias is one more feature of constant value,
// regularised like the others, as LIBLINEAR does it.
//
// References: Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate
// descent method for large-scale linear SVM", ICML 2008 (hinge, squared hinge,
// shrinking: Algorithm 3); Yu, Huang and Lin, "Dual coordinate descent methods
// for logistic regression and maximum entropy models", Machine Learning 2011
// (Algorithm 5).
//
// # When it stops
//
// For any alpha, P(w(alpha)) ≥ P(w*) = D(alpha*) ≥ D(alpha), so that the
// relative duality gap (P − D)/P bounds how far a solution is from the optimum.
// The solver stops when this gap is at most Tol. The sums kept along the way
// only tell when the gap is worth computing; the gap itself takes a pass over all
// rows. P is that of the weights returned. D comes of the same pass: with w the weights
// in the slots and w(alpha) what they would be without rounding, Σ alpha_i·margin_i(w) is
// w(alpha)ᵀw, and 2·w(alpha)ᵀw − ‖w‖² is ‖w(alpha)‖² but for the squared distance of the
// two, some 1e-12 of it. Below a tolerance of 1e-5 everything is computed in double
// precision from alpha alone. Not reaching the tolerance within MaxEpochs is a status, not
// an error.
//
// # Three engines
//
// Open takes a matrix; how problems on it are solved follows from it and from their number.
// One problem in memory is solved by all threads together. Several are solved side by side: the
// numbers of a feature lie next to each other, so that one pass over a row serves them all. Rows
// that come from a Source are solved some blocks at a time, for any number of problems.
// The engines have the set-up of rows, the coordinate update, the certificate, the range of
// numbers and the walk over epochs in common.
//
// # Batches and threads
//
// An epoch computes the margins of a batch of rows with the weights as they were before it, then
// makes their steps. Batches are small where rows are alike, down to one row, which is the
// algorithm of the papers. Sizes and everything else that results depend on follow from
// the problem alone, so that they are the same bits for any number of threads.
//
// # Rows that are nearly the same
//
// They have nearly one alpha between them, and coordinate descent moves it from one to
// the other in small steps. So rows that gain far more than others are updated again
// before the next epoch, and from the sixth on, for the hinge losses, the few rows that
// have moved most are solved together, as a dense problem of their own.
//
// # Stopped and resumed
//
// Options.Checkpoint is given a State after every epoch; Options.Resume goes on from
// one, to the same bits. What follows from the problem (norms, scales, where rows lie) is
// computed again.
//
// # What columns hold
//
// A column has one scale s_j for all rows (its log-count ratio, say), so that the
// state of feature j is the pair u_j = w_j·s_j and s_j² (see kernels.Slot).
// Slots are in float32, alpha in float64.
//
// A column that occurs in one row alone needs no state: its weight is
// alpha_i·y_i·x_ij, so that it adds alpha_i·x_ij² to the row's margin and x_ij² to the
// row's diagonal. This is exact. Such columns have to be the last ones; where others
// come after a shared column they are kept as if they were shared.
package solver
