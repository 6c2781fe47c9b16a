#include "tools/grading/show.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/grading/jobs.h"

struct choice {
    int rank; /* -1: there is none yet */
    size_t bytes;
    struct call call;
};

struct candidate {
    const struct function *function;
    struct choice shown, at_edge;
};

static std::vector<struct candidate> candidates; /* one for each function, in the exercise's order */
static bool only, skipped, limits_here;

bool show_only(void) {
    return only;
}

void show_begin(std::initializer_list<const struct function *> functions) {
    only = true;
    for (const struct function *function : functions) {
        candidates.push_back({function, {-1, 0, {}}, {-1, 0, {}}});
    }
}

void show_check(bool limits) {
    skipped = false;
    limits_here = limits;
}

void show_skip(void) {
    skipped = true;
}

/* A call that is disturbed on purpose does not represent the function. */
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

static bool ends_within_a_line(const struct call *call) {
    for (const struct array_facts &facts : call->arrays) {
        if (facts.bytes > 128 && facts.bytes % 128) {
            return true;
        }
    }
    return false;
}

static void choose(struct choice *best, int rank, const struct call *call) {
    size_t bytes = bytes_of(call);
    if (rank > best->rank || (rank == best->rank && bytes > best->bytes)) {
        *best = {rank, bytes, *call};
    }
}

static void consider(const struct call *call) {
    for (struct candidate &c : candidates) {
        if (c.function == call->function) {
            choose(&c.shown, call->shown ? 2 : call->counted || limits_here ? 1 : 0, call);
            choose(&c.at_edge, ends_within_a_line(call) ? 0 : -1, call);
        }
    }
}

struct result show_note(const struct call *call) {
    struct result r = {*call, {}, {}, {}, {}, "", 0, false, false};
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

static bool put_job(FILE *file, const struct call *call, uint32_t number, bool at_edge) {
    static struct shown_job shown;
    memset(&shown, 0, sizeof shown);
    shown.job = call->job;
    shown.number = number;
    shown.at_edge = at_edge;
    shown.times = call->shown && !at_edge ? call->shown : 1;
    snprintf(shown.name, sizeof shown.name, "%s", call->function->name);
    snprintf(shown.prototype, sizeof shown.prototype, "%s", call->function->prototype);
    for (unsigned i = 0; i < shown.job.arrays; i++) {
        snprintf(shown.array_name[i], WORD_MAX, "%s", call->arrays[i].name);
    }
    bool written = put(file, &shown, sizeof shown);
    for (unsigned i = 0; i < shown.job.arrays; i++) {
        if (shown.job.array[i].given) {
            written = written && put(file, call->given[i].data(), call->given[i].size());
        }
    }
    return written;
}

/* A call with multiples of warps and blocks needs a second one. */
static bool has_second(const struct candidate *c) {
    return c->at_edge.rank >= 0 && !ends_within_a_line(&c->shown.call);
}

/* Reports a missing function: a test of the workbook requires a call for each. */
static bool all_found(void) {
    bool found = true;
    for (const struct candidate &c : candidates) {
        if (c.shown.rank < 0) {
            fprintf(stderr, "grader: no check has a call of %s that can be shown\n", c.function->name);
            found = false;
        }
    }
    return found;
}

static bool put_all(FILE *file) {
    struct jobs_head head = {JOBS_MAGIC, sizeof(struct shown_job), 0, ""};
    const char *devices = getenv("EMULATOR_DEVICES");
    snprintf(head.devices, sizeof head.devices, "%s", devices ? devices : "");
    for (const struct candidate &c : candidates) {
        head.count += 1 + has_second(&c);
    }
    bool written = put(file, &head, sizeof head);
    for (size_t i = 0; i < candidates.size(); i++) {
        const struct candidate *c = &candidates[i];
        written = written && put_job(file, &c->shown.call, (uint32_t)i + 1, false);
        written = written && (!has_second(c) || put_job(file, &c->at_edge.call, (uint32_t)i + 1, true));
    }
    return written;
}

int show_write(const char *path) {
    if (!all_found()) {
        return 1;
    }
    FILE *file = fopen(path, "wb");
    bool written = file && put_all(file);
    if (!file || fclose(file) != 0 || !written) {
        perror(path);
        return 2;
    }
    return 0;
}
