// Package solver trains L2-regularized linear models: support vector machines, logistic regression, support vector
// regression and ridge regression, by coordinate descent in the dual or, of few columns, by Newton's method. It certifies
// how far each solution is from the optimum.
//
// [Open] takes a matrix of rows. [Solver.Solve] solves one [Problem] on it, or several, such as one class against the
// rest for each class. [Solver.Weights] returns the weights.
//
// # Problem
//
// With rows x_i, labels y_i = ±1 and costs C_i > 0, the solver minimizes the primal
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
// regularized like the others, as LIBLINEAR does it.
//
// Rows may have an offset b_i, such as the decision values of an earlier classifier. Then z = y_i·(wᵀx_i + b_i), and
// D(alpha) is less by Σ alpha_i·y_i·b_i.
//
// In regression, rows have targets t_i instead of labels: y_i is 1, and −t_i is added to their offset, so that z_i is the
// residual wᵀx_i + b_i − t_i. The losses are
//
//	epsilon-insensitive            max(0, |z|−ε)     (LIBLINEAR -s 13)
//	squared epsilon-insensitive    max(0, |z|−ε)²    (LIBLINEAR -s 11 and 12)
//
// and conj_i is ε·|alpha| + ½·D_i·alpha² with −U ≤ alpha ≤ U, where D_i and U are those of the hinge losses. Ridge
// regression is the squared loss with ε = 0: it minimizes ½‖w‖² + Σ C_i·(wᵀx_i − t_i)², and 1/(2·C) is its usual λ.
//
// # Rows that are several
//
// A row of the matrix may be several rows of a problem ([Problem].Row), and is stored once all the same. A document that
// is positive for .7 and negative for .3 is two rows, of these masses. In ordinal regression of K levels, a document is
// K−1 rows, one for each threshold k, positive if its level is above k, and [Problem].Threshold has each threshold be a
// bias feature b_k of its own. With all thresholds, that is the loss Σ_k loss(y_ik·(wᵀx_i + b_k)) of Rennie and Srebro,
// "Loss functions for preference levels", IJCAI workshop 2005, and −b_k is the threshold.
//
// # References
//
// Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate
// descent method for large-scale linear SVM", ICML 2008 (hinge, squared hinge,
// shrinking: Algorithm 3); Yu, Huang and Lin, "Dual coordinate descent methods
// for logistic regression and maximum entropy models", Machine Learning 2011
// (Algorithm 5); Ho and Lin, "Large-scale linear support vector regression", JMLR 2012
// (regression: Algorithm 3).
//
// # When it stops
//
// For any alpha, P(w(alpha)) ≥ P(w*) = D(alpha*) ≥ D(alpha). So the relative duality gap (P − D)/P bounds how far a
// solution is from the optimum. The solver stops when this gap is at most Tol. Sums that are kept along the way tell
// when the gap is worth computing. The gap itself takes a pass over all rows. P is that of the weights returned. D
// comes from the same pass: with w the weights in memory and w(alpha) what they would be without rounding, Σ
// alpha_i·margin_i(w) is w(alpha)ᵀw, and 2·w(alpha)ᵀw − ‖w‖² is ‖w(alpha)‖² but for the squared distance of the two,
// some 1e-12 of it. Below a tolerance of 1e-5, which takes one problem at a time, everything is computed in double
// precision from alpha alone. Not reaching the tolerance within MaxEpochs is a status, [Stats].Converged, not an error.
//
// # Three engines
//
// The matrix and the number of problems decide how problems are solved. All threads work together on one problem.
// Several problems are solved side by side: the numbers of a feature lie next to each other, so that one pass over a
// row serves all problems. These engines share the coordinate update, the certificate, the check for overflow and the
// loop over epochs.
//
// Problems of at most 1,024 columns, such as measurements and indicators, are solved in the primal by
// Newton's method instead, unless the loss is the hinge or there are hardly any rows: coordinate descent takes a
// hundred epochs where so few columns are shared by all rows, and does not end where they are of different sizes;
// Newton's method takes a dozen steps. The gap is half the squared gradient. An epoch is a step then, and Seed does not
// matter. The second derivative of a squared loss is 0 or 2·C_i, so that after the first step only rows are added up
// whose loss becomes 0 or no longer is. The epsilon-insensitive loss is smoothed at its kinks, less and less until the
// gap of the loss itself, by the same alpha, is small.
//
// # Rows beyond memory
//
// The arrays of a matrix may be mapped from a file that is larger than memory. Epochs then visit rows in random order
// within windows: pieces of the file from many places, which fit into memory together. What the solver keeps of each
// row is mapped from files as well. The rest is as in memory.
//
// # Batches and threads
//
// An epoch computes the margins of a batch of rows with the weights as they were before the batch, then makes the steps
// of these rows. Batches are small where rows are alike, down to one row, which is the algorithm of the papers. Their
// sizes, and everything else that results depend on, follow from the problem alone. So results have the same bits for
// any number of threads.
//
// # Rows that are nearly the same
//
// Such rows have nearly one alpha between them, which coordinate descent moves from one to the other in small steps. So
// rows that gain far more than others are updated again before the next epoch. From the sixth epoch on, unless the
// loss is the logistic, the few rows that have moved most are solved together, as a dense problem of their own.
//
// # Columns
//
// A column has one scale s_j for all rows, its log-count ratio for example. The state of feature j is the pair
// u_j = w_j·s_j and s_j², in single precision. Alpha is in double precision.
//
// A column that occurs in one row alone needs no state. Its weight is alpha_i·y_i·x_ij, so that it adds alpha_i·x_ij²
// to the row's margin and x_ij² to the row's squared norm. This is exact. Such columns must be the last ones: others
// that come before a shared column are kept as if they were shared. So number columns by falling frequency.
package solver
