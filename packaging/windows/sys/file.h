/* Locks on files, which hold back none but those who ask for one. */
#ifndef SELFATTN_WINDOWS_SYS_FILE_H
#define SELFATTN_WINDOWS_SYS_FILE_H

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4 };

int flock(int descriptor, int how);

#endif
