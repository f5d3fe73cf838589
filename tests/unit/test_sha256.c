/* SHA-256 against published vectors. */
#include "unit.h"

#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

static void check_digest(unit *u, const char *message, size_t length, const char *wanted)
{
    unsigned char digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256(message, length, digest);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    CHECK_TEXT(u, hex, wanted);
}

/* NIST, "Cryptographic Standards and Guidelines: Examples with Intermediate Values", SHA-256; the
 * empty message and the million letters are those of its SHA test vectors. */
static void check_published(unit *u)
{
    static const char TWO_BLOCKS[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check_digest(u, "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest(u, "abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest(u, TWO_BLOCKS, strlen(TWO_BLOCKS),
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    enum { MILLION = 1000000 };
    char *letters = malloc(MILLION);
    if (!CHECK(u, letters != NULL))
        return;
    memset(letters, 'a', MILLION);
    check_digest(u, letters, MILLION,
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(letters);
}

/* What browsers write for an empty inline style or script: sha256-47DEQpj8…, in base64. */
static void check_base64(unit *u)
{
    char out[SHA256_BASE64];
    sha256_base64("", 0, out);
    CHECK_TEXT(u, out, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    sha256_base64("abc", 3, out);
    CHECK_TEXT(u, out, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

UNIT(sha256)
{
    check_published(u);
    check_base64(u);
}
