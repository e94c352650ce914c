// Included into every C file of the library on Linux. glibc gave these functions new versions when it moved them from
// libpthread into libc (2.32 and 2.34), and changed nothing else about them. With the versions of before, a library that
// was linked on a new system also loads on an old one, where Python has loaded libpthread.
#if !defined(__ASSEMBLER__) && __has_include(<gnu/libc-version.h>) // not so musl
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif
#endif
#ifdef OLDEST
#define AS_BEFORE(name) __asm__(".symver " #name "," #name "@" OLDEST)
AS_BEFORE(pthread_attr_getstack);
AS_BEFORE(pthread_attr_getstacksize);
AS_BEFORE(pthread_create);
AS_BEFORE(pthread_getattr_np);
AS_BEFORE(pthread_key_create);
AS_BEFORE(pthread_setspecific);
AS_BEFORE(pthread_sigmask);
#endif
