#include <stdlib.h>
#include <unistd.h>

/* WASI has no current folder: it is $PWD where whoever runs the program says so, and else the folder
 * that was opened. */
__attribute__((constructor)) static void enter(void)
{
    const char *at = getenv("PWD");
    if (at != NULL)
        (void)chdir(at);
}
