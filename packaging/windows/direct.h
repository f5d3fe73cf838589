/* Without what has other arguments in POSIX. */
#define mkdir crt_mkdir
#include_next <direct.h>
#undef mkdir
