/* report.cpp - the two places to which a grading is reported. */
#include "tools/grading/report.h"
#include "tools/grading/emulator_findings.h"
#include "tools/grading/visible.h"

#include <algorithm>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OUTPUT_MAX = 500, MESSAGE_MAX = 60000 };

/* A text that grows by lines up to a limit; further lines are dropped, and the text then ends with a remark about that. */
struct limited_text {
    std::string text;
    bool cut;
};

static struct grading grading;
static struct timespec start;
static double reached;   /* seconds from the start to the end of the last check */
static std::string line; /* of the student's program, not complete yet */

static struct limited_text emulator_report;                    /* since the last check ended */
static std::vector<struct reported_finding> emulator_findings; /* of that report */
static struct limited_text output;                             /* of the program, since then */
static struct limited_text everything;                         /* why the file cannot be judged, if it cannot */

static void append(struct limited_text *to, const std::string &text, size_t limit, const char *remark) {
    if (to->cut || to->text.size() + text.size() > limit) {
        to->text += to->cut ? "" : remark;
        to->cut = true;
        return;
    }
    to->text += text;
}

static const char *const cut_remark = "(more was left out)\n";

static double seconds_since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

static void save(void) {
    grading.seconds = seconds_since_start();
    results_write(RESULTS_FD, &grading);
}

void report_begin(const char *exercise, const char *source) {
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (fcntl(RESULTS_FD, F_SETFD, FD_CLOEXEC) != 0) { /* not inherited by processes that the judge starts */
        fprintf(stderr, "grader: descriptor %d, results.json: %s\n", RESULTS_FD, strerror(errno));
        exit(2);
    }
    grading.exercise = exercise;
    grading.file = source;
    report_remark("grading %s", source);
    save();
}

/* A line that the student's program has not ended. */
static void end_line(void) {
    if (!line.empty()) {
        report_foreign("\n", 1);
    }
}

// ---------------------------------------------------------------- text

/* Each line as visible.h shows it: it may contain names that a runner has sent. */
static std::string visible_text(const std::string &text) {
    std::string shown;
    for (size_t from = 0; from <= text.size();) {
        size_t to = std::min(text.find('\n', from), text.size());
        char *visible = visible_line(text.data() + from, to - from);
        shown += (from ? "\n" : "") + std::string(visible);
        free(visible);
        from = to + 1;
    }
    return shown;
}

/* The same lines without the indentation of stdout. */
static std::string without_margin(const std::string &text) {
    std::string lines;
    for (size_t from = 0; from <= text.size();) {
        size_t to = std::min(text.find('\n', from), text.size());
        std::string one = text.substr(from, to - from);
        lines += (from ? "\n" : "") + (one.compare(0, 10, "          ") == 0 ? one.substr(10) : one);
        from = to + 1;
    }
    return lines;
}

static void show(const std::string &text) {
    fwrite(text.data(), 1, text.size(), stdout);
    fflush(stdout);
}

static void show_check(const char *state, const std::string &subject) {
    char word[12];
    snprintf(word, sizeof word, "  %-7s ", state);
    show(word + subject + "\n");
}

void report_remark(const char *format, ...) {
    char text[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    end_line();
    show(text + std::string("\n"));
}

void report_message(const std::string &text) {
    end_line();
    show(text + "\n");
    append(&everything, text + "\n", MESSAGE_MAX, cut_remark);
}

// ---------------------------------------------------------------- the end of a check

static struct judged_check *add_check(enum check_state state, const char *name, const std::string &subject) {
    double now = seconds_since_start();
    grading.checks.push_back({name, subject, state, "", "", output.text, {}, now - reached});
    reached = now;
    output = {};
    return &grading.checks.back();
}

void report_passed(const char *name, const std::string &subject) {
    end_line();
    show_check("ok", subject);
    add_check(CHECK_PASSED, name, subject);
    emulator_report = {};
    emulator_findings.clear();
    save();
}

void report_not_run(const char *name) {
    end_line();
    show_check("not run", name);
    add_check(CHECK_NOT_RUN, name, name)->message = "not run: a check that it needs failed\n";
    save();
}

/* The wording for a terminal. */
static std::string next_text(const struct next_step *next) {
    std::string with = next->tool.empty() ? "" : " (make exercise" + grading.exercise + " " + next->tool + ")";
    return next->step.empty()
               ? ""
               : "          next: " + next->step + with + ", then: make exercise" + grading.exercise + "\n";
}

void report_failed(const char *name, const std::string &subject, const struct reported_finding *failure) {
    struct reported_finding own = *failure;
    std::string message = visible_text(own.message);
    end_line();
    show_check("failed", subject);
    show("          " + message + "\n" + next_text(&own.next));
    struct judged_check *check = add_check(CHECK_FAILED, name, subject);
    own.message = without_margin(message);
    check->verdict = own.kind;
    check->message = emulator_report.text + subject + "\n" + own.message + "\n";
    check->findings.push_back(own);
    for (struct reported_finding &finding : emulator_findings) {
        finding.kind = own.kind;
        check->findings.push_back(finding);
    }
    append(&everything, check->message, MESSAGE_MAX, cut_remark);
    emulator_report = {};
    emulator_findings.clear();
    save();
}

// ---------------------------------------------------------------- the student's program

static void show_line(void) {
    char *shown = visible_line(line.data(), line.size());
    std::string visible = shown;
    free(shown);
    line.clear();
    /* The emulator's last line, printed when a program ends, adds no information. */
    if (visible.compare(0, 24, "========= ERROR SUMMARY:") == 0 || visible.compare(0, 9, "VERDICT: ") == 0) {
        return;
    }
    show(visible);
    append(&everything, visible, MESSAGE_MAX, cut_remark);
    bool emulators = visible.compare(0, 9, "=========") == 0;
    if (emulators) {
        emulator_findings_add(&emulator_findings, visible.substr(0, visible.find('\n')));
    }
    append(emulators ? &emulator_report : &output, visible, emulators ? MESSAGE_MAX : OUTPUT_MAX,
           emulators ? cut_remark : "");
}

void report_foreign(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        line += text[i];
        if (text[i] == '\n') {
            show_line();
        }
    }
}

void report_end(const char *verdict) {
    end_line();
    if (strcmp(verdict, "pass") == 0) {
        report_remark("  passed");
    }
    grading.verdict = verdict;
    grading.message = everything.text;
    save();
}
