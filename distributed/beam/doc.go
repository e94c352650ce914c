// Package nbsvmbeam scores and packs corpora with Apache Beam: on Dataflow, Flink and other runners of Beam's model, or
// on this machine.
//
// The elements of its collections are shards, which are whole files, never lines: a worker reads a shard through
// Beam's file systems, works on it as nbsvm does, and writes what it makes of it under the shard's name. [Score] makes
// what nbsvm score --out-dir would, byte for byte, and [Pack] what nbsvm pack --out-dir would.
//
// Runners may run any element again, or several times at once, and may kill workers at any time. Each attempt writes to
// a name of its own and renames what it has written when it is whole. What is there already is passed over, so that a
// job that has failed is run again as it was, and goes on.
package nbsvmbeam
