/* results_json.cpp - a grading as JSON. */
#include "tools/grading/results_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The text is UTF-8 (visible.h). */
static std::string quoted(const std::string &text) {
    std::string json = "\"";
    for (char c : text) {
        char escape[8] = {c, 0};
        if (c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", c);
        } else if ((unsigned char)c < 0x20 || c == 0x7F) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)c);
        }
        json += escape;
    }
    return json + "\"";
}

static std::string quoted_or_null(const std::string &text) {
    return text.empty() ? "null" : quoted(text);
}

static std::string three(const uint32_t numbers[3]) {
    char text[60];
    snprintf(text, sizeof text, "[%u, %u, %u]", numbers[0], numbers[1], numbers[2]);
    return text;
}

static std::string seconds_text(double seconds) {
    char text[40];
    snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

static std::string next_text(const struct next_step *next) {
    return next->step.empty() ? "null"
                              : "{\"step\": " + quoted(next->step) + ", \"tool\": " + quoted_or_null(next->tool) + "}";
}

static std::string finding_text(const struct reported_finding *f) {
    return "{\"kind\": " + quoted(f->kind) + ", \"file\": " + quoted_or_null(f->file) +
           ", \"line\": " + (f->line ? std::to_string(f->line) : "null") +
           ", \"kernel\": " + quoted_or_null(f->kernel) + ", \"block\": " + (f->in_thread ? three(f->block) : "null") +
           ", \"thread\": " + (f->in_thread ? three(f->thread) : "null") + ", \"message\": " + quoted(f->message) +
           ", \"next\": " + next_text(&f->next) + "}";
}

static std::string check_text(const struct judged_check *check, size_t number) {
    static const char *const status[] = {"pass", "fail", "error"};
    std::string findings;
    for (const struct reported_finding &finding : check->findings) {
        findings += (findings.empty() ? "\n      " : ",\n      ") + finding_text(&finding);
    }
    return "    {\"name\": " + quoted(check->name) + ", \"task_id\": " + std::to_string(number) + ", \"status\": \"" +
           status[check->state] + "\", \"message\": " + quoted_or_null(check->message) +
           ", \"output\": " + quoted_or_null(check->output) + ",\n     \"subject\": " + quoted(check->subject) +
           ", \"verdict\": " + quoted_or_null(check->verdict) + ", \"seconds\": " + seconds_text(check->seconds) +
           ", \"findings\": [" + findings + "]}";
}

/* A file that does not compile has no checks, as exercism's interface specifies. */
static std::string grading_text(const struct grading *g) {
    bool compiled = g->verdict != "compile_error";
    std::string checks, status = g->verdict == "pass" ? "pass" : compiled ? "fail" : "error";
    for (size_t c = 0; compiled && c < g->checks.size(); c++) {
        checks += (c ? ",\n" : "\n") + check_text(&g->checks[c], c + 1);
    }
    return "{\n  \"version\": 3,\n  \"status\": \"" + status + "\",\n  \"verdict\": " + quoted_or_null(g->verdict) +
           ",\n  \"message\": " + (compiled ? "null" : quoted(g->message)) +
           ",\n  \"exercise\": " + quoted(g->exercise) + ",\n  \"file\": " + quoted(g->file) +
           ",\n  \"seconds\": " + seconds_text(g->seconds) + ",\n  \"tests\": [" + checks + "\n  ]\n}\n";
}

void results_write(int descriptor, const struct grading *g) {
    std::string text = grading_text(g);
    size_t written = 0;
    bool failed = ftruncate(descriptor, 0) != 0;
    while (!failed && written < text.size()) {
        ssize_t put = pwrite(descriptor, text.data() + written, text.size() - written, (off_t)written);
        failed = put <= 0;
        written += put > 0 ? (size_t)put : 0;
    }
    if (failed) {
        perror("grader: results.json cannot be written");
        exit(2);
    }
}
