#include "render/html_index.h"

#include "render/html_assets.h"
#include "render/html_parts.h"

/* What the pages' own style does not have. Pictures are drawn on white. */
static const char INDEX_STYLE[] =
    "img { background: #fff; border: 1px solid var(--line); border-radius: 8px; display: block; "
    "margin: .8rem 0; max-width: 100%; height: auto; }";

/* Pictures come from next to the page: 'self' where it is served, file: where it is opened. */
static void add_head(text *out)
{
    text_add_string(out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                         "'none'; img-src 'self' file:; style-src");
    html_add_hash(out, PAGE_STYLE);
    html_add_hash(out, INDEX_STYLE);
    text_add_string(out, "; base-uri 'none'; form-action 'none'\">\n<meta name=viewport "
                         "content=\"width=device-width, initial-scale=1\">\n<title>");
    html_say(out, "examples", NULL);
    text_add_format(out, "</title>\n<style>%s</style>\n<style>%s</style>\n</head>\n", PAGE_STYLE,
                    INDEX_STYLE);
}

static void add_picture(text *out, const char *name)
{
    text_add_format(out, "<a href=\"%s.html\"><img src=\"%s.svg\" loading=lazy alt=\"", name, name);
    html_say(out, "weightsOf", &name);
    text_add_string(out, "\"></a>\n");
}

static void add_row(text *out, const html_index_row *row)
{
    text_add_format(out, "<section id=\"%s\">\n<h2><a href=\"%s.html\">", row->name, row->name);
    html_add_words(out, row->title);
    text_add_format(out, "</a><small>%s</small></h2>\n<p>", row->name);
    html_add_words(out, row->notes);
    text_add_string(out, "</p>\n");
    if (row->has_picture)
        add_picture(out, row->name);
    text_add_format(out, "<p class=note><a href=\"%s.html\">", row->name);
    html_say(out, "everyStep", &row->name);
    text_add_format(out, "</a> · <a href=\"%s.json\">", row->name);
    html_say(out, "itsDocument", NULL);
    text_add_string(out, "</a></p>\n</section>\n");
}

void html_add_index(text *out, const html_index_row *row, size_t count)
{
    add_head(out);
    text_add_string(out, "<body>\n<header>\n<h1>");
    html_say(out, "examples", NULL);
    text_add_string(out, "</h1>\n<p>");
    html_say(out, "aboutExamples", NULL);
    text_add_string(out, "</p>\n</header>\n<main>\n");
    for (size_t i = 0; i < count; i++)
        add_row(out, &row[i]);
    text_add_string(out, "</main>\n</body>\n</html>\n");
}
