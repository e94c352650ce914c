// Package bench measures the engine on the machine it runs on: the hardware's
// limits, the kernels, text to features, the solver, and whole jobs. It also makes
// corpora of any size to measure on.
//
// Every workload is a configuration with defaults, and a Run method that returns a
// [Report]: all samples, with the machine, version and settings they belong to.
// Samples of the cases of a workload are taken in turns (A B C A B C …), so that
// what else the machine does falls on all cases alike. Reports are printed as
// tables of medians and ranges, or kept as JSON.
package bench
