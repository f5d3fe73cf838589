/* Of macOS's header, what others have not. */
#include_next <stdio.h>

#undef RENAME_EXCHANGE
#define RENAME_SWAP 2
int renamex_np(const char *from, const char *to, unsigned how);
