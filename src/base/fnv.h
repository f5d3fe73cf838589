/* FNV-1a of 64 bits, Fowler's, Noll's and Vo's: good enough for names, and short. */
#ifndef SELFATTN_BASE_FNV_H
#define SELFATTN_BASE_FNV_H

#include <stdint.h>

/* The hash of no bytes. */
static const uint64_t FNV_OF_NOTHING = 0xcbf29ce484222325u;

/* The hash with one byte more. */
static inline uint64_t fnv_step(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

#endif
