/* How wide the console is. */
#ifndef SELFATTN_WINDOWS_SYS_IOCTL_H
#define SELFATTN_WINDOWS_SYS_IOCTL_H

enum { TIOCGWINSZ };

struct winsize {
    int ws_col;
};

int ioctl(int descriptor, int what, struct winsize *size);

#endif
