#include "nbsvm.h"

// nbsvm_collect finds the texts of a Python tuple in memory. ASCII texts are not copied; for others Python caches the
// UTF-8. It returns the number of texts found: the next one, if any, is not a str or has lone surrogates. The caller
// holds Python's lock and passes the functions of Python that it needs.
int64_t nbsvm_collect(void *tuple, int64_t count, void *(*get_item)(void *, intptr_t),
		const char *(*as_utf8)(void *, intptr_t *), void (*clear_error)(void), const void **starts, int64_t *sizes) {
	for (int64_t k = 0; k < count; k++) {
		intptr_t size = 0;
		void *item = get_item(tuple, (intptr_t)k);
		const char *text = item == NULL ? NULL : as_utf8(item, &size);
		if (text == NULL) {
			clear_error();
			return k;
		}
		starts[k] = text;
		sizes[k] = size;
	}
	return count;
}
