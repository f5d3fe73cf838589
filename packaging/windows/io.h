/* Without what has other arguments in POSIX. */
#define read crt_read
#define write crt_write
#define mkdir crt_mkdir
#include_next <io.h>
#undef read
#undef write
#undef mkdir
