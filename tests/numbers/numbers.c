/* numbers: every float32, and a hundred million float64, written and read back; proof.h says what
 * that shows. In the environment, STRIDE leaves out all but every so manyeth, and THREADS are as
 * many as there are processors where it is not set. */
#include "base/threads.h"
#include "io/number_parts.h"
#include "numbers/proof.h"
#include "numbers/to_chars.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t ALL_F32 = (uint64_t)1 << 31; /* each with its negative */
static const uint64_t ALL_F64 = 100000000;
enum { BLOCK = 1 << 16, MOST_FAILURES = 20 };

typedef struct job {
    uint64_t stride;
    atomic_uint_fast64_t next; /* block of float32, and after them of float64 */
    atomic_uint_fast64_t failures;
} job;

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t random_of(uint64_t index)
{
    uint64_t z = index * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Values of all magnitudes, and those that are hard to write or common to meet. */
static uint64_t random_f64(uint64_t index)
{
    uint64_t random = random_of(2 * index + 1), more = random_of(2 * index + 2);
    uint64_t exponent = more % 2046 + 1;
    switch (index % 8) {
    case 0: /* few digits */
        return float64_bits((double)(random % 1000000) / 1000);
    case 1: /* subnormal */
        return random >> 12 >> more % 52;
    case 2: /* a power of two, or next to one */
        return (exponent << 52) + random % 5 - 2;
    case 3: /* a whole number */
        return float64_bits((double)(random >> (10 + more % 50)));
    case 4: /* between 0 and 1 */
        return float64_bits((double)(random >> 11) / 9007199254740992.0);
    default:
        return random & 0x7fffffffffffffff;
    }
}

/* "12.345e-6": up to 40 digits, a point anywhere, any exponent that matters. */
static bool prove_random_text(uint64_t index)
{
    char text[64], *at = text;
    uint64_t random = random_of(~index), more = random_of(~index ^ (uint64_t)1 << 40);
    int digits = 1 + (int)(random % 40), point = (int)(random / 64 % 40);
    for (int i = 0; i < digits; i++) {
        if (i == point && i > 0)
            *at++ = '.';
        more = more * 6364136223846793005 + 1442695040888963407;
        *at++ = (char)('0' + (more >> 33) % 10);
    }
    snprintf(at, sizeof text - (size_t)(at - text), "e%d", (int)(random / 4096 % 720) - 380);
    return proof_of_text(text);
}

static bool prove_f64(uint64_t index)
{
    bool right = proof_of_f64(random_f64(index));
    if (index % 8 == 0)
        right &= prove_random_text(index);
    if (index % 64 == 1)
        right &= proof_of_half((uint32_t)(random_of(index) % FLOAT32.infinity));
    return right;
}

static void work(void *context, size_t worker)
{
    job *j = context;
    (void)worker;
    uint64_t count = (ALL_F32 + j->stride - 1) / j->stride;
    uint64_t all = count + ALL_F64 / j->stride;
    for (;;) {
        uint64_t first = atomic_fetch_add(&j->next, 1) * BLOCK;
        uint64_t end = first + BLOCK < all ? first + BLOCK : all;
        if (first >= all || atomic_load(&j->failures) >= MOST_FAILURES)
            return;
        for (uint64_t i = first; i < end; i++) {
            bool right = i < count ? proof_of_f32((uint32_t)(i * j->stride)) : prove_f64(i - count);
            if (!right)
                atomic_fetch_add(&j->failures, 1);
        }
    }
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t value = text == NULL ? 0 : strtoull(text, NULL, 10);
    return value == 0 ? otherwise : value;
}

int main(void)
{
    job j = {.stride = setting("STRIDE", 1)};
    size_t threads = (size_t)setting("THREADS", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (to_chars_f32 == NULL)
        printf("skipped: numbers: std::to_chars, for want of a C++ compiler\n");
    threads_run(threads, work, &j);
    uint64_t failures = atomic_load(&j.failures);
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %d skipped\n",
           2 * (ALL_F32 / j.stride) + ALL_F64 / j.stride - failures, failures,
           to_chars_f32 == NULL);
    return failures == 0 ? 0 : 1;
}
