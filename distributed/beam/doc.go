// Package nbsvmbeam scores corpora with Apache Beam: on Dataflow, Flink and other runners of Beam's model, or on this
// machine.
//
// The elements of its collections are whole files, never lines: a worker reads a file through Beam's file systems, and
// writes of it what nbsvm score --out-dir would, byte for byte, under the file's name.
//
// Runners may run any element again, or several times at once, and may kill workers at any time. Each attempt writes to
// a name of its own and renames what it has written when it is whole. What is there already is passed over, so that a
// job that has failed is run again as it was, and goes on.
package nbsvmbeam
