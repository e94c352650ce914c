// Package boost trains gradient-boosted decision trees on sparse rows (Friedman 2001, "Greedy function approximation:
// a gradient boosting machine"), by second derivatives as XGBoost does (Chen and Guestrin 2016).
//
// A margin is F(x) = b + Σ_t f_t(x), with b the prior log odds and f_t the value of the leaf of tree t that x falls
// into. Round by round, trees are added that lower the objective
//
//	Σ_i w_i·l(y_i, F(x_i)) + ½·λ·Σ_leaves v²
//
// in its expansion to the second order. With g and h the first and second derivatives of l at the margins so far,
// times the weights, and G and H their sums over the rows of a node, a leaf has the value −η·G/(H+λ), with η the
// learning rate, and a split gains
//
//	G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ)
//
// (their equation 7, without the factor ½ and without γ, as XGBoost reports it). The loss is logistic for two
// classes, with g = p−y and h = p(1−p), and softmax cross-entropy for more, with a tree for every class in every
// round, and with h = 2p(1−p) as in XGBoost.
//
// An entry that a row lacks has the value 0, as in scikit-learn: it goes to the side of a threshold where 0 belongs.
// XGBoost calls such entries missing, and learns for every split to which side they go. On binary features both are
// the same.
//
// # Sums are integers
//
// What a split gains depends on sums of g and h over rows that have a column, for all columns at once. This is where
// the time goes: every entry of every row of a node is visited. The derivatives of a tree are rounded to integers, g
// with a sign and h without, scaled such that their sums over all rows fit in 32 bits each. The two stand in one
// 64-bit number, so that a visit is one addition; and sums of integers don't depend on their order, so that trees are
// the same with any number of threads. Rounding is to 2^31 parts of the sum of |g| over all rows: for 25,000 rows, to
// 1/85,000 of their mean |g|. Shi et al. 2022, "Quantized training of gradient boosting decision trees", show that
// far fewer do. The values of leaves are computed from derivatives that are not rounded.
//
// The sums of a node's larger child are those of the node less those of the smaller child. Rows of nodes are Roaring
// bitmaps; those of a split's far side are the intersection of the node's rows with the column's.
package boost
