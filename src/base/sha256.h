/* SHA-256 (FIPS 180-4) of bytes in memory. A page's Content-Security-Policy names its own style and
 * script by it. Nothing secret depends on it. */
#ifndef SELFATTN_BASE_SHA256_H
#define SELFATTN_BASE_SHA256_H

#include <stddef.h>

enum { SHA256_BYTES = 32, SHA256_BASE64 = 45 };

void sha256(const void *bytes, size_t length, unsigned char digest[SHA256_BYTES]);

/* The same in base64 (RFC 4648, section 4), 44 characters and a NUL. */
void sha256_base64(const void *bytes, size_t length, char out[SHA256_BASE64]);

#endif
