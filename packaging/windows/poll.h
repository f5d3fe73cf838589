/* What is asked of poll is to wait. */
#ifndef SELFATTN_WINDOWS_POLL_H
#define SELFATTN_WINDOWS_POLL_H

struct pollfd;

int poll(struct pollfd *files, unsigned count, int milliseconds);

#endif
