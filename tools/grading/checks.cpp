/* checks.cpp - runs the checks of a grader by name, and reports how each of them ended. Checks share a runner until one fails or requires
 * another kind of runner; the last one, with drawn inputs, has its own.
 *
 *     judge03 RUNNER EXERCISE.so SOURCE cpu|gpu 9>results.json
 *     judge03 --jobs FILE                                  judges nothing: writes the calls that represent the exercise (show.h)
 */
#include "tools/grading/checks.h"

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "tools/grading/report.h"
#include "tools/grading/show.h"

enum { USAGE = 2 };

/* Thrown to end a check. */
struct failure {
    std::string verdict, message;
    struct next_step next; /* none: the first step of the verdict */
};

static std::string emulator_checks; /* as set by tools/grading/run: a check may omit one */
static const char *number, *object;
static bool on_emulator;
static std::string subject, noted, seeded, first_verdict; /* `seeded`: how to repeat the random draw */
static struct next_step next;                             /* of the next failure */
static int pending;
static uint64_t drawing;

bool judge_on_emulator(void) {
    return on_emulator;
}

const char *checks_object(void) {
    return object;
}

void checks_pending(int more) {
    pending += more;
}

uint64_t checks_random(void) {
    uint64_t value = 0;
    if (getrandom(&value, sizeof value, 0) != sizeof value) {
        perror("grader: getrandom");
        exit(USAGE);
    }
    return value;
}

static std::string text_of(const char *format, va_list arguments) {
    char text[4000];
    vsnprintf(text, sizeof text, format, arguments);
    return text;
}

void judge_doing(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    subject = text_of(format, arguments);
    va_end(arguments);
}

void judge_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    noted = text_of(format, arguments);
    va_end(arguments);
}

/* A runner forwards the emulator's verdict, but the text is untrusted: it may be any word. */
static bool is_verdict(const char *word) {
    return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz_")] && strcmp(word, "pass") != 0;
}

void judge_fail(const char *verdict, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::string text = text_of(format, arguments);
    va_end(arguments);
    throw failure{is_verdict(verdict) ? verdict : "crash", text, next};
}

void judge_next(const char *step) {
    next = {step, ""};
}

// ---------------------------------------------------------------- limits

/* Of the checks in progress: the part whose limits were exceeded first, and the call that did so. */
struct exceeded {
    std::string part, subject;
    struct failure failure;
};

static const struct check *all_checks, *running;
static size_t all_count;
static std::vector<struct exceeded> exceeded;

/* The limits of this check's calls are judged in another check. */
static bool judged_later(void) {
    bool later = false;
    for (size_t c = 0; running && running->part && c < all_count; c++) {
        later |= all_checks[c].limits == LIMITS_HERE && all_checks[c].part &&
                 strcmp(all_checks[c].part, running->part) == 0 && &all_checks[c] > running;
    }
    return later;
}

void checks_limits(const struct result *r) {
    if (!judged_later()) {
        r->call.limits(r);
        return;
    }
    std::string before = noted;
    try {
        r->call.limits(r);
    } catch (const struct failure &f) {
        exceeded.push_back({running->part, subject, f});
    }
    noted = before;
}

static void limits_of_part(const struct check *check) {
    for (const struct exceeded &e : exceeded) {
        if (check->limits == LIMITS_HERE && e.part == check->part) {
            subject = e.subject;
            throw e.failure;
        }
    }
}

// ---------------------------------------------------------------- drawing

/* SEED=n repeats the random draw of another grading. */
static void seed_drawing(void) {
    const char *wanted = getenv("SEED");
    uint64_t seed = wanted && *wanted ? strtoull(wanted, NULL, 10) : checks_random() % 1000000000;
    seeded = judge_print("SEED=%llu repeats it", (unsigned long long)seed);
    drawing = (seed + 1) * 0x9E3779B97F4A7C15ULL;
    drawing = drawing ? drawing : 1;
}

int judge_draw(int low, int high) {
    return low + (int)((verify_next(&drawing) >> 33) % (uint64_t)(high - low + 1));
}

// ---------------------------------------------------------------- one check

static void report_failure(const char *name, const std::string &shown, const struct failure *f) {
    struct reported_finding finding = {};
    finding.kind = f->verdict;
    finding.message = f->message;
    finding.next = f->next.step.empty() ? first_step(f->verdict.c_str()) : f->next;
    report_failed(name, shown, &finding);
    first_verdict = first_verdict.empty() ? f->verdict : first_verdict;
}

static void report_success(const struct check *check) {
    std::string more = noted + (noted.empty() || seeded.empty() ? "" : "; ") + seeded;
    report_passed(check->name, check->name + (more.empty() ? "" : " (" + more + ")"));
}

/* True when it passed; the caller reports that. */
static bool run_check(const struct check *check, std::string *verdict) {
    subject = check->name;
    noted.clear();
    seeded.clear();
    next = {};
    pending = 0;
    if (!check->part) {
        seed_drawing();
    }
    setenv("EMULATOR_CHECK", emulator_checks.c_str(), 1);
    running = check;
    if (check->part) {
        process_share();
    } else {
        process_start();
    }
    try {
        limits_of_part(check);
        check->run();
    } catch (const struct failure &f) {
        process_stop();
        report_failure(check->name, subject + (seeded.empty() ? "" : " (" + seeded + ")"), &f);
        *verdict = f.verdict;
        return false;
    }
    if (pending) {
        fprintf(stderr, "grader: in \"%s\" %d results were not judged to the end\n", check->name, pending);
        exit(USAGE);
    }
    return true;
}

// ---------------------------------------------------------------- all checks

/* Whether the part's first check, the gate, failed, or one of its checks did not end. */
struct part_state {
    std::string name;
    bool closed;
};

static struct part_state *state_of(std::vector<struct part_state> *states, const struct check *check, bool *first) {
    for (struct part_state &state : *states) {
        if (state.name == check->part) {
            *first = false;
            return &state;
        }
    }
    *first = true;
    states->push_back({check->part, false});
    return &states->back();
}

/* VERDICT_ONLY=1, for tests: only the verdict is wanted, which the first failure decides. */
static bool verdict_only(void) {
    const char *only = getenv("VERDICT_ONLY");
    return only && *only == '1';
}

static bool applies(const struct check *check) {
    return on_emulator || check->where != ON_EMULATOR;
}

/* CHECK_FIRST=name, for tests and with VERDICT_ONLY=1: this check is tried before all others. Where it fails, that is the verdict; else
 * the others decide as if it had not been run. Returns the check that failed. */
static const struct check *try_first(const struct check *checks, size_t count) {
    const char *wanted = verdict_only() ? getenv("CHECK_FIRST") : NULL;
    std::string verdict;
    for (size_t c = 0; wanted && c < count; c++) {
        if (strcmp(checks[c].name, wanted) == 0 && applies(&checks[c])) {
            return run_check(&checks[c], &verdict) ? NULL : &checks[c];
        }
    }
    return NULL;
}

static void run_checks(const struct check *checks, size_t count) {
    std::vector<struct part_state> states;
    size_t passed = 0, wanted = 0;
    all_checks = checks;
    all_count = count;
    const struct check *failed = try_first(checks, count);
    for (size_t c = 0; c < count; c++) {
        if (!applies(&checks[c]) || &checks[c] == failed) {
            continue;
        }
        wanted++;
        bool first = false;
        struct part_state *state = checks[c].part ? state_of(&states, &checks[c], &first) : NULL;
        bool decided = verdict_only() && !first_verdict.empty();
        if (decided || (state ? state->closed : passed + 1 != wanted)) {
            report_not_run(checks[c].name);
            continue;
        }
        std::string verdict;
        bool ok = run_check(&checks[c], &verdict);
        passed += ok;
        if (ok) {
            report_success(&checks[c]);
        }
        if (state && !ok) {
            state->closed = first || verdict == "timeout";
        }
    }
    if (first_verdict.empty()) {
        first_verdict = passed == wanted && passed > 0 ? "pass" : "crash";
    }
}

// ---------------------------------------------------------------- the functions

static std::string load_failure(const struct conversation *c) {
    switch (c->end) {
    case TALK_TIMEOUT:
        return "an endless loop runs before any function of the exercise is called.";
    case TALK_FLOOD:
        return "the output was cut after 1 MB, before any function of the exercise was called.";
    default:
        return c->why + " before any function of the exercise was called: does your code call exit?";
    }
}

/* The file cannot be loaded: the first check ends with this result, and no other check is reached. */
static void fail_loading(const struct conversation *c, const struct check *checks, size_t count) {
    struct failure failure = {c->end == TALK_TIMEOUT ? "timeout" : "crash", load_failure(c), {}};
    report_failure(checks[0].name, "the file can be loaded", &failure);
    for (size_t n = 1; n < count; n++) {
        if (applies(&checks[n])) {
            report_not_run(checks[n].name);
        }
    }
}

/* False, and reported, when the student's file does not define the functions that the exercise requires. */
static bool functions_there(std::initializer_list<const struct function *> functions, const struct check *checks,
                            size_t count) {
    bool there = true;
    process_share();
    for (const struct function *function : functions) {
        struct call call = judge_call(function);
        call.job.only_look = 1;
        call.job.token = checks_random();
        struct conversation c = process_ask(&call.job, call.given);
        report_foreign(c.printed.data(), c.printed.size());
        if (c.end != TALK_ANSWERED) {
            fail_loading(&c, checks, count);
            return false;
        }
        if (!c.answer.found) {
            report_message(judge_print("Your file has no function `%s`: were its name or its parameters changed?",
                                       function->prototype));
            there = false;
        }
    }
    first_verdict = there ? "" : "compile_error";
    return there;
}

// ---------------------------------------------------------------- the calls that are shown

/* Calls drawn afterwards are not among those that the exercise's regular checks make. */
static int show_jobs(const char *file, std::initializer_list<const struct function *> functions,
                     const struct check *checks, size_t count) {
    on_emulator = true;
    drawing = 1;
    object = "";
    show_begin(functions);
    for (size_t c = 0; c < count && functions.size(); c++) {
        show_check(checks[c].limits == LIMITS_HERE);
        try {
            if (checks[c].part) {
                checks[c].run();
            }
        } catch (const struct failure &) { /* nothing was computed, so a check may end early */
        }
    }
    return show_write(file);
}

// ---------------------------------------------------------------- main

/* TIMEOUT limits a kernel, and the emulator stops one that exceeds it; on a GPU we must. */
static int job_limit(void) {
    const char *text = getenv("TIMEOUT");
    int seconds = text && atoi(text) > 4 ? atoi(text) : 20;
    return on_emulator ? seconds + 8 : seconds;
}

static void set_up(char **argv) {
    const char *path = getenv("LD_LIBRARY_PATH"), *asked = getenv("EMULATOR_CHECK");
    emulator_checks = asked ? asked : "";
    on_emulator = strcmp(argv[4], "cpu") == 0;
    object = argv[2];
    const struct process_setup setup = {argv[1], argv[2], path ? path : "", argv[4], job_limit()};
    prctl(PR_SET_DUMPABLE, 0);
    process_setup(&setup);
    report_begin(number, argv[3]);
}

int judge_main(int argc, char **argv, const char *lesson, std::initializer_list<const struct function *> functions,
               const struct check *checks, size_t count) {
    if (argc == 3 && strcmp(argv[1], "--jobs") == 0) {
        return show_jobs(argv[2], functions, checks, count);
    }
    if (argc != 5) {
        fprintf(stderr, "usage: judge%s RUNNER EXERCISE.so SOURCE cpu|gpu 9>results.json\n", lesson);
        return USAGE;
    }
    number = lesson;
    set_up(argv);
    if (functions_there(functions, checks, count)) {
        run_checks(checks, count);
    }
    process_stop();
    report_end(first_verdict.c_str());
    return first_verdict != "pass";
}
