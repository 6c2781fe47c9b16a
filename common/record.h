/* record.h - a measurement as a row of data, beside the table that people read.
 *
 *     RECORD=rows.csv RECORD_SECTION="lesson03 SEED=1" ./lesson03      what `make record LESSON=03` does
 *
 * On a GPU each call appends a row to that file: section,row,column,value,unit,card,date. Without RECORD, and always on the
 * emulator, which measures nothing, no row is written; what is printed is the same either way. bench.h and turns.h record
 * their tables by themselves. A lesson with a table of its own uses
 *
 *     record_part("n=%d", n);                                       the rows from here on belong to the section "lesson03 SEED=1 n=1000"
 *     record_print("  %12.4f", "kernel1", "ms", "ms", time);        prints the number, and records it
 *     record_row("kernel1", "ms", time, "ms");                      records it only
 */
#ifndef COMMON_RECORD_H
#define COMMON_RECORD_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { RECORD_PART_MAX = 160 };

struct record {
    FILE *file;                 /* NULL: nothing is recorded */
    char part[RECORD_PART_MAX]; /* what record_part said last */
    char card[256], date[11];
};

/* A cell of a CSV file, in quotes where it has to be. */
static inline void record_cell(FILE *file, const char *text, char after) {
    if (!strpbrk(text, ",\"\n")) {
        fprintf(file, "%s%c", text, after);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    }
    fprintf(file, "\"%c", after);
}

static inline void record_open(struct record *record, const char *path) {
    int device = 0;
    struct cudaDeviceProp properties;
    time_t now = time(NULL);
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    snprintf(record->card, sizeof record->card, "%s", properties.name);
    strftime(record->date, sizeof record->date, "%Y-%m-%d", gmtime(&now));
    record->file = fopen(path, "a");
    if (!record->file) {
        fprintf(stderr, "record.h: RECORD=%s cannot be written\n", path);
        exit(CHECK_EXIT_FAIL);
    }
    fseek(record->file, 0, SEEK_END);
    if (ftell(record->file) == 0) {
        fprintf(record->file, "section,row,column,value,unit,card,date\n");
    }
}

/* The one record of the program, opened by the first call. */
static inline struct record *record_state(void) {
    static struct record record;
    static bool asked;
    const char *path = getenv("RECORD");
    if (!asked) {
        asked = true;
        if (path && *path && !check_on_emulator()) {
            record_open(&record, path);
        }
    }
    return &record;
}

/* The rows that follow belong to this part of the section, until the next call: "n=%d", "n=%d warm", or "" for none. */
__attribute__((format(printf, 1, 2))) static inline void record_part(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(record_state()->part, RECORD_PART_MAX, format, arguments);
    va_end(arguments);
}

/* A value that is a word, as the name of an algorithm. */
static inline void record_text(const char *row, const char *column, const char *value, const char *unit) {
    struct record *record = record_state();
    const char *section = getenv("RECORD_SECTION");
    char whole[3 * RECORD_PART_MAX];
    if (!record->file) {
        return;
    }
    section = section ? section : "";
    snprintf(whole, sizeof whole, "%.150s%s%.159s", section, *section && *record->part ? " " : "", record->part);
    const char *cells[] = {whole, row, column, value, unit, record->card};
    for (const char *cell : cells) {
        record_cell(record->file, cell, ',');
    }
    record_cell(record->file, record->date, '\n');
    fflush(record->file); /* a program that fails later has said so much */
}

static inline void record_row(const char *row, const char *column, double value, const char *unit) {
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    record_text(row, column, text, unit);
}

/* Prints the value with a format of printf for one double, and records it. */
static inline void record_print(const char *format, const char *row, const char *column, const char *unit,
                                double value) {
    printf(format, value);
    record_row(row, column, value, unit);
}

#endif
