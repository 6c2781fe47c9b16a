/* Writes what a grading found as results.json (exercism's test runner interface, version 3) and as results.xml (JUnit).
 *
 *     write_results NUMBER VERDICT NONCE LOG FOLDER [NAMES]
 *
 * LOG is the grader's output as tools/grading/run keeps it. Lines of the grader begin with NONCE, which the student's code
 * does not know; what stands between them is the student's own output and the emulator's reports ("========= ").
 *
 *     NONCE  ok      gelu_erf, random input, n = 0 1 31     a check that passed
 *     NONCE  failed  gelu_tanh, n = 1000, seed 1            one that failed; from here to the next such line: why
 *     NONCE  not run gelu_tanh, in a stream                 one that needs another that failed
 *
 * LOG.times, if it is there, has the seconds from the start to each of these lines. feedback.txt is the same for a person to read: the
 * checks first, then why those failed that did, then the beginning of what the program printed.
 *
 * NAMES, the names of all checks in order, one a line, lets the result also tell those that a grading did not reach that ended early.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

enum { OUTPUT_MAX = 500, MESSAGE_MAX = 60000, CHECKS_MAX = 500 };

/* A text that grows up to a limit; what goes beyond is left out, and said to be. */
struct text {
    char *at;
    size_t length, limit;
    int cut;
};

struct check {
    char *name, *code;
    struct text message, output;
    double seconds;
    enum { PASSED, FAILED, NOT_REACHED } state;
};

static struct check checks[CHECKS_MAX];
static int check_count;
static struct text report;     /* of the emulator, since the last check ended */
static struct text everything; /* for a verdict without a check */

static const char *number, *verdict, *nonce;
static FILE *times;    /* or NULL */
static double reached; /* seconds since the start, when the last check had ended */

static void die(const char *path) {
    perror(path);
    exit(2);
}

static void append(struct text *text, const char *line, size_t limit) {
    size_t length = strlen(line);
    if (text->cut || text->length + length > limit) {
        text->cut = 1;
        return;
    }
    text->at = realloc(text->at, text->length + length + 1);
    if (!text->at) {
        die("write_results");
    }
    memcpy(text->at + text->length, line, length + 1);
    text->length += length;
}

static const char *text_of(const struct text *text) {
    return text->at ? text->at : "";
}

// ---------------------------------------------------------------- reading

static char *copy(const char *text) {
    char *made = strdup(text);
    if (!made) {
        die("write_results");
    }
    made[strcspn(made, "\n")] = '\0';
    return made;
}

/* The check that is being graded: it gets its name when it ends. */
static struct check *current(void) {
    if (check_count == CHECKS_MAX - 1) {
        fprintf(stderr, "write_results: more than %d checks\n", CHECKS_MAX);
        exit(2);
    }
    return &checks[check_count];
}

/* The seconds that passed since the last check ended; 0 where nobody has measured them. */
static double take_seconds(void) {
    double at, before = reached;
    if (!times || fscanf(times, "%lf", &at) != 1) {
        return 0;
    }
    reached = at;
    return at - before;
}

static void end_check(int state, const char *name) {
    struct check *check = current();
    check->name = copy(name);
    check->code = copy(name);
    check->state = state;
    check_count++;
    if (state == FAILED && report.at) {
        append(&check->message, report.at, MESSAGE_MAX);
    }
    free(report.at);
    report = (struct text){0};
}

/* A line of the student's program or of the emulator. */
static void read_foreign_line(const char *line, struct check *failed) {
    append(&everything, line, MESSAGE_MAX);
    if (failed) {
        append(&failed->message, line + (strncmp(line, "          ", 10) == 0 ? 10 : 0), MESSAGE_MAX);
    } else if (strncmp(line, "=========", 9) == 0) {
        append(&report, line, MESSAGE_MAX);
    } else {
        append(&current()->output, line, OUTPUT_MAX);
    }
}

/* One line of the log. `failed` is the check that is being explained. A printf without a newline may stand before a line of the grader. */
static struct check *read_line(char *line, struct check *failed) {
    char *mark = *nonce ? strstr(line, nonce) : NULL;
    const char *own;
    if (!mark) {
        if (strncmp(line, "VERDICT: ", 9) != 0) {
            read_foreign_line(line, failed);
        }
        return failed;
    }
    own = mark + strlen(nonce);
    current()->seconds += take_seconds();
    *mark = '\0';
    if (*line && strncmp(line, "VERDICT: ", 9) != 0) {
        read_foreign_line(line, failed);
    }
    if (strncmp(own, "  ok      ", 10) == 0) {
        end_check(PASSED, own + 10);
    } else if (strncmp(own, "  failed  ", 10) == 0) {
        end_check(FAILED, own + 10);
        return &checks[check_count - 1];
    } else if (strncmp(own, "  not run ", 10) == 0) {
        end_check(NOT_REACHED, own + 10);
    }
    return NULL;
}

static void read_log(const char *path) {
    FILE *log = fopen(path, "r");
    struct check *failed = NULL;
    char *line = NULL, times_path[4096];
    size_t capacity = 0;
    if (!log) {
        die(path);
    }
    snprintf(times_path, sizeof times_path, "%s.times", path);
    times = fopen(times_path, "r");
    while (getline(&line, &capacity, log) >= 0) {
        failed = read_line(line, failed);
    }
    free(line);
    fclose(log);
    if (times) {
        fclose(times);
    }
}

static int count(int state) {
    int found = 0;
    for (int i = 0; i < check_count; i++) {
        found += checks[i].state == (unsigned)state;
    }
    return found;
}

/* A failing verdict without a failing check: the program ended on its way. */
static void add_missing_failure(void) {
    if (strcmp(verdict, "pass") == 0 || strcmp(verdict, "compile_error") == 0 || count(FAILED)) {
        return;
    }
    append(&current()->message, text_of(&everything), MESSAGE_MAX);
    end_check(FAILED, "the grading runs to its end");
}

/* Names from a complete run: a failing check gets the one it would have had, the rest were not reached. */
static void read_names(const char *path) {
    FILE *names = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    if (!names) {
        die(path);
    }
    for (int i = 0; getline(&line, &capacity, names) >= 0; i++) {
        if (i < check_count && checks[i].state == FAILED) {
            free(checks[i].name);
            checks[i].name = copy(line);
        } else if (i >= check_count) {
            end_check(NOT_REACHED, line);
        }
    }
    free(line);
    fclose(names);
}

// ---------------------------------------------------------------- writing

/* The length of the UTF-8 sequence at `at`, or 0 when it is none. */
static int sequence(const unsigned char *at) {
    int length = at[0] < 0x80                     ? 1
                 : at[0] >= 0xC2 && at[0] <= 0xDF ? 2
                 : at[0] >= 0xE0 && at[0] <= 0xEF ? 3
                 : at[0] >= 0xF0 && at[0] <= 0xF4 ? 4
                                                  : 0;
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF0 && at[1] < 0x90) ||
        (at[0] == 0xF4 && at[1] > 0x8F)) {
        return 0; /* too long a form, a surrogate, beyond the last character */
    }
    return length;
}

static void put_json_character(FILE *out, char c) {
    switch (c) {
    case '"':
    case '\\':
        fprintf(out, "\\%c", c);
        break;
    case '\n':
        fputs("\\n", out);
        break;
    case '\t':
        fputs("\\t", out);
        break;
    default:
        if ((unsigned char)c < 0x20 || c == 0x7F) {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
}

static void put_xml_character(FILE *out, char c) {
    switch (c) {
    case '"':
        fputs("&quot;", out);
        break;
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    default:
        fputc((unsigned char)c < 0x20 && c != '\n' && c != '\t' ? '?' : c, out); /* XML has no such characters */
    }
}

static void put(FILE *out, const char *text, void (*put_character)(FILE *, char)) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        int length = sequence(at);
        if (length > 1) {
            fwrite(at, 1, (size_t)length, out);
        } else {
            put_character(out, length ? (char)*at : '?');
        }
        at += length ? length : 1;
    }
}

static void put_json_field(FILE *out, const char *key, const char *text, const char *end) {
    fprintf(out, "\"%s\": \"", key);
    put(out, text, put_json_character);
    fprintf(out, "\"%s", end);
}

/* The message of a check that has not passed: the verdict's word first. */
static char *explain(const struct check *check) {
    const char *text = check->state == FAILED ? text_of(&check->message) : "not run: a check that it needs failed\n";
    size_t size = strlen(verdict) + strlen(text) + 80;
    char *made = malloc(size);
    if (!made) {
        die("write_results");
    }
    snprintf(made, size, "%s%s%s%s", check->state == FAILED ? verdict : "", check->state == FAILED ? ": " : "", text,
             check->message.cut ? "(more was left out)\n" : "");
    return made;
}

static void write_json_check(FILE *out, const struct check *check, const char *end) {
    char *message = check->state == PASSED ? NULL : explain(check);
    fputs("    {", out);
    put_json_field(out, "name", check->name, ", ");
    put_json_field(out, "test_code", check->code, ", ");
    fprintf(out, "\"task_id\": %d, ", (int)(check - checks) + 1);
    put_json_field(out, "status", check->state == PASSED ? "pass" : check->state == FAILED ? "fail" : "error", ", ");
    if (message) {
        put_json_field(out, "message", message, ", ");
        free(message);
    } else {
        fputs("\"message\": null, ", out);
    }
    if (check->output.at) {
        put_json_field(out, "output", check->output.at, "}");
    } else {
        fputs("\"output\": null}", out);
    }
    fputs(end, out);
}

static void write_json(FILE *out) {
    int compiled = strcmp(verdict, "compile_error") != 0;
    fputs("{\n  \"version\": 3,\n", out);
    fprintf(out, "  \"status\": \"%s\",\n", strcmp(verdict, "pass") == 0 ? "pass" : compiled ? "fail" : "error");
    if (compiled) {
        fputs("  \"message\": null,\n", out);
    } else {
        fputs("  ", out);
        put_json_field(out, "message", text_of(&everything), ",\n");
    }
    fputs("  \"tests\": [\n", out);
    for (int i = 0; compiled && i < check_count; i++) {
        write_json_check(out, &checks[i], i + 1 < check_count ? ",\n" : "\n");
    }
    fputs("  ]\n}\n", out);
}

static void write_xml_element(FILE *out, const char *element, const char *text) {
    fprintf(out, "<%s type=\"%s\" message=\"", element, verdict);
    put(out, verdict, put_xml_character);
    fputs("\">", out);
    put(out, text, put_xml_character);
    fprintf(out, "</%s>", element);
}

/* What a check printed goes below the checks: Ant's schema allows no output inside of them, and wants both streams. */
static void write_xml_check(FILE *out, const struct check *check) {
    fprintf(out, "    <testcase classname=\"exercise%s\" name=\"", number);
    put(out, check->name, put_xml_character);
    fprintf(out, "\" time=\"%.3f\">", check->seconds);
    if (check->state == FAILED) {
        char *message = explain(check);
        write_xml_element(out, "failure", message);
        free(message);
    } else if (check->state == NOT_REACHED) {
        fputs("<skipped/>", out);
    }
    fputs("</testcase>\n", out);
}

static void write_xml_output(FILE *out) {
    fputs("    <system-out>", out);
    for (int i = 0; i < check_count; i++) {
        if (checks[i].output.at) {
            put(out, checks[i].name, put_xml_character);
            fputs(":\n", out);
            put(out, checks[i].output.at, put_xml_character);
        }
    }
    fputs("</system-out>\n    <system-err></system-err>\n", out);
}

/* No machine's name: results are handed on. */
static void write_xml_head(FILE *out, int compiled) {
    char now[40];
    time_t at = time(NULL);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%S", localtime(&at));
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    fprintf(out,
            "  <testsuite name=\"exercise%s\" package=\"exercises\" id=\"0\" hostname=\"localhost\" timestamp=\"%s\" "
            "time=\"%.3f\"",
            number, now, reached);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n    <properties/>\n",
            compiled ? check_count : 1, compiled ? count(FAILED) : 0, !compiled, compiled ? count(NOT_REACHED) : 0);
}

static void write_xml(FILE *out) {
    int compiled = strcmp(verdict, "compile_error") != 0;
    write_xml_head(out, compiled);
    for (int i = 0; compiled && i < check_count; i++) {
        write_xml_check(out, &checks[i]);
    }
    if (!compiled) {
        fprintf(out, "    <testcase classname=\"exercise%s\" name=\"it compiles\" time=\"0.000\">", number);
        write_xml_element(out, "error", text_of(&everything));
        fputs("</testcase>\n", out);
    }
    write_xml_output(out);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

static void write_file(const char *folder, const char *name, void (*write)(FILE *)) {
    char path[4096];
    FILE *out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    if (!out) {
        die(path);
    }
    write(out);
    if (fclose(out)) {
        die(path);
    }
}

/* The names of the checks that a complete run has, for NAMES of later runs. */
static void write_names(FILE *out) {
    for (int i = 0; i < check_count; i++) {
        fprintf(out, "%s\n", checks[i].name);
    }
}

static void write_count(FILE *out) {
    fprintf(out, "%d %d\n", count(PASSED), check_count);
}

/* `text` with two columns of space before each line. */
static void write_indented(FILE *out, const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void write_feedback(FILE *out) {
    static const char *const words[] = {[PASSED] = "ok", [FAILED] = "failed", [NOT_REACHED] = "not run"};
    int compiled = strcmp(verdict, "compile_error") != 0;
    for (int i = 0; compiled && i < check_count; i++) {
        fprintf(out, "  %-7s %s\n", words[checks[i].state], checks[i].name);
    }
    for (int i = 0; compiled && i < check_count; i++) {
        if (checks[i].state == FAILED) {
            fprintf(out, "\n%s\n", checks[i].name);
            write_indented(out, text_of(&checks[i].message));
        }
    }
    if (!compiled) {
        fputs(text_of(&everything), out);
    }
    for (int i = 0; compiled && i < check_count; i++) {
        if (checks[i].output.at) {
            fprintf(out, "\nwhat the program printed in: %s\n", checks[i].name);
            write_indented(out, checks[i].output.at);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: write_results NUMBER VERDICT NONCE LOG FOLDER [NAMES]\n");
        return 2;
    }
    number = argv[1];
    verdict = argv[2];
    nonce = argv[3];
    read_log(argv[4]);
    add_missing_failure();
    if (argc == 7) {
        read_names(argv[6]);
    }
    write_file(argv[5], "results.json", write_json);
    write_file(argv[5], "results.xml", write_xml);
    write_file(argv[5], "feedback.txt", write_feedback);
    write_file(argv[5], "checks", write_names);
    write_file(argv[5], "count", write_count);
    return 0;
}
