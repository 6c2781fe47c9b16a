/* pictures.cpp - draws lesson 21's figures with what calculator.h says: pictures residents|steps|flight > NAME.svg */
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../calculator.h"

static const char *const COLOURS[] = {"#1f5fa8", "#e0a030", "#3f8f5f", "#b05080",
                                      "#7a6fc0", "#8a6a4a", "#50a0b0", "#a8b84a"};

static void begin(int width, int height, const char *title, const char *description) {
    printf(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
        "aria-labelledby=\"title desc\">\n  <title id=\"title\">%s</title>\n  <desc id=\"desc\">%s</desc>\n  <style>\n",
        width, height, width, height, title, description);
    printf("    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; }\n"
           "    .small { font-size: 12px; }\n    .tiny { font-size: 10px; }\n    .bold { font-weight: bold; }\n"
           "    .mid { text-anchor: middle; }\n    .end { text-anchor: end; }\n    .light { fill: #ffffff; }\n"
           "    .free { fill: #ffffff; stroke: #8a8a8a; }\n    .lost { fill: #e4e4e4; stroke: #8a8a8a; }\n"
           "    .axis { stroke: #1a1a1a; fill: none; }\n    .grid { stroke: #d8d8d8; fill: none; }\n"
           "    .need { stroke: #1a1a1a; stroke-dasharray: 6 4; fill: none; }\n  </style>\n");
    printf("  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c4c4c4\"/>\n",
           width - 2, height - 2);
}

static void text(double x, double y, const char *style, const char *words) {
    printf("  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, style, words);
}

static void number(double x, double y, const char *style, double value) {
    printf("  <text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%g</text>\n", x, y, style, value);
}

static void box(double x, double y, double width, double height, const char *style) {
    printf("  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x, y, width, height, style);
}

static void block_box(double x, double y, double width, double height, int block) {
    printf("  <rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#1a1a1a\" "
           "stroke-width=\"0.6\"/>\n",
           x, y, width, height, COLOURS[block % 8]);
}

static void line(double x1, double y1, double x2, double y2, const char *style) {
    printf("  <line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, style);
}

// ---------------------------------------------------------------- a multiprocessor and who is on it

enum { PLACE = 13, COLUMN_WIDTH = 74, HIGH = 208 };

/* Warps go to the schedulers in turns. (NVIDIA does not say how they go; with blocks of whole fours of warps it makes no difference.) */
static void draw_scheduler(const struct limits *m, struct need n, struct residents r, double x, double y,
                           int scheduler) {
    int places = m->warps / SCHEDULERS, of_warp = round_up(n.registers * WARP, REGISTER_UNIT), filled = 0;
    double unit = (double)HIGH / (m->registers / SCHEDULERS);
    int warps = warps_of(n.threads);
    for (int w = scheduler; w < r.warps; w += SCHEDULERS, filled++) {
        block_box(x, y + filled * PLACE, 24, PLACE, w / warps);
        block_box(x + 34, y + filled * of_warp * unit, 20, of_warp * unit, w / warps);
    }
    for (int place = filled; place < places; place++) {
        box(x, y + place * PLACE, 24, PLACE, "free");
    }
    if (filled * of_warp < m->registers / SCHEDULERS) {
        bool lost = r.limiter == BY_REGISTERS;
        box(x + 34, y + filled * of_warp * unit, 20, HIGH - filled * of_warp * unit, lost ? "lost" : "free");
    }
}

static void draw_shared(const struct limits *m, struct need n, struct residents r, double x, double y) {
    int of_block = round_up(n.shared + m->reserved, m->shared_unit);
    double unit = (double)HIGH / m->shared;
    for (int b = 0; b < r.blocks; b++) {
        block_box(x, y + b * of_block * unit, 28, of_block * unit, b);
    }
    bool lost = r.limiter == BY_SHARED;
    box(x, y + r.blocks * of_block * unit, 28, HIGH - r.blocks * of_block * unit, lost ? "lost" : "free");
}

static void draw_multiprocessor(const struct limits *m, struct need n, double x, double y, const char *what) {
    struct residents r = calculate(m, n);
    char words[200];
    text(x, y, "bold", what);
    snprintf(words, sizeof words, "%d threads, %d registers, %.4g KiB shared", n.threads, n.registers,
             n.shared / 1024.0);
    text(x, y + 19, "small", words);
    snprintf(words, sizeof words, "%d block%s, %d of %d warps: %.4g %%", r.blocks, r.blocks == 1 ? "" : "s", r.warps,
             m->warps, occupancy(m, r));
    text(x, y + 36, "small", words);
    snprintf(words, sizeof words, "limited by %s", limiter_name(r.limiter));
    text(x, y + 53, "small", words);
    for (int s = 0; s < SCHEDULERS; s++) {
        double left = x + s * COLUMN_WIDTH;
        text(left + 12, y + 72, "tiny mid", "warps");
        text(left + 44, y + 72, "tiny mid", "regs");
        draw_scheduler(m, n, r, left, y + 78, s);
    }
    text(x + SCHEDULERS * COLUMN_WIDTH + 14, y + 72, "tiny mid", "shared");
    draw_shared(m, n, r, x + SCHEDULERS * COLUMN_WIDTH, y + 78);
}

static void residents(void) {
    const struct limits *m = architecture("sm_90");
    begin(980, 690, "Four SMs of an H200, filled with blocks",
          "Each picture has four schedulers, with 16 warp slots and a bar of 16384 registers each, and a bar of "
          "228 KiB of "
          "shared memory. Blocks have colours. First: 8 blocks of 256 threads with 32 registers take all slots and "
          "all registers. "
          "Second: with 96 registers 2 blocks fit, and a part of each scheduler's registers is left that is too small "
          "for a third. "
          "Third: blocks of 128 threads with 30 KiB of shared memory: 7 fit, and most warp slots are free. "
          "Fourth: blocks of "
          "one warp: 32 take all block slots, and half of the warp slots are free.");
    draw_multiprocessor(m, {32, 256, 0}, 40, 36, "Full");
    draw_multiprocessor(m, {96, 256, 0}, 520, 36, "sort_kernel8: registers decide");
    draw_multiprocessor(m, {30, 128, 30 << 10}, 40, 366, "A large tile: shared memory decides");
    draw_multiprocessor(m, {16, 32, 0}, 520, 366, "Blocks of one warp: limited by block slots");
    text(40, 674, "small",
         "One colour: one block (colours repeat after eight). Grey: left over, and too small for another "
         "block.");
    printf("</svg>\n");
}

// ---------------------------------------------------------------- registers and steps

static double across(int registers) {
    return 70 + (registers - 16) * 3.4;
}

static double up(double percent) {
    return 330 - percent * 2.7;
}

static void draw_steps(const struct limits *m, int threads, int colour) {
    printf("  <path fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\" d=\"", COLOURS[colour]);
    for (int registers = 16; registers <= THREAD_REGISTERS; registers++) {
        double y = up(occupancy(m, calculate(m, {registers, threads, 0})));
        printf("%s%.1f %.1f L%.1f %.1f", registers == 16 ? "M" : " L", across(registers), y, across(registers + 1), y);
    }
    printf("\"/>\n");
}

static void steps(void) {
    const struct limits *m = architecture("sm_90");
    static const int sizes[] = {128, 256, 1024};
    begin(960, 400, "Occupancy goes down in steps",
          "Occupancy of an H200's SM over the registers of a thread, from 16 to 255, for blocks of 128, "
          "256 and 1024 threads. "
          "All are at 100 percent up to 32 registers. Blocks of 1024 fall to 50 at 33 registers and to nothing at 65. "
          "Blocks of 256 have "
          "75 percent up to 40, 62.5 up to 48, 50 up to 64, and so on; blocks of 128 fall in smaller steps.");
    text(24, 30, "", "Occupancy of an SM of an H200 over the registers of a thread, without shared memory");
    for (int percent = 0; percent <= 100; percent += 25) {
        line(70, up(percent), 884, up(percent), "grid");
        number(62, up(percent) + 4, "small end", percent);
    }
    for (int registers = 32; registers <= 256; registers += 32) {
        line(across(registers), up(0), across(registers), up(0) + 5, "axis");
        number(across(registers), up(0) + 20, "small mid", registers);
    }
    line(70, up(0), 884, up(0), "axis");
    text(884, 368, "small end", "registers of a thread");
    text(24, 50, "small", "%");
    for (int k = 0; k < 3; k++) {
        char words[60];
        draw_steps(m, sizes[k], k);
        printf("  <rect x=\"%d\" y=\"376\" width=\"22\" height=\"6\" fill=\"%s\"/>\n", 70 + 190 * k, COLOURS[k]);
        snprintf(words, sizeof words, "blocks of %d threads", sizes[k]);
        text(98 + 190 * k, 384, "small", words);
    }
    printf("</svg>\n");
}

// ---------------------------------------------------------------- Little's law

/* What an H200 had to have under way for its memory to be busy, by the measurements of lesson 03: 1.1 MB on 132 multiprocessors. */
enum { NEEDED = 8600 };

static double blocks_at(int blocks) {
    return 90 + 150 * log2(blocks);
}

static double bytes_at(double bytes) {
    return 340 - 33 * (log2(bytes) - 8);
}

static void flight(void) {
    static const int loads[] = {1, 2, 4, 8, 16};
    begin(860, 400, "Bytes in flight: blocks times loads",
          "Bytes in flight on an SM over resident blocks of 128 threads, 1 to 16, both in powers of two, "
          "one line for each number "
          "of loads in flight of a thread, 1 to 16. The lines are parallel. A dashed line at 8.6 kilobytes is what an "
          "H200 needs: it is "
          "reached by 16 loads with 1 block nearly, 8 with 2 nearly, and by 1 load with 16 blocks nearly.");
    text(24, 30, "", "Bytes in flight on an SM: blocks of 128 threads, a load of 4 bytes");
    for (int power = 8; power <= 17; power++) {
        line(90, bytes_at(1 << power), 700, bytes_at(1 << power), "grid");
        number(82, bytes_at(1 << power) + 4, "small end", 1 << power);
    }
    for (int k = 0; k < 5; k++) {
        char words[40];
        int blocks = 1 << k;
        number(blocks_at(blocks), 362, "small mid", blocks);
        snprintf(words, sizeof words, "%d load%s each", loads[k], k ? "s" : "");
        printf("  <path fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\" d=\"M%.1f %.1f L%.1f %.1f\"/>\n", COLOURS[k],
               blocks_at(1), bytes_at(512.0 * loads[k]), blocks_at(16), bytes_at(512.0 * loads[k] * 16));
        text(blocks_at(16) + 10, bytes_at(512.0 * loads[k] * 16) + 4, "small", words);
    }
    line(90, bytes_at(NEEDED), 700, bytes_at(NEEDED), "need");
    text(480, bytes_at(NEEDED) + 16, "small", "needed: bandwidth × latency");
    text(700, 384, "small end", "resident blocks");
    printf("</svg>\n");
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*draw)(void);
    } figures[] = {{"residents", residents}, {"steps", steps}, {"flight", flight}};
    for (const auto &f : figures) {
        if (argc == 2 && strcmp(argv[1], f.name) == 0) {
            f.draw();
            return 0;
        }
    }
    fprintf(stderr, "pictures: residents, steps or flight\n");
    return 2;
}
