#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, LENGTH_BYTES = 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section
 * 4.2.2). */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* Section 6.2.2: the message schedule, then steps 2 to 4; v holds a to h in their order. */
static void take_block(uint32_t hash[8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    for (size_t t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (size_t t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        uint32_t s0 = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3;
        uint32_t s1 = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    memcpy(v, hash, sizeof v);
    for (size_t t = 0; t < 64; t++) {
        uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + K[t] + w[t];
        uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (size_t i = 0; i < 8; i++)
        hash[i] += v[i];
}

void sha256(const void *bytes, size_t length, unsigned char digest[SHA256_BYTES])
{
    uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}; /* section 5.3.3 */
    const unsigned char *at = bytes;
    size_t left = length;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
        take_block(hash, at);
    /* The rest of the message, a 1 bit, zeros, and the length in bits: one block or two (section
     * 5.1.1). */
    unsigned char end[2 * BLOCK] = {0};
    size_t blocks = left + 1 + LENGTH_BYTES > BLOCK ? 2 : 1;
    memcpy(end, at, left);
    end[left] = 0x80;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        end[blocks * BLOCK - 1 - i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
    for (size_t i = 0; i < blocks; i++)
        take_block(hash, end + i * BLOCK);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        digest[i] = (unsigned char)(hash[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_base64(const void *bytes, size_t length, char out[SHA256_BASE64])
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char digest[SHA256_BYTES + 1] = {0};
    sha256(bytes, length, digest);
    for (size_t i = 0; i < SHA256_BASE64 - 2; i++) {
        size_t bit = 6 * i, byte = bit / 8;
        unsigned two = (unsigned)digest[byte] << 8 | digest[byte + 1];
        out[i] = DIGITS[two >> (10 - bit % 8) & 63];
    }
    out[SHA256_BASE64 - 2] = '='; /* 32 bytes are 43 digits and two bits of nothing */
    out[SHA256_BASE64 - 1] = '\0';
}
