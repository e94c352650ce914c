// Package distributed simulates that several machines train one linear classifier, to tell how many rounds of messages
// and how many bytes that takes, and with a model of the network how many seconds.
//
// # The algorithm
//
// Rows are dealt out to K workers, which all know the weights w(alpha) = Σ alpha_i·y_i·x_i of package solver at the
// beginning of a round. Each worker makes coordinate updates in the dual on its own rows, and in the end the changes of
// w, and of alpha, are added up. This is CoCoA+ (Jaggi et al., "Communication-efficient distributed dual coordinate
// ascent", NIPS 2014; Ma et al., "Adding vs. averaging in distributed primal-dual optimization", ICML 2015): a worker
// maximises its part of a lower bound of the dual, in which the squared length of the change that it makes itself
// counts sigma' times, for the changes of the others that it does not know of (Ma et al., equation 9). A coordinate
// update is that of one machine with the squared length of its row times sigma', and changes the worker's own w by
// sigma' times as much; without the factor, the changes are gamma times added to what all know.
//
//   - Adding: gamma is 1, sigma' is K. The dual rises in every round (Ma et al., lemma 4).
//   - Averaging: gamma is 1/K, sigma' is 1, the first CoCoA.
//   - ByColumn: gamma is 1, and sigma' is a number of its own for every column j: that of the workers which have the
//     column in any row, K_j. As ‖Σ_k a_k‖² ≤ Σ_j K_j·Σ_k a_kj², the dual rises as well. Richtárik and
//     Takáč ("Distributed coordinate descent method for learning with big data", JMLR 2016) bound steps by how
//     few rows have a column likewise. Most n-grams are rare, so that few workers have them.
//
// A factor below 1 makes sigma' smaller than what is safe. With updates of few rows in a round and sigma' of 1, this is
// what the threads of one machine do who exchange their updates (Hsieh, Yu and Dhillon, "PASSCoDe", ICML 2015).
//
// Newton is for comparison what machines do in the primal: a Newton method whose steps are found by preconditioned
// conjugate gradients (Lin, Weng and Keerthi, "Trust region Newton method for large-scale logistic regression", JMLR
// 2008; distributed by Zhuang et al., PAKDD 2015), with steps halved until they gain enough in place of a trust region
// (Galli and Lin, "Truncated Newton methods for linear classification", IEEE TNNLS 2022). Its rounds are gradients and
// products with the Hessian, which are sums over rows, so that it does the same whatever the number of workers.
//
// Columns that one worker alone has are never sent, and so are columns of one row no column of w at all.
//
// # What is measured
//
// Workers run one after the other, each on the clock of its thread's processor time. The time of a round is that of the
// slowest worker and of its messages. Whichever is faster is sent: the changes of all columns that two workers or more
// have, as a sum over all workers (a reduction by halves and a gathering, 2·log2 K messages and 2·(K−1)/K of the
// vector for each worker); or the changes that are not zero, of 8 bytes each, to machines that add them up, and from
// there to the workers that have the column. The duality gap is computed between rounds, off the clock.
package distributed
