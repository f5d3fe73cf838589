#include "faults/kinds.h"

#include <errno.h>

/* stat, access and a second descriptor are asked for hints as well, and folders are looked through
 * for what a killed run left there: without an answer the same output may come. fstat
 * too, yet a file that is updated must be known. An input that can't be closed has
 * been read; an interrupted close has closed. */
const fault_kind FAULT_KINDS[] = {
    {"allocation", CALL_ALLOCATION, EFFECT_FAILS, ENOMEM, .may_go_on = false},
    {"open", CALL_OPEN, EFFECT_FAILS, EMFILE, .may_go_on = false},
    {"opendir", CALL_OPENDIR, EFFECT_FAILS, EMFILE, .may_go_on = true},
    {"readdir", CALL_READDIR, EFFECT_FAILS, EIO, .may_go_on = true},
    {"stat", CALL_STAT, EFFECT_FAILS, EIO, .may_go_on = true},
    {"fstat", CALL_FSTAT, EFFECT_FAILS, EIO, .may_go_on = true},
    {"access", CALL_ACCESS, EFFECT_FAILS, EIO, .may_go_on = true},
    {"readlink", CALL_READLINK, EFFECT_FAILS, EIO, .may_go_on = false},
    {"fcntl", CALL_FCNTL, EFFECT_FAILS, EMFILE, .may_go_on = true},
    {"mmap", CALL_MMAP, EFFECT_FAILS, ENOMEM, .must_go_on = true}, /* then the file is read */
    {"reserve", CALL_RESERVE, EFFECT_FAILS, ENOMEM, .may_go_on = false},
    {"read", CALL_READ, EFFECT_FAILS, EIO, .may_go_on = false},
    {"interrupted read", CALL_READ, EFFECT_FAILS, EINTR, .must_go_on = true, .once_only = true},
    {"short read", CALL_READ, EFFECT_SHORT, 0, .must_go_on = true},
    {"write", CALL_WRITE, EFFECT_FAILS, ENOSPC, .after_output = true},
    {"interrupted write", CALL_WRITE, EFFECT_FAILS, EINTR, .must_go_on = true, .once_only = true},
    {"short write", CALL_WRITE, EFFECT_SHORT, 0, .must_go_on = true},
    {"close of an input", CALL_CLOSE_INPUT, EFFECT_FAILS, EIO, .must_go_on = true},
    {"close of an output", CALL_CLOSE_OUTPUT, EFFECT_FAILS, EIO, .after_output = true},
    {"interrupted close", CALL_CLOSE_OUTPUT, EFFECT_FAILS, EINTR, .must_go_on = true},
    {"fchmod", CALL_FCHMOD, EFFECT_FAILS, EPERM, .may_go_on = false},
    {"fsync", CALL_FSYNC, EFFECT_FAILS, EIO, .may_go_on = false},
    {"rename", CALL_RENAME, EFFECT_FAILS, EACCES, .after_output = true},
    {"exchange", CALL_EXCHANGE, EFFECT_FAILS, EINVAL, .must_go_on = true}, /* then it is renamed */
    {"lock", CALL_LOCK, EFFECT_FAILS, ENOLCK, .must_go_on = true},
    {"thread", CALL_THREAD, EFFECT_FAILS, EAGAIN, .must_go_on = true, .note = "threads ran"},
};

const size_t FAULT_KIND_COUNT = sizeof FAULT_KINDS / sizeof FAULT_KINDS[0];
