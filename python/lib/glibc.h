// Included into every C file of the library on Linux. glibc gave these functions new versions when it moved them from
// libpthread into libc (2.32 and 2.34), and changed nothing else about them. With the versions of before, a library that
// was linked on a new system also loads on an old one.
#ifndef __ASSEMBLER__
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif
#ifdef OLDEST
__asm__(".symver pthread_getattr_np,pthread_getattr_np@" OLDEST);
__asm__(".symver pthread_sigmask,pthread_sigmask@" OLDEST);
__asm__(".symver pthread_attr_getstack,pthread_attr_getstack@" OLDEST);
__asm__(".symver pthread_attr_getstacksize,pthread_attr_getstacksize@" OLDEST);
__asm__(".symver pthread_create,pthread_create@" OLDEST);
__asm__(".symver pthread_key_create,pthread_key_create@" OLDEST);
__asm__(".symver pthread_setspecific,pthread_setspecific@" OLDEST);
#endif
#endif
