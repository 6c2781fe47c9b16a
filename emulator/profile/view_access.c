/* Pictures of one access of a warp: which words of which sectors its lanes request, or in which banks they conflict. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/patterns.h"
#include "profile/svg.h"
#include "profile/views.h"

#define WORDS        32 /* in a line of 128 bytes, or in a row of banks */
#define WORD_BYTES   4
#define SECTOR_WORDS 8
#define MOST_ROWS    8  /* more lines, or wavefronts, are counted but not drawn */
#define MOST_LINES   64 /* that a warp can touch */

#define CELL   25.
#define HIGH   24.
#define GAP    7. /* between sectors */
#define LEFT   132.
#define MARGIN 24.
#define WIDTH  (int)(LEFT + WORDS * CELL + 3 * GAP + MARGIN)
#define TOP    118.

/* A row of 32 words: of memory, or one per bank. */
struct row {
    uint64_t number;       /* of the line, or of the wavefront */
    uint32_t lanes[WORDS]; /* the lanes that request the word */
    uint32_t sectors;      /* lines: a bit for each that is touched */
    unsigned part;         /* banks: which lanes this wavefront is for */
};

struct rows {
    struct row row[WARP_SIZE * 4 + MOST_LINES];
    unsigned count;
};

void view_lanes(uint32_t lanes, unsigned room, char *out, size_t size) {
    int first = lanes ? __builtin_ctz(lanes) : 0, last = lanes ? 31 - __builtin_clz(lanes) : 0;
    unsigned count = (unsigned)__builtin_popcount(lanes);
    out[0] = '\0';
    if (count == 1)
        snprintf(out, size, "%d", first);
    else if (count && last - first + 1 == (int)count)
        snprintf(out, size, "%d-%d", first, last);
    else if (count == 2)
        snprintf(out, size, "%d,%d", first, last);
    if (count > 1 && (strlen(out) > room || !out[0]))
        snprintf(out, size, "x%u", count);
}

/* ---- sectors ---- */

static int by_number(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static struct row *line_row(struct rows *r, uint64_t number) {
    for (unsigned i = 0; i < r->count; i++)
        if (r->row[i].number == number)
            return &r->row[i];
    r->row[r->count] = (struct row){.number = number};
    return &r->row[r->count++];
}

static void lay_lines(struct rows *r, const struct access_example *e) {
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!(e->mask >> l & 1))
            continue;
        uint64_t first = e->addresses[l] / WORD_BYTES, last = (e->addresses[l] + e->bytes - 1) / WORD_BYTES;
        for (uint64_t word = first; word <= last; word++) {
            struct row *row = line_row(r, word / WORDS);
            row->lanes[word % WORDS] |= (uint32_t)1 << l;
            row->sectors |= (uint32_t)1 << word % WORDS / SECTOR_WORDS;
        }
    }
    qsort(r->row, r->count, sizeof *r->row, by_number);
}

static const char *class_of_word(const struct row *row, unsigned word) {
    if (row->lanes[word])
        return "used";
    return row->sectors >> word / SECTOR_WORDS & 1 ? "wasted" : "empty";
}

static double word_x(unsigned word) {
    return LEFT + word * CELL + word / SECTOR_WORDS * GAP;
}

static void draw_cell(FILE *svg, double x, double y, const char *class, uint32_t lanes) {
    char label[16];
    svg_box(svg, x, y, CELL, HIGH, class);
    view_lanes(lanes, 4, label, sizeof label);
    if (*label)
        svg_text(svg, x + CELL / 2, y + HIGH / 2 + 4, SVG_MIDDLE, strlen(label) > 3 ? "cell tiny" : "cell", label);
}

static void draw_line(FILE *svg, const struct row *row, uint64_t first_line, double y) {
    char label[64];
    snprintf(label, sizeof label, "byte %" PRIu64, (row->number - first_line) * WORDS * WORD_BYTES);
    svg_text(svg, LEFT - 12, y + HIGH / 2 + 5, SVG_RIGHT, "small", label);
    for (unsigned word = 0; word < WORDS; word++)
        draw_cell(svg, word_x(word), y, class_of_word(row, word), row->lanes[word]);
    for (unsigned sector = 0; sector < WORDS / SECTOR_WORDS; sector++)
        if (row->sectors >> sector & 1)
            svg_box(svg, word_x(sector * SECTOR_WORDS), y, SECTOR_WORDS * CELL, HIGH, "frame");
}

struct legend {
    const char *class, *sample, *text;
};

static void draw_legend(FILE *svg, double y, const struct legend *entries, unsigned count) {
    double x = MARGIN;
    for (unsigned i = 0; i < count; i++) {
        svg_box(svg, x, y, CELL, HIGH, entries[i].class);
        if (*entries[i].sample)
            svg_text(svg, x + CELL / 2, y + HIGH / 2 + 4, SVG_MIDDLE, "cell", entries[i].sample);
        svg_text(svg, x + CELL + 8, y + HIGH / 2 + 5, SVG_LEFT, "small", entries[i].text);
        x += CELL + 24 + 6.4 * (double)strlen(entries[i].text);
    }
}

static void text_line(FILE *text, const struct row *row, uint64_t first_line) {
    fprintf(text, "  byte %6" PRIu64 " ", (row->number - first_line) * WORDS * WORD_BYTES);
    for (unsigned word = 0; word < WORDS; word++) {
        char label[16];
        if (word % SECTOR_WORDS == 0)
            fputs(row->sectors >> word / SECTOR_WORDS & 1 ? " |" : "  ", text);
        view_lanes(row->lanes[word], 3, label, sizeof label);
        bool moved = row->sectors >> word / SECTOR_WORDS & 1;
        fprintf(text, "%3s", *label ? label : moved ? "." : " ");
    }
    fputs("\n", text);
}

static unsigned used_bytes(const struct rows *r, const struct access_example *e) {
    unsigned words = 0;
    for (unsigned i = 0; i < r->count; i++)
        for (unsigned w = 0; w < WORDS; w++)
            words += r->row[i].lanes[w] != 0;
    uint64_t asked = (uint64_t)e->bytes * (unsigned)__builtin_popcount(e->mask);
    return e->bytes < WORD_BYTES && asked < words * WORD_BYTES ? (unsigned)asked : words * WORD_BYTES;
}

static unsigned sectors_of(const struct rows *r) {
    unsigned sectors = 0;
    for (unsigned i = 0; i < r->count; i++)
        sectors += (unsigned)__builtin_popcount(r->row[i].sectors);
    return sectors;
}

void view_sectors(FILE *svg, FILE *text, const struct access_example *e, const char *where) {
    struct rows *r = calloc(1, sizeof *r);
    if (!r)
        return;
    lay_lines(r, e);
    char what[200], moved[200], more[80] = "";
    unsigned shown = r->count < MOST_ROWS ? r->count : MOST_ROWS, sectors = sectors_of(r), used = used_bytes(r, e);
    unsigned threads = (unsigned)__builtin_popcount(e->mask);
    snprintf(what, sizeof what, "%u thread%s, %u bytes each: %u sector%s of 32 bytes, where %u would do", threads,
             threads == 1 ? "" : "s", e->bytes, sectors, sectors == 1 ? "" : "s", e->ideal);
    if (sectors <= e->ideal)
        snprintf(what, sizeof what, "%u thread%s, %u bytes each: %u sector%s of 32 bytes, the minimum", threads,
                 threads == 1 ? "" : "s", e->bytes, sectors, sectors == 1 ? "" : "s");
    snprintf(moved, sizeof moved, "%u bytes are moved, %u are used (%.0f %%). Warp %u of block %" PRIu64 ".",
             32 * sectors, used, 100. * used / (32. * sectors), e->warp, e->block);
    if (r->count > shown)
        snprintf(more, sizeof more, "and %u more lines of 128 bytes like these", r->count - shown);
    static const struct legend legend[] = {{"used", "7", "requested by thread 7 of the warp"},
                                           {"wasted", "", "moved, not used"},
                                           {"empty", "", "not moved"},
                                           {"frame", "", "thick frame: a sector"}};
    double bottom = TOP + shown * (HIGH + 6) + (*more ? 24 : 0);
    char description[900];
    snprintf(description, sizeof description,
             "%s %s %s The picture shows lines of 128 bytes as rows of 32 words in four sectors; each word names the "
             "thread that requests it.",
             where, what, moved);
    svg_begin(svg, WIDTH, (int)(bottom + HIGH + 34), where, description);
    svg_text(svg, MARGIN, 34, SVG_LEFT, "mono bold", where);
    svg_text(svg, MARGIN, 58, SVG_LEFT, "", what);
    svg_text(svg, MARGIN, 80, SVG_LEFT, "", moved);
    for (unsigned sector = 0; sector < 4; sector++) {
        char label[32];
        snprintf(label, sizeof label, "bytes %u-%u", 32 * sector, 32 * sector + 31);
        svg_text(svg, word_x(sector * SECTOR_WORDS) + SECTOR_WORDS * CELL / 2, TOP - 8, SVG_MIDDLE, "small dim", label);
    }
    fprintf(text, "%s\n  %s.\n  %s\n", where, what, moved);
    for (unsigned i = 0; i < shown; i++) {
        draw_line(svg, &r->row[i], r->row[0].number, TOP + i * (HIGH + 6));
        text_line(text, &r->row[i], r->row[0].number);
    }
    if (*more) {
        svg_text(svg, LEFT, bottom - 8, SVG_LEFT, "small", more);
        fprintf(text, "  %s\n", more);
    }
    draw_legend(svg, bottom + 10, legend, sizeof legend / sizeof *legend);
    fprintf(text, "  a number: the thread that requests the word; a dot: moved, not used; nothing: not moved\n\n");
    svg_end(svg);
    free(r);
}

/* ---- banks ---- */

/* Distributes the words that one part of the warp requests over as many wavefronts as its busiest bank has words. */
static void lay_part(struct rows *r, const struct access_example *e, uint32_t lanes, unsigned part, bool again) {
    unsigned first_row = r->count;
    uint64_t words[4 * WARP_SIZE][WORDS]; /* by wavefront: which word each bank serves, +1 */
    memset(words, 0, sizeof words);
    for (unsigned l = 0; l < WARP_SIZE; l++) {
        if (!(e->mask & lanes & (uint32_t)1 << l))
            continue;
        uint64_t last = (e->addresses[l] + e->bytes - 1) / WORD_BYTES;
        for (uint64_t word = e->addresses[l] / WORD_BYTES; word <= last; word++) {
            unsigned bank = (unsigned)(word % WORDS), i = 0;
            while (words[i][bank] && (again || words[i][bank] != word + 1))
                i++;
            words[i][bank] = word + 1;
            struct row *row = &r->row[first_row + i];
            if (first_row + i >= r->count)
                r->count = first_row + i + 1;
            row->lanes[bank] |= (uint32_t)1 << l;
            row->part = part;
            row->number = i;
        }
    }
}

static unsigned part_lanes(const struct access_example *e) {
    unsigned lanes = e->bytes <= 4 ? 32 : e->bytes <= 8 ? 16 : 8, parts = 0;
    if (e->pattern == PATTERN_SHARED_MATRIX)
        return 8;
    for (unsigned first = 0; first < WARP_SIZE; first += lanes)
        parts += (e->mask >> first & (uint32_t)(((uint64_t)1 << lanes) - 1)) != 0;
    return e->ideal < parts ? 2 * lanes : lanes; /* two parts at once: neighbours request the same */
}

static void text_banks(FILE *text, const struct row *row, unsigned number) {
    fprintf(text, "  wavefront %2u ", number);
    for (unsigned bank = 0; bank < WORDS; bank++) {
        char label[16];
        view_lanes(row->lanes[bank], 3, label, sizeof label);
        fprintf(text, " %3s", *label ? label : ".");
    }
    fputs("\n", text);
}

static void draw_banks(FILE *svg, const struct row *row, unsigned number, double y) {
    char label[32];
    snprintf(label, sizeof label, "wavefront %u", number);
    svg_text(svg, LEFT - 12, y + HIGH / 2 + 5, SVG_RIGHT, "small", label);
    for (unsigned bank = 0; bank < WORDS; bank++)
        draw_cell(svg, LEFT + bank * CELL, y, row->lanes[bank] ? "used" : "empty", row->lanes[bank]);
}

void view_banks(FILE *svg, FILE *text, const struct access_example *e, const char *where) {
    struct rows *r = calloc(1, sizeof *r);
    if (!r)
        return;
    unsigned lanes = part_lanes(e);
    for (unsigned first = 0; first < WARP_SIZE; first += lanes)
        lay_part(r, e, (uint32_t)((((uint64_t)1 << lanes) - 1) << first), first / lanes,
                 e->pattern == PATTERN_SHARED_ATOMIC);
    char what[220], more[64] = "";
    unsigned shown = r->count < MOST_ROWS ? r->count : MOST_ROWS, threads = (unsigned)__builtin_popcount(e->mask);
    snprintf(what, sizeof what, "%u thread%s, %u bytes each: %u wavefront%s%s. Warp %u of block %" PRIu64 ".", threads,
             threads == 1 ? "" : "s", e->bytes, r->count, r->count == 1 ? "" : "s",
             r->count > e->ideal ? "" : ", the minimum", e->warp, e->block);
    if (r->count > e->ideal)
        snprintf(what, sizeof what,
                 "%u thread%s, %u bytes each: %u wavefronts, where %u would do (%u bank conflicts). Warp %u of block "
                 "%" PRIu64 ".",
                 threads, threads == 1 ? "" : "s", e->bytes, r->count, e->ideal, r->count - e->ideal, e->warp,
                 e->block);
    if (r->count > shown)
        snprintf(more, sizeof more, "and %u more wavefronts like these", r->count - shown);
    static const struct legend legend[] = {{"used", "7", "a word that this bank serves for thread 7"},
                                           {"empty", "", "the bank is idle"}};
    double bottom = TOP + shown * (HIGH + 6) + (*more ? 24 : 0);
    char description[900];
    snprintf(description, sizeof description,
             "%s %s The picture shows the 32 banks of shared memory as columns and the wavefronts as rows; in one "
             "wavefront a bank serves one word, to all threads that request it.",
             where, what);
    svg_begin(svg, WIDTH, (int)(bottom + HIGH + 34), where, description);
    svg_text(svg, MARGIN, 34, SVG_LEFT, "mono bold", where);
    svg_text(svg, MARGIN, 58, SVG_LEFT, "", what);
    svg_text(svg, MARGIN, 80, SVG_LEFT, "", "In one wavefront a bank serves one word, to all threads that request it.");
    svg_text(svg, LEFT - 12, TOP - 8, SVG_RIGHT, "small dim", "bank");
    fprintf(text, "%s\n  %s\n  bank         ", where, what);
    for (unsigned bank = 0; bank < WORDS; bank++) {
        char label[8];
        snprintf(label, sizeof label, "%u", bank);
        svg_text(svg, LEFT + (bank + 0.5) * CELL, TOP - 8, SVG_MIDDLE, "small dim", label);
        fprintf(text, " %3u", bank);
    }
    fputs("\n", text);
    for (unsigned i = 0; i < shown; i++) {
        draw_banks(svg, &r->row[i], i + 1, TOP + i * (HIGH + 6));
        text_banks(text, &r->row[i], i + 1);
    }
    if (*more) {
        svg_text(svg, LEFT, bottom - 8, SVG_LEFT, "small", more);
        fprintf(text, "  %s\n", more);
    }
    draw_legend(svg, bottom + 10, legend, 2);
    fprintf(text, "  a number: the thread that the bank serves; a dot: the bank is idle\n\n");
    svg_end(svg);
    free(r);
}
