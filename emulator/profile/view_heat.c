/* A picture of a buffer: how often one block touched each element. */
#include <stdlib.h>
#include <string.h>

#include "profile/heat_rows.h"
#include "profile/svg.h"
#include "profile/views.h"

#define CELL   25.
#define HIGH   22.
#define LEFT   110.
#define MARGIN 24.
#define TOP    104. /* with a line more for a matrix */
#define LINE   22.
#define SHADES 5
#define WIDTH  (int)(LEFT + 32 * CELL + MARGIN) /* of a line's picture, and the least: it has titles */

static unsigned shade(uint32_t touches, uint32_t most) {
    if (!touches)
        return 0;
    return most <= SHADES - 1 ? touches : 1 + (unsigned)((uint64_t)(touches - 1) * (SHADES - 1) / most);
}

static void short_number(uint32_t n, char *out, size_t size) {
    if (n < 1000)
        snprintf(out, size, "%u", n);
    else if (n < 1000000)
        snprintf(out, size, "%uk", n / 1000);
    else
        snprintf(out, size, "%uM", n / 1000000);
}

/* Labelled with the row of a matrix, or with the first element's index. */
static void draw_row(FILE *svg, FILE *text, const struct heat_rows *r, uint32_t row, double y) {
    static const char *const classes[] = {"heat0", "heat1", "heat2", "heat3", "heat4"};
    char label[32];
    uint32_t number = r->first_row + row * r->per_row;
    snprintf(label, sizeof label, "%s%u", r->matrix ? "row " : "", r->matrix ? number : r->origin + number * r->pitch);
    svg_text(svg, LEFT - 12, y + HIGH / 2 + 5, SVG_RIGHT, "small dim", label);
    fprintf(text, "  %9s ", label);
    for (uint32_t column = 0; column < r->cell_columns; column++) {
        uint32_t n = r->touches[row * r->cell_columns + column];
        unsigned s = shade(n, r->most);
        svg_box(svg, LEFT + column * CELL, y, CELL, HIGH, classes[s]);
        short_number(n, label, sizeof label);
        if (n)
            svg_text(svg, LEFT + (column + 0.5) * CELL, y + HIGH / 2 + 4, SVG_MIDDLE,
                     s == SHADES - 1 ? "cell tiny light" : "cell tiny", label);
        fprintf(text, " %3s", n ? label : ".");
    }
    fputs("\n", text);
}

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* "Each cell is an element", or how many it is. */
static void describe_cells(const struct heat_rows *r, char *out, size_t size) {
    if (r->per_row * r->per_column == 1)
        snprintf(out, size, "Each cell is an element; its number is how often threads accessed it.");
    else if (r->matrix)
        snprintf(out, size, "Each cell is %u x %u elements; its number is how often threads accessed the busiest one.",
                 r->per_row, r->per_column);
    else
        snprintf(out, size, "Each cell is %u elements; its number is how often threads accessed the busiest one.",
                 r->per_column);
}

static void describe_rows(const struct heat *h, const struct heat_rows *r, char *out, size_t size) {
    if (r->matrix)
        snprintf(out, size, "Rows start every %u elements (%u bytes): rows %u to %u, columns %u to %u of the buffer.",
                 r->pitch, r->pitch * h->element, r->first_row, r->first_row + r->rows - 1, r->first_column,
                 r->first_column + r->columns - 1);
    else
        snprintf(out, size, "Rows have %u elements and are labelled with their first element's index.", r->pitch);
}

static void describe_touches(const struct heat *h, const struct heat_rows *r, const uint32_t block[3], char *out,
                             size_t size) {
    uint64_t loads = 0, stores = 0;
    for (uint32_t i = 0; i < h->elements; i++) {
        loads += h->loads[i];
        stores += h->stores[i];
    }
    snprintf(out, size, "%u thread%s: %llu load%s and %llu store%s of elements of %u byte%s, at most %u of one element",
             block[0] * block[1] * block[2], plural(block[0] * block[1] * block[2]), (unsigned long long)loads,
             plural(loads), (unsigned long long)stores, plural(stores), h->element, plural(h->element), r->most);
}

void view_heat(FILE *svg, FILE *text, const struct heat *h, const char *kernel, const uint32_t block[3]) {
    static struct heat_rows r;
    if (!heat_rows_of(h, &r))
        return;
    char title[200], what[240], cells[200], rows[200], description[1000];
    double top = TOP + (r.matrix ? LINE : 0);
    int width = (int)(LEFT + r.cell_columns * CELL + MARGIN);
    snprintf(title, sizeof title, "%s of %s, by block (0,0,0)", h->name, kernel);
    describe_touches(h, &r, block, what, sizeof what);
    describe_cells(&r, cells, sizeof cells);
    describe_rows(h, &r, rows, sizeof rows);
    snprintf(description, sizeof description, "%s. %s. %s %s The darker, the more often.", title, what, cells, rows);
    svg_begin(svg, width > WIDTH ? width : WIDTH, (int)(top + r.cell_rows * HIGH + 20), title, description);
    svg_text(svg, MARGIN, 34, SVG_LEFT, "bold", title);
    svg_text(svg, MARGIN, 58, SVG_LEFT, "", what);
    svg_text(svg, MARGIN, 80, SVG_LEFT, "", cells);
    fprintf(text, "%s\n  %s.\n  %s\n", title, what, cells);
    if (r.matrix) {
        svg_text(svg, MARGIN, 80 + LINE, SVG_LEFT, "", rows);
        fprintf(text, "  %s\n", rows);
    }
    for (uint32_t row = 0; row < r.cell_rows; row++)
        draw_row(svg, text, &r, row, top + row * HIGH);
    fputs("\n", text);
    svg_end(svg);
}
