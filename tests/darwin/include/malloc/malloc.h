/* Of macOS's header, what src takes. */
#include <stddef.h>

#undef __GLIBC__

size_t malloc_size(const void *block);
