/* record_float.c: prints the FNV-1a hashes of what the C library's logf, sinf and cosf give for each
 * of the 2^24 numbers that PyTorch may ask them (tests/unit/test_random.c, scalar_functions).
 *
 * On Debian 12: cc -O2 -std=c11 testdata/random/record_float.c -lm -o record_float && ./record_float
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t add(uint64_t hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (hash ^ bits) * 0x100000001b3u;
}

int main(void)
{
    uint64_t log_hash = 0xcbf29ce484222325u, sine_hash = log_hash, cosine_hash = log_hash;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        float u = (float)i * 0x1p-24f, angle = (float)(6.283185307179586 * (double)u);
        log_hash = add(log_hash, logf(1 - u));
        sine_hash = add(sine_hash, sinf(angle));
        cosine_hash = add(cosine_hash, cosf(angle));
    }
    printf("%016llx %016llx %016llx\n", (unsigned long long)log_hash, (unsigned long long)sine_hash,
           (unsigned long long)cosine_hash);
    return 0;
}
