#include "render/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A formula being translated. */
typedef struct math_writer {
    text *out;
    const char *at, *end;
    math_words *words;
    const char *formula; /* that the spans count from */
    const math_span *span;
    size_t spans;
} math_writer;

static const struct {
    const char *character, *command;
} SYMBOLS[] = {
    {"·", "\\cdot "}, {"×", "\\times "}, {"−", "-"},        {"≤", "\\le "}, {"≥", "\\ge "},
    {"Σ", "\\sum "},  {"²", "^2"},       {"³", "^3"},       {"π", "\\pi "}, {"Φ", "\\Phi "},
    {"…", "\\dots "}, {"→", "\\to "},    {"ᵀ", "^{\\top}"}, {"ⱼ", "_j"},    {"ᵢ", "_i"},
    {"′", "'"},       {"√", "\\surd "},
};

/* Words that are written as functions are. */
static const char *const FUNCTIONS[] = {"exp", "ln", "max", "min", "tanh", "cos", "sin"};

/* Words of a sentence, between formulas. */
static const char *const PLAIN[] = {"and", "at", "from", "in", "of", "or", "the", "to", "up"};

const char *math_symbol(const char *at, size_t *bytes)
{
    for (size_t i = 0; i < sizeof SYMBOLS / sizeof SYMBOLS[0]; i++) {
        *bytes = strlen(SYMBOLS[i].character);
        if (strncmp(at, SYMBOLS[i].character, *bytes) == 0)
            return SYMBOLS[i].command;
    }
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- words ---- */

/* ln1 is one word, as ln_f is. */
static size_t word_length(const math_writer *w)
{
    const char *at = w->at;
    while (at < w->end && (is_letter(*at) || is_digit(*at) ||
                           ((*at == '_' || *at == '-') && at + 1 < w->end && is_letter(at[1]))))
        at++;
    return (size_t)(at - w->at);
}

static bool is_one_of(const char *const *words, size_t count, const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    }
    return false;
}

bool math_is_weight(const char *word, size_t length)
{
    return length == 2 && (word[0] == 'W' || word[0] == 'b') && memchr("qkvo", word[1], 4) != NULL;
}

/* Wq and bo are a letter with an index, as w1 and d_k are; `*index` says where that begins. */
static bool has_index(const char *word, size_t length, size_t *index)
{
    bool is_joined = length == 2 && strchr("WUbv", word[0]) != NULL && word[1] >= 'a',
         is_numbered = length > 1 && strspn(word + 1, "0123456789") >= length - 1;
    *index = is_joined || is_numbered ? 1 : 2;
    return is_joined || is_numbered || (length == 3 && word[1] == '_');
}

/* The span that begins here and counts as one word; NULL: none does. */
static const math_span *span_here(const math_writer *w)
{
    for (size_t i = 0; i < w->spans; i++) {
        if (w->formula + w->span[i].at == w->at)
            return &w->span[i];
    }
    return NULL;
}

static void add_token(math_writer *w);

static void add_word(math_writer *w)
{
    size_t length = word_length(w), index;
    const char *word = w->at;
    bool is_plain = is_one_of(PLAIN, sizeof PLAIN / sizeof PLAIN[0], word, length);
    w->at += length;
    if (length == 1)
        text_add(w->out, word, 1);
    else if (length == 3 && memcmp(word, "inf", 3) == 0)
        text_add_string(w->out, "\\infty");
    else if (is_one_of(FUNCTIONS, sizeof FUNCTIONS / sizeof FUNCTIONS[0], word, length))
        text_add_format(w->out, "\\%.*s ", (int)length, word);
    else if (math_is_weight(word, length))
        text_add_format(w->out, "%c_{%c}", word[0], toupper((unsigned char)word[1]));
    else if (has_index(word, length, &index))
        text_add_format(w->out, "%c_{%.*s}", word[0], (int)(length - index), word + index);
    else { /* a hyphen would be a minus in \mathrm, an underscore an index */
        bool is_text = memchr(word, '-', length) != NULL || is_plain;
        text_add_string(w->out, is_text ? "\\text{" : "\\mathrm{");
        for (size_t i = 0; i < length; i++) {
            text_add_string(w->out, word[i] == '_' ? "\\" : "");
            text_add(w->out, word + i, 1);
        }
        text_add_string(w->out, "}");
    }
    /* "or -inf": after a word of a sentence a minus takes nothing off, it is a sign. */
    if (is_plain && w->end - w->at > 2 && memcmp(w->at, " -", 2) == 0) {
        w->at += 2;
        text_add_string(w->out, "\\ {-");
        add_token(w);
        text_add_string(w->out, "}");
    }
}

/* ---- numbers ---- */

static bool is_raised(const char *at, const char *end)
{
    size_t bytes = strlen("²");
    return (size_t)(end - at) >= bytes &&
           (memcmp(at, "²", bytes) == 0 || memcmp(at, "³", bytes) == 0);
}

/* 6.0337e-06 is 6.0337·10⁻⁶, in parentheses where that is raised. */
static void add_number(math_writer *w)
{
    const char *begin = w->at, *after;
    while (w->at < w->end && (is_digit(*w->at) || *w->at == '.'))
        w->at++;
    bool has_exponent = w->end - w->at > 2 && *w->at == 'e' &&
                        (w->at[1] == '-' || w->at[1] == '+') && is_digit(w->at[2]);
    for (after = has_exponent ? w->at + 2 : w->at; after < w->end && is_digit(*after);)
        after++;
    bool is_apart = has_exponent && is_raised(after, w->end);
    text_add_string(w->out, is_apart ? "(" : "");
    text_add(w->out, begin, (size_t)(w->at - begin));
    if (has_exponent)
        text_add_format(w->out, "\\cdot 10^{%ld}", strtol(w->at + 1, NULL, 10));
    text_add_string(w->out, is_apart ? ")" : "");
    w->at = after;
}

/* ---- the rest ---- */

/* A longer root than this has its lines below each other: a root can't go on in the next line. */
enum { LONGEST_ROOT = 60 };

/* Adds all of `w`, a new row wherever the next piece would be beyond the longest line. */
static void add_rows_under_root(math_writer *w)
{
    size_t column = 0;
    text_add_string(w->out, "\\begin{aligned}&");
    while (w->at < w->end) {
        const char *next = memchr(w->at, MATH_BREAK, (size_t)(w->end - w->at)), *end = w->end;
        w->end = next != NULL ? next : end;
        size_t columns = display_columns(w->at, (size_t)(w->end - w->at));
        if (column > 0 && column + columns > LONGEST_ROOT) {
            text_add_string(w->out, " \\\\ &{}");
            column = 0;
        }
        while (w->at < w->end)
            add_token(w);
        column += columns;
        w->at += next != NULL;
        w->end = end;
    }
    text_add_string(w->out, "\\end{aligned}");
}

/* What stands in parentheses, without them, else the next word or number. */
static void add_group(math_writer *w, bool is_root)
{
    text_add_string(w->out, "{");
    if (w->at < w->end && *w->at == '(') {
        size_t depth = 0;
        const char *close = w->at;
        do
            depth += (*close == '(') - (size_t)(*close == ')');
        while (++close < w->end && depth > 0);
        math_writer inner = *w;
        inner.at++;
        inner.end = depth == 0 ? close - 1 : close;
        if (is_root && display_columns(inner.at, (size_t)(inner.end - inner.at)) > LONGEST_ROOT)
            add_rows_under_root(&inner);
        while (inner.at < inner.end)
            add_token(&inner);
        w->at = close;
    } else if (w->at < w->end)
        add_token(w);
    text_add_string(w->out, "}");
}

/* Mathematics knows no spaces; between words they are asked for. A command ends in a space of its
 * own, and the j of Σⱼ is not a word. */
static void add_space(math_writer *w)
{
    const text *out = w->out;
    char last = out->length > 0 ? out->data[out->length - 1] : ' ';
    bool is_index = out->length > 1 && out->data[out->length - 2] == '_';
    bool is_after_word =
        is_digit(last) || strchr("}:,)]'", last) != NULL || (is_letter(last) && !is_index);
    w->at++;
    bool is_before_word = w->at < w->end && (is_letter(*w->at) || is_digit(*w->at) ||
                                             *w->at == '(' || span_here(w) != NULL);
    text_add_string(w->out, is_after_word && is_before_word ? "\\ " : " ");
}

/* The characters that are orders to LaTeX, as themselves. */
static const escape ORDERS[] = {
    {'\\', "\\backslash "}, {'~', "\\sim "}, {'"', "\\text{\"}"}, {'`', "\\text{`}"},
    {'{', "\\{"},           {'}', "\\}"},    {'$', "\\$"},        {'%', "\\%"},
    {'&', "\\&"},           {'#', "\\#"},    {'_', "\\_"},        {'\0', NULL},
};

static void add_words(math_writer *w, size_t bytes)
{
    text_add_string(w->out, "\\text{");
    w->words(w->out, w->at, bytes);
    text_add_string(w->out, "}");
    w->at += bytes;
}

static void add_character(math_writer *w)
{
    const text *out = w->out;
    size_t bytes;
    const char *command = math_symbol(w->at, &bytes), *order = escape_find(ORDERS, *w->at);
    /* The point in a name such as "ln1.mean" is not punctuation, after which MathJax would leave a
     * space. */
    bool is_after_word = out->length > 0 && strchr("}]", out->data[out->length - 1]) != NULL;
    bool is_dot_of_name =
        *w->at == '.' && is_after_word && w->at + 1 < w->end && is_letter(w->at[1]);
    if (command != NULL) {
        text_add_string(w->out, command);
        w->at += bytes;
    } else if (order != NULL) {
        text_add_string(w->out, order);
        w->at++;
    } else if (is_dot_of_name) {
        text_add_string(w->out, "{.}");
        w->at++;
    } else if ((unsigned char)*w->at > ' ' && (unsigned char)*w->at < 0x7f)
        text_add(w->out, w->at++, 1);
    else { /* all up to the next one that mathematics has: what joins stays together */
        const char *at = w->at;
        do
            at += glyph_at(at, w->end).bytes;
        while (at < w->end && (unsigned char)*at >= 0x80 && math_symbol(at, &bytes) == NULL);
        add_words(w, (size_t)(at - w->at));
    }
}

static void add_token(math_writer *w)
{
    static const char ROOT[] = "√";
    const math_span *span = span_here(w);
    if (span != NULL && span->bytes > 0)
        add_words(w, span->bytes);
    else if (*w->at == MATH_BREAK)
        w->at++;
    else if (is_letter(*w->at))
        add_word(w);
    else if (is_digit(*w->at))
        add_number(w);
    else if (*w->at == ' ')
        add_space(w);
    else if (*w->at == '^') {
        text_add(w->out, w->at++, 1);
        add_group(w, false);
    } else if ((size_t)(w->end - w->at) >= strlen(ROOT) && memcmp(w->at, ROOT, strlen(ROOT)) == 0) {
        w->at += strlen(ROOT);
        text_add_string(w->out, "\\sqrt");
        add_group(w, true);
    } else
        add_character(w);
}

size_t math_piece(const char *formula)
{
    static const char ROOT[] = "√(";
    const char *at = formula;
    for (size_t depth = 0; *at != '\0' && (*at != MATH_BREAK || depth > 0); at++) {
        if (depth > 0)
            depth += (*at == '(') - (size_t)(*at == ')');
        else if (strncmp(at, ROOT, strlen(ROOT)) == 0)
            depth = 1, at += strlen(ROOT) - 1;
    }
    return (size_t)(at - formula);
}

bool math_is_words(const char *formula)
{
    size_t index;
    math_writer w = {.at = formula, .end = formula + strlen(formula)};
    for (; w.at < w.end; w.at += *w.at == '(' || *w.at == ')') {
        size_t length = is_letter(*w.at) ? word_length(&w) : 0;
        if (length == 1 || has_index(w.at, length, &index) || strchr("()", w.at[length]) == NULL)
            return false;
        w.at += length;
    }
    return true;
}

void math_add_part(text *out, const char *formula, size_t first, size_t end, const math_span *span,
                   size_t spans, math_words *words)
{
    math_writer w = {.out = out,
                     .at = formula + first,
                     .end = formula + end,
                     .words = words,
                     .formula = formula,
                     .span = span,
                     .spans = spans};
    while (w.at < w.end)
        add_token(&w);
}

void math_add(text *out, const char *formula, size_t length, math_words *words)
{
    math_add_part(out, formula, 0, length, NULL, 0, words);
}
