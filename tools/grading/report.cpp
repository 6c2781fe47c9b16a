/* report.cpp - the two places to which a grading is told. */
#include "tools/grading/report.h"
#include "tools/grading/visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <time.h>

static FILE *log_file, *times; /* `times`: when each line of ours came, in seconds from the beginning */
static struct timespec start;
static std::string nonce, line; /* `line`: of the student's program, not complete yet */

void report_begin(const char *log, const char *secret) {
    nonce = secret;
    clock_gettime(CLOCK_MONOTONIC, &start);
    log_file = fopen(log, "we");
    times = fopen((std::string(log) + ".times").c_str(), "we");
    if (!log_file || !times) {
        perror(log);
        exit(2);
    }
}

/* A line that the student's program has not ended. */
static void end_line(void) {
    if (!line.empty()) {
        report_foreign("\n", 1);
    }
}

static void tell(const char *format, va_list arguments, bool to_stdout, bool to_log) {
    char text[4000];
    end_line();
    vsnprintf(text, sizeof text, format, arguments);
    if (to_stdout) {
        printf("%s\n", text);
        fflush(stdout);
    }
    if (to_log) {
        fprintf(log_file, "%s\n", text);
    }
}

/* A line of the judge in the log. */
static void keep(const char *format, ...) {
    struct timespec now;
    va_list arguments;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(times, "%.3f\n", (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec));
    fputs(nonce.c_str(), log_file);
    va_start(arguments, format);
    vfprintf(log_file, format, arguments);
    va_end(arguments);
}

void report_check(const char *state, const char *name, const char *shown) {
    end_line();
    printf("  %-7s %s\n", state, shown);
    fflush(stdout);
    keep("  %-7s %s\n", state, name);
}

void report_verdict(const char *verdict) {
    end_line();
    keep("VERDICT: %s %s\n", verdict, nonce.c_str());
}

void report_extra(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments, true, true);
    va_end(arguments);
}

void report_log(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments, false, true);
    va_end(arguments);
}

void report_remark(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments, true, false);
    va_end(arguments);
}

/* A forged line of ours; and the emulator's last line, which comes when a program ends, and says nothing that is not known. */
static bool left_out(void) {
    return (!nonce.empty() && line.find(nonce) != std::string::npos) ||
           line.compare(0, 24, "========= ERROR SUMMARY:") == 0;
}

static void show_line(void) {
    char *shown = visible_line(line.data(), line.size());
    line = shown;
    free(shown);
    if (!left_out()) {
        fwrite(line.data(), 1, line.size(), log_file);
        if (strncmp(line.c_str(), "VERDICT: ", 9) != 0) {
            fwrite(line.data(), 1, line.size(), stdout);
            fflush(stdout);
        }
    }
    line.clear();
}

void report_foreign(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        line += text[i];
        if (text[i] == '\n') {
            show_line();
        }
    }
}

void report_end(void) {
    end_line();
    fclose(log_file);
    fclose(times);
}
