#include "machine/mbarrier_log.h"

#include <stdarg.h>
#include <stdio.h>

#include "machine/block_cluster.h"
#include "machine/mbarrier_object.h"
#include "machine/observer.h"

static struct mbarrier_log *log_of(const struct block *b) {
    return &cluster_block(b, 0)->mbarriers;
}

struct mbarrier_events *mbarrier_events_of(const struct block *b, const uint64_t *object) {
    struct mbarrier_log *log = log_of(b);
    uint32_t known = log->count < MBARRIER_LOG_SIZE ? log->count : MBARRIER_LOG_SIZE;
    for (uint32_t i = 0; i < known; i++)
        if (log->events[i].object == object)
            return &log->events[i];
    return NULL;
}

void mbarrier_log_init(const struct block *b, const uint64_t *object, const struct insn *in) {
    struct mbarrier_events *e = mbarrier_events_of(b, object);
    if (!e)
        e = &log_of(b)->events[log_of(b)->count++ % MBARRIER_LOG_SIZE];
    *e = (struct mbarrier_events){.object = object, .init = in};
}

void mbarrier_log_bytes(const struct block *b, const uint64_t *object, const struct insn *in, int64_t bytes) {
    struct mbarrier_events *e = mbarrier_events_of(b, object);
    if (!e || !bytes)
        return;
    *(bytes > 0 ? &e->expect : &e->copy) = in;
    e->expected += bytes > 0 ? (uint64_t)bytes : 0;
    e->came += bytes < 0 ? (uint64_t)-bytes : 0;
    e->ahead += bytes < 0 ? (uint64_t)-bytes : 0;
}

void mbarrier_log_over(const struct block *b, const uint64_t *object) {
    struct mbarrier_events *e = mbarrier_events_of(b, object);
    if (!e)
        return;
    e->phases++;
    e->unseen++;
    e->expected = e->came = 0;
}

bool mbarrier_log_too_many(const struct block *b, const uint64_t *object, const struct insn *in) {
    struct mbarrier_events *e = mbarrier_events_of(b, object);
    if (!e || e->too_many || e->unseen < 2)
        return false;
    e->too_many = in;
    return true;
}

void mbarrier_log_waited(const struct block *b, const uint64_t *object) {
    struct mbarrier_events *e = mbarrier_events_of(b, object);
    struct mbarrier_log *log = log_of(b);
    uint64_t known = e ? e->ahead : 0, ahead = 0;
    if (e)
        e->unseen = 0;
    if (!known)
        return;
    e->ahead = 0;
    for (uint32_t i = 0; i < log->count && i < MBARRIER_LOG_SIZE; i++)
        ahead += log->events[i].ahead;
    log->bytes_ahead += ahead / b->launch->cluster_blocks * known / 1024;
}

/* ---- the explanation ---- */

struct words {
    char *at, *end;
};

__attribute__((format(printf, 2, 3))) static void put(struct words *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(w->at, (size_t)(w->end - w->at), format, arguments);
    va_end(arguments);
    w->at += n > 0 && n < w->end - w->at ? n : 0;
}

/* " at x.cu:12", where lines are known. */
static void put_line(struct words *w, const struct kernel *k, const struct insn *in) {
    char line[200] = "";
    if (in && observer.line)
        observer.line(k, in, line, sizeof line);
    if (*line)
        put(w, " at %s", line);
}

static void put_bytes(struct words *out, const struct kernel *k, const struct mbarrier_events *e, int32_t left) {
    uint64_t expected = e->expected, came = e->came;
    put(out, " Of %llu bytes announced by expect_tx", (unsigned long long)expected);
    put_line(out, k, e->expect);
    put(out, ", %llu have arrived", (unsigned long long)came);
    if (e->copy) {
        put(out, " (the last of them from a copy");
        put_line(out, k, e->copy);
        put(out, ")");
    }
    if (left > 0)
        put(out, ": %d are missing.", left);
    else
        put(out, ": %d too many.", -left);
    put(out, " In each phase, the bytes passed to expect_tx have to equal the total of all copies that complete on "
             "this mbarrier.");
}

static void put_too_many(struct words *out, const struct kernel *k, const struct mbarrier_events *e, unsigned count) {
    put(out, " An arrival");
    put_line(out, k, e->too_many);
    put(out,
        " has completed a phase before any thread waited for the previous one: more threads arrive than the %u that "
        "init() was given. Let one thread arrive for all, or pass the number of all arriving threads.",
        count);
}

enum mbarrier_progress mbarrier_progress(const struct warp *w) {
    const struct mbarrier m = mbarrier_unpack(w->unfinished_state);
    if (m.bytes)
        return MBARRIER_WRONG_BYTES;
    return m.pending < m.expected ? MBARRIER_SOME_ARRIVALS : MBARRIER_NOTHING;
}

void mbarrier_explain(const struct warp *w, char *text, size_t size) {
    struct words out = {text, text + size};
    const struct kernel *k = w->launch->kernel;
    const struct mbarrier m = mbarrier_unpack(w->unfinished_state);
    const struct mbarrier_events *e = mbarrier_events_of(w->block, w->unfinished_object);
    put(&out,
        "The mbarrier (cuda::barrier) still expects %u of %u arrivals and %d bytes in this phase, and every thread of "
        "the %s that has not exited is waiting.",
        m.pending, m.expected, m.bytes, w->launch->cluster_blocks == 1 ? "block" : "cluster");
    if (e) {
        put(&out, " It was initialized");
        put_line(&out, k, e->init);
        put(&out, ", and this is phase %u (parity %u).", e->phases, m.phase);
    }
    if (e && m.bytes)
        put_bytes(&out, k, e, m.bytes);
    bool nothing = e && e->phases && m.pending == m.expected && !e->expected && !e->came;
    if (nothing && e->too_many)
        put_too_many(&out, k, e, m.expected);
    else if (nothing)
        put(&out,
            " Nothing has arrived in this phase, and phase %u is complete: is the parity of this wait wrong? It has to "
            "be 0 for the first phase, then 1, 0, and so on: (step / stages) %% 2 in a multi-stage pipeline.",
            e->phases - 1);
    else if (m.pending)
        put(&out, " The count passed to init() has to be the number of threads that arrive in each phase.");
}
