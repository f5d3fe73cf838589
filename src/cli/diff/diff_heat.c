/* Where a stage differs, as a heat map of the matrix that holds the first difference. */
#include "base/mem.h"
#include "cli/diff/diff_report.h"
#include "render/sampling.h"
#include "render/svg.h"

#include <math.h>

/* As many rows of cells as fit on a screen in colour, where a character shows two; or of SVG. */
enum { MOST_ROWS = 40, SVG_MOST = 64 };

typedef struct picture {
    const diff_pair *of;
    size_t index[TENSOR_MAX_RANK]; /* of the matrix: its last two axes are walked */
    size_t rows, columns;          /* of the matrix */
    sampling by;                   /* which of its rows and columns are one cell */
    heat_map map;
    double *cell; /* of the map; owned */
} picture;

/* A vector is a matrix of one row. */
static size_t size_from_end(const diff_pair *p, int from_end)
{
    int axis = p->view_a.rank - from_end;
    return axis < 0 ? 1 : p->view_a.size[axis];
}

static double apart(const diff_pair *p, const size_t *index)
{
    measured_side side_a = diff_side_a(p), side_b = diff_side_b(p);
    double a = measure_value(side_a, p->type, index), b = measure_value(side_b, p->type, index);
    if (measure_is_same(side_a, side_b, &p->within, a, b))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY;
}

static void add_title(text *out, const picture *of)
{
    element one = diff_first(of->of);
    text_add_format(out, "|a-b| of %s", one.stage);
    if (one.rank > 2) {
        text_add_string(out, "[");
        element_write_indices(&one, one.rank - 2, out);
        text_add_string(out, "]");
    }
    text_add_format(out, ", %zu x %zu", of->rows, of->columns);
    if (of->by.tall > 1 || of->by.wide > 1)
        text_add_format(out, ", the greatest of %zu x %zu numbers in a cell", of->by.tall,
                        of->by.wide);
}

static bool open_picture(picture *of, const diff_pair *p, size_t most_rows, size_t most_columns,
                         err *e)
{
    *of = (picture){.of = p, .rows = size_from_end(p, 2), .columns = size_from_end(p, 1)};
    const element first = diff_first(p);
    for (int axis = 0; axis < first.rank; axis++)
        of->index[axis] = first.index[axis];
    of->by = sampling_of(of->rows, of->columns, most_rows, most_columns);
    of->map.rows = of->by.rows;
    of->map.columns = of->by.columns;
    double *cell = mem_alloc_zeroed(of->map.rows * of->map.columns, sizeof cell[0], e);
    if (cell == NULL)
        return false;
    /* A cell is as hot as the hottest of its elements. */
    int rank = p->view_a.rank;
    for (size_t row = 0; row < of->rows; row++) {
        for (size_t column = 0; column < of->columns; column++) {
            double *at = cell + row / of->by.tall * of->map.columns + column / of->by.wide;
            if (rank > 1)
                of->index[rank - 2] = row;
            if (rank > 0)
                of->index[rank - 1] = column;
            *at = fmax(*at, apart(p, of->index));
        }
    }
    for (size_t i = 0; i < of->map.rows * of->map.columns; i++)
        heat_scale_add(&of->map.scale, cell[i]);
    of->map.magnitude = of->cell = cell;
    return true;
}

bool diff_write_heat_map(const diff_pair *p, size_t width, bool color, text *out, err *e)
{
    enum { FRAME = 2 };
    picture of;
    if (!open_picture(&of, p, MOST_ROWS, width - FRAME, e))
        return false;
    text_add_string(out, "\n");
    add_title(out, &of);
    text_add_string(out, ":\n");
    heat_map_add(out, &of.map, color);
    mem_free(of.cell);
    return true;
}

bool diff_write_svg(const diff_pair *p, text *out, err *e)
{
    picture of;
    text title = {0};
    if (!open_picture(&of, p, SVG_MOST, SVG_MOST, e))
        return false;
    add_title(&title, &of);
    bool done = text_ok(&title, e);
    if (done)
        heat_map_add_svg(out, &of.map, text_string(&title));
    text_free(&title);
    mem_free(of.cell);
    return done;
}
