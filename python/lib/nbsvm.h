// What callers of the library pass in. Its functions are in the header that Go writes beside the library.
#ifndef NBSVM_TYPES_H
#define NBSVM_TYPES_H

#include <stdint.h>
#include <stdlib.h>

// Texts, anywhere in memory, in UTF-8.
typedef struct {
	const void *const *starts;
	const int64_t *sizes;
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
