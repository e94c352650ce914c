// Types that callers pass in. The functions are declared in the header that Go writes beside the library.
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

// Texts with labels. The labels of text k are labels[ends[k]] up to, but not including, labels[ends[k+1]]: indices of the
// names in the request.
typedef struct {
	nbsvm_texts texts;
	const int32_t *labels;
	const int64_t *ends; // count + 1 numbers
	const float *weights; // null if all are 1
	const double *shares; // of each of the labels, -1 of those that hold as they are; null if all do
} nbsvm_documents;

#endif
