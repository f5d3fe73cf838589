/* What pictures of heads are drawn from, where a page has not the numbers: 12 layers of 12 heads of
 * 512 tokens are 38 million weights. Of each head it has the greatest weight of each square, a byte
 * a square, and what each key gets in all. */
#include "render/html_overview.h"

#include "render/brackets.h"
#include "render/heat_map.h"
#include "render/html_data.h"
#include "render/html_english.h"
#include "render/html_words.h"

#include <math.h>
#include <string.h>

/* A picture is about as wide as a thumb, and shows no more squares. What a key gets has four
 * decimals, and four digits: up to 7,163 queries, which give 1 each at most. */
enum { SQUARES = 64, GOT_PLACES = 4, GOT_DECIMALS = 10000, MOST_QUERIES = 7163 };

bool html_is_in_overview(const html_page *p, const trace_map *map)
{
    return p->asked == NULL && strcmp(map->name, "weights") == 0 && map->is_share &&
           room_has_step(p->room, STEP_STATISTICS);
}

void html_add_overview(const html_page *p)
{
    html_page at = *p;
    bool is_there = false;
    for (size_t i = 0; i < p->whole->rooms && !is_there; i++) {
        at.room = p->whole->room[i];
        const trace_map *weights = map_named(at.room, "weights");
        is_there = weights != NULL && html_is_in_overview(&at, weights);
    }
    if (is_there)
        html_add_format(p->out, "<div class=overview>\n<h2>%s</h2>\n<p class=note>%s</p>\n</div>\n",
                        html_english("overview"), html_english("overviewDrawn"));
}

/* Weights are small where keys are many: a square's colour goes with the root of its greatest. */
static void add_squares(text *out, const sampling *s, const tensor *weights)
{
    uint64_t level[SQUARES];
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t j = 0; j < s->columns; j++) {
            double most = sampling_at(s, weights, i, j);
            double share = isfinite(most) && most > 0 ? fmin(most, 1) : 0;
            level[j] = (uint64_t)ceil(sqrt(share) * (HTML_BASE - 1));
        }
        html_add_whole(out, level, s->columns, 1);
    }
}

static void add_got(text *out, const tensor *weights)
{
    for (size_t j = 0; j < weights->size[1]; j++) {
        double got = 0;
        for (size_t i = 0; i < weights->size[0]; i++) {
            double weight = matrix_at(weights, i, j);
            got += isfinite(weight) ? weight : 0;
        }
        html_add_whole(out, &(uint64_t){(uint64_t)(got * GOT_DECIMALS + 0.5)}, 1, GOT_PLACES);
    }
}

/* A text a head. */
void html_add_overview_of(const html_page *p, const trace_map *map)
{
    const size_t *size = map->values.size;
    sampling s = sampling_of(size[1], size[2], SQUARES, SQUARES);
    text_add_format(p->out, ",\n\"squares\":[%zu,%zu", s.rows, s.columns);
    for (size_t h = 0; h < size[0]; h++) {
        tensor weights = tensor_at(&map->values, h);
        text_add_string(p->out, ",\n\"");
        add_squares(p->out, &s, &weights);
        text_add_string(p->out, "\"");
    }
    if (size[1] <= MOST_QUERIES)
        text_add_string(p->out, "],\n\"got\":[");
    for (size_t h = 0; h < size[0] && size[1] <= MOST_QUERIES; h++) {
        tensor weights = tensor_at(&map->values, h);
        text_add_string(p->out, h > 0 ? ",\n\"" : "\"");
        add_got(p->out, &weights);
        text_add_string(p->out, "\"");
    }
    text_add_string(p->out, "]");
}
