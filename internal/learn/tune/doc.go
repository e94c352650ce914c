// Package tune searches for the options of training that cross-validate best.
//
// A search has three parts. First, what train takes by default and settings that were good on other data, the portfolio
// (Feurer et al. 2020, "Auto-Sklearn 2.0", section 3), are compared by successive halving (Jamieson and Talwalkar 2016,
// "Non-stochastic best arm identification"): on a part of the documents and few folds all of them, on more the better
// third, on all folds what is left and the defaults. Then the best ones are changed in one respect at a time, for as
// long as this helps; a change is tried on two folds first, and given up where it is worse on these (Maron and Moore
// 1994, "Hoeffding races"). Last, the defaults are chosen unless the best setting is better by more than one standard
// error. If it is, the simplest setting within one standard error of it is chosen (Breiman et al. 1984, section 3.4.3).
// The standard error is that of the differences between two settings on the same folds.
//
// Which settings are tried depends on the documents, the seed and the results alone. A limit of time ends the search
// earlier, nothing else.
package tune
