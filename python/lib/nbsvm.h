// What callers of the library pass in. Its functions are in the header that Go writes beside the library.
#ifndef NBSVM_TYPES_H
#define NBSVM_TYPES_H

#include <stdint.h>
#include <stdlib.h>

// Texts that lie one behind the other: the k-th is bytes[ends[k]] to bytes[ends[k+1]].
typedef struct {
	const void *bytes;
	const int64_t *ends; // count + 1 numbers
	int64_t count;
} nbsvm_texts;

// Documents are texts with labels: those of the k-th are labels[ends[k]] to labels[ends[k+1]], numbers of names that
// the request has.
typedef struct {
	nbsvm_texts texts;
	const int32_t *labels;
	const int64_t *ends; // count + 1 numbers
	const float *weights; // null where all are 1
} nbsvm_documents;

#endif
