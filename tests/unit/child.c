#include "child.h"

#include <errno.h>
#include <sys/wait.h>

int child_status(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool child_ended_well(pid_t child)
{
    return child_status(child) == 0;
}
