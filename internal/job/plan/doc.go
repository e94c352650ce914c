// Package plan tells what a job of packing, training and scoring will take, before it is begun.
//
// The job is rehearsed on a sample of its documents, by the same functions, on as many threads, and in memory that is
// smaller by as much as the sample has fewer distinct n-grams: what does not fit there does not fit in the job, either.
// Time grows with documents, memory and files with what they hold. Distinct n-grams grow more slowly than documents
// (Heaps' law); how much more slowly is seen on parts of the sample.
//
// What a sample cannot tell is an assumption, and a plan lists those that it has made.
package plan
