#include "tools/grading/show.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/grading/jobs.h"

struct candidate {
    const struct function *function;
    int rank; /* -1: there is none yet */
    size_t bytes;
    struct call call;
};

static std::vector<struct candidate> candidates; /* one for each function, in the exercise's order */
static bool only, skipped;

bool show_only(void) {
    return only;
}

void show_begin(std::initializer_list<const struct function *> functions) {
    only = true;
    for (const struct function *function : functions) {
        candidates.push_back({function, -1, 0, {}});
    }
}

void show_check(void) {
    skipped = false;
}

void show_skip(void) {
    skipped = true;
}

/* A call that is disturbed on purpose shows nothing of the function. */
static bool usual(const struct call *call) {
    const struct job *job = &call->job;
    return !skipped && !call->quiet && !job->fail_number && !job->busy && !job->only_look;
}

static size_t bytes_of(const struct call *call) {
    size_t bytes = 0;
    for (unsigned i = 0; i < call->job.arrays; i++) {
        bytes += call->job.array[i].bytes;
    }
    return bytes;
}

static void consider(const struct call *call) {
    int rank = call->shown ? 2 : call->job.count ? 1 : 0;
    size_t bytes = bytes_of(call);
    for (struct candidate &c : candidates) {
        if (c.function == call->function && (rank > c.rank || (rank == c.rank && bytes > c.bytes))) {
            c = {c.function, rank, bytes, *call};
        }
    }
}

struct result show_note(const struct call *call) {
    struct result r = {*call, {}, {}, {}, "", false, false};
    if (usual(call)) {
        consider(call);
    }
    r.contents.resize(ARRAYS_MAX);
    for (unsigned i = 0; i < call->job.arrays; i++) {
        r.contents[i] = call->arrays[i].before;
        r.contents[i].resize(call->job.array[i].bytes);
        r.answer.array[i].not_by_kernels = -1;
        r.answer.array[i].damaged = INT64_MIN;
    }
    r.answer.found = r.answer.contents = r.answer.launches = 1;
    snprintf(r.answer.verdict, sizeof r.answer.verdict, "none");
    return r;
}

// ---------------------------------------------------------------- the file

static bool put(FILE *file, const void *from, size_t size) {
    return size == 0 || fwrite(from, size, 1, file) == 1;
}

static bool put_job(FILE *file, const struct candidate *c) {
    static struct shown_job shown;
    memset(&shown, 0, sizeof shown);
    shown.job = c->call.job;
    shown.times = c->call.shown ? c->call.shown : 1;
    snprintf(shown.name, sizeof shown.name, "%s", c->function->name);
    snprintf(shown.prototype, sizeof shown.prototype, "%s", c->function->prototype);
    for (unsigned i = 0; i < shown.job.arrays; i++) {
        snprintf(shown.array_name[i], WORD_MAX, "%s", c->call.arrays[i].name);
    }
    bool written = put(file, &shown, sizeof shown);
    for (unsigned i = 0; i < shown.job.arrays; i++) {
        if (shown.job.array[i].given) {
            written = written && put(file, c->call.given[i].data(), c->call.given[i].size());
        }
    }
    return written;
}

/* Says what is missing: a test of the workbook has every function shown. */
static uint32_t count_found(void) {
    uint32_t found = 0;
    for (const struct candidate &c : candidates) {
        found += c.rank >= 0;
        if (c.rank < 0) {
            fprintf(stderr, "grader: no check has a call of %s that can be shown\n", c.function->name);
        }
    }
    return found;
}

int show_write(const char *path) {
    struct jobs_head head = {JOBS_MAGIC, sizeof(struct shown_job), count_found(), ""};
    const char *devices = getenv("EMULATOR_DEVICES");
    snprintf(head.devices, sizeof head.devices, "%s", devices ? devices : "");
    FILE *file = fopen(path, "wb");
    bool written = file && put(file, &head, sizeof head);
    for (const struct candidate &c : candidates) {
        written = written && (c.rank < 0 || put_job(file, &c));
    }
    if (!file || (fclose(file) != 0) || !written) {
        perror(path);
        return 2;
    }
    return head.count < candidates.size();
}
