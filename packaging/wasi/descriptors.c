#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#undef close

/* Of each descriptor below, how often it is to be closed before it is: more than are open at a
 * time. */
enum { MOST = 256 };
static unsigned char copies[MOST];

int wasi_fcntl(int descriptor, int command, int value)
{
    (void)value;
    errno = EINVAL;
    if (command != F_DUPFD_CLOEXEC || descriptor < 0 || descriptor >= MOST)
        return -1;
    copies[descriptor]++;
    return descriptor;
}

int wasi_close(int descriptor)
{
    if (descriptor < 0 || descriptor >= MOST || copies[descriptor] == 0)
        return close(descriptor);
    copies[descriptor]--;
    return 0;
}
