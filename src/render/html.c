#include "render/html.h"

#include "base/sha256.h"
#include "render/html_assets.h"
#include "render/html_parts.h"

#include <string.h>

/* ---- the head ---- */

void html_add_hash(text *out, const char *inline_text)
{
    char hash[SHA256_BASE64];
    sha256_base64(inline_text, strlen(inline_text), hash);
    text_add_format(out, " 'sha256-%s'", hash);
}

/* Nothing may be loaded, and only these two inline texts take part (Content Security Policy Level
 * 3, section 2.3.1). */
static void add_policy(text *out)
{
    text_add_string(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                         "'none'; style-src");
    html_add_hash(out, PAGE_STYLE);
    text_add_string(out, "; script-src");
    html_add_hash(out, PAGE_SCRIPT);
    text_add_string(out, "; base-uri 'none'; form-action 'none'\">\n");
}

static void add_title(const html_page *p)
{
    const trace *t = p->trace;
    html_add_words(p->out, t->name != NULL ? t->name : t->title != NULL ? "" : "attention");
    text_add_string(p->out, t->name != NULL && t->title != NULL ? ": " : "");
    html_add_words(p->out, t->title != NULL ? t->title : "");
}

static void add_head(const html_page *p)
{
    text_add_string(p->out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    add_policy(p->out);
    text_add_string(p->out, "<meta name=viewport content=\"width=device-width, "
                            "initial-scale=1\">\n<title>");
    add_title(p);
    text_add_format(p->out, "</title>\n<style>%s</style>\n</head>\n", PAGE_STYLE);
}

/* ---- the body ---- */

/* A line of the user's is a paragraph. */
static void add_notes(const html_page *p)
{
    text line = {0};
    for (const char *at = p->trace->notes == NULL ? "" : p->trace->notes; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        text_clear(&line);
        text_add(&line, at, length);
        text_add_string(p->out, "<p>");
        html_add_words(p->out, text_string(&line));
        text_add_string(p->out, "</p>\n");
        at += length + (at[length] != '\0');
    }
    p->out->failed = p->out->failed || line.failed;
    text_free(&line);
}

static bool is_blank(const html_page *p, const trace_step *step)
{
    for (step_id id = 0; id < STEP_COUNT && p->how->blank != NULL; id++) {
        if (p->how->blank[id] && step->row == (const step_row *)(const void *)named_row(&STEPS, id))
            return true;
    }
    return false;
}

static void add_step(const html_page *p, const trace_step *step, size_t number)
{
    const char *name = step->row->named.name;
    text_add_format(p->out,
                    "<section id=\"step-%s\" data-step=%s>\n<h2>%zu. %s<small>%s</small></h2>\n",
                    name, name, number, name, step->row->named.help);
    for (size_t i = 0; i < step->count; i++)
        html_add_item(p, &step->item[i], is_blank(p, step));
    text_add_string(p->out, "</section>\n");
}

static void add_body(const html_page *p)
{
    text_add_string(p->out, "<body>\n<header>\n<h1>");
    add_title(p);
    text_add_string(p->out, "</h1>\n");
    add_notes(p);
    text_add_string(p->out, "</header>\n");
    html_add_picture(p);
    text_add_string(p->out, "<main>\n");
    for (size_t i = 0; i < p->trace->steps; i++)
        add_step(p, &p->trace->step[i], i + 1);
    text_add_string(p->out, "</main>\n");
}

bool html_render(const trace *t, const render_options *how, text *out, err *e)
{
    html_page p = {.out = out, .trace = t, .how = how};
    add_head(&p);
    add_body(&p);
    html_add_data(&p);
    text_add_format(out, "<script>%s</script>\n</body>\n</html>\n", PAGE_SCRIPT);
    return text_ok(out, e);
}
