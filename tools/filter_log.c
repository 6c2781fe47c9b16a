/* Stands between a grader and the terminal: shows its output without the nonce, and keeps it with the nonce for later.
 *
 *     grader | filter_log LOG CAP 8<nonce
 *
 * The nonce comes over descriptor 8 and LOG is written at the end only: as long as the student's program runs, no file,
 * no environment and no command line holds what it would need to forge a line of the grader. Reading ends after CAP
 * bytes, and then the program that goes on writing is ended by the system.
 *
 * LOG.times has a line for each of the grader's own lines: the seconds from the start until it came.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NONCE_FD = 8, TIMES_MAX = 1000 };

static char nonce[80];
static double times[TIMES_MAX];
static int time_count;

static void read_nonce(void) {
    ssize_t length = read(NONCE_FD, nonce, sizeof nonce - 1);
    nonce[length > 0 ? length : 0] = '\0';
    nonce[strcspn(nonce, " \n")] = '\0';
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Shows one line: a verdict is told by our caller, and one that the student has printed is not shown at all. */
static void show_line(const char *line, size_t length) {
    const char *mark = *nonce ? memmem(line, length, nonce, strlen(nonce)) : NULL;
    const char *verdict = memmem(line, length, "VERDICT: ", 9);
    size_t before = mark ? (size_t)(mark - line) : length;
    if (mark && time_count < TIMES_MAX) {
        times[time_count++] = now();
    }
    if (verdict == line) {
        return;
    }
    if (mark && verdict && verdict < mark) {
        printf("%.*s\n", (int)(verdict - line), line);
    } else {
        fwrite(line, 1, before, stdout);
        if (mark) {
            fwrite(mark + strlen(nonce), 1, length - before - strlen(nonce), stdout);
        }
    }
    fflush(stdout);
}

/* Shows the complete lines between `shown` and `length`, and at the end the rest too. Returns how far it came. */
static size_t show_lines(const char *log, size_t shown, size_t length, int end) {
    const char *newline;
    while ((newline = memchr(log + shown, '\n', length - shown))) {
        size_t next = (size_t)(newline - log) + 1;
        show_line(log + shown, next - shown);
        shown = next;
    }
    if (end && shown < length) {
        show_line(log + shown, length - shown);
        putchar('\n');
    }
    return shown;
}

static void keep(const char *path, const char *log, size_t length) {
    FILE *file = fopen(path, "w");
    if (!file || fwrite(log, 1, length, file) != length || fclose(file)) {
        perror(path);
        exit(2);
    }
}

static void keep_times(const char *log, double start) {
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s.times", log);
    file = fopen(path, "w");
    for (int i = 0; file && i < time_count; i++) {
        fprintf(file, "%.3f\n", times[i] - start);
    }
    if (file) {
        fclose(file);
    }
}

int main(int argc, char **argv) {
    double start = now();
    size_t cap = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, length = 0, shown = 0;
    char *log = cap ? malloc(cap) : NULL;
    ssize_t got;
    if (!log) {
        fprintf(stderr, "usage: grader | filter_log LOG CAP 8<nonce\n");
        return 2;
    }
    read_nonce();
    while (length < cap && (got = read(STDIN_FILENO, log + length, cap - length)) > 0) {
        length += (size_t)got;
        shown = show_lines(log, shown, length, 0);
    }
    close(STDIN_FILENO);
    show_lines(log, shown, length, 1);
    keep(argv[1], log, length);
    keep_times(argv[1], start);
    free(log);
    return 0;
}
