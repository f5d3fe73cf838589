/* Windows has no limits that a program could ask for. */
#ifndef SELFATTN_WINDOWS_SYS_RESOURCE_H
#define SELFATTN_WINDOWS_SYS_RESOURCE_H

enum { RLIMIT_STACK };

struct rlimit {
    unsigned long long rlim_cur;
};

static inline int getrlimit(int which, struct rlimit *limit)
{
    (void)which, (void)limit;
    return -1;
}

#endif
