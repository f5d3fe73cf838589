/* Included before each source of the coverage variant on x86-64. What the compiler locks (the steps
 * of counters, src's atomics) is assembled with a prefix of no meaning where `lock` would be, and
 * its place is listed: counters.c writes `lock` there while there are several threads. */
__asm__(".macro lock instruction:vararg\n"
        "661:\n"
        ".byte 0x3e\n"
        "\\instruction\n"
        ".pushsection step_places, \"a\"\n"
        ".long 661b - .\n"
        ".popsection\n"
        ".endm");
