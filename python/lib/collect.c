#include "nbsvm.h"

// nbsvm_collect finds where the texts of a tuple of Python lie in memory, without copying those of ASCII; of others
// Python keeps the UTF-8. It returns how many it has found: the next one, if there is one, is no str, or has lone
// surrogates. It is called with Python's lock held, and with the functions of Python that it needs.
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
