// Package ngrams counts in how many documents each n-gram is, given by its hash, and numbers
// those of enough documents as columns.
//
//	documents' hashes ── Block.Fill ─────────> blocks, by partition  blocks side by side
//	blocks ───────────── Counter.Count ──────> tables of counts      partitions side by side
//	tables of counts ─── Counter.Vocabulary ─> columns               partitions side by side
//	blocks ───────────── Vocabulary.Find ────> columns, by partition partitions side by side
//	blocks ───────────── Block.Found ────────> rows, by document     blocks side by side
//
// A partition is given by the first bits of a hash, and what has to be known of its n-grams
// fits into the cache. Counts are exact. Nothing depends on the number of threads, nor on how
// documents are divided into blocks.
package ngrams
