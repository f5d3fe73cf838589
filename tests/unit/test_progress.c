#include "cli/out/progress.h"
#include "unit.h"

UNIT(progress)
{
    static const struct {
        size_t documents, done, blocks;
        const char *words;
    } CASES[] = {{0, 0, 0, "reading"},
                 {1, 0, 0, "1 document done"},
                 {12, 0, 0, "12 documents done"},
                 {0, 0, 7, "block 0 of 7"},
                 {12, 3, 40, "12 documents done, block 3 of 40"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char words[PROGRESS_WORDS];
        progress_words(CASES[i].documents, CASES[i].done, CASES[i].blocks, words);
        CHECK_TEXT(u, words, CASES[i].words);
    }
}
