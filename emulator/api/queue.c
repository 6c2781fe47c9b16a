#include "api/queue.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/checks.h"
#include "base/host_frame.h"
#include "base/out_of_memory.h"
#include "check/managed_watch.h"
#include "machine/device_printf.h"

#define PRINT_DELAY_NS 10000000

struct marker {
    _Atomic int references;
    bool done;
    double seconds;
    struct stream_clock clock; /* what happens before it */
};

enum stream_kind { STREAM_LEGACY, STREAM_BLOCKING, STREAM_NON_BLOCKING };

struct stream {
    int device, priority;
    unsigned flags;
    enum stream_kind kind;
    unsigned long long id;
    struct stream_attributes attributes;
    bool threaded;  /* has its thread */
    bool busy;      /* the head is being executed */
    bool destroyed; /* to go when empty */
    struct operation *head, *tail;
    pthread_cond_t changed;    /* its thread's */
    unsigned slot;             /* its number in clocks */
    struct stream_clock clock; /* what happens before its next operation */
    uint32_t last_launch; /* its number in the clock, if it was the last operation and lets the next one begin; or 0 */
    struct stream *next;
};

struct device_queue {
    struct stream *streams;
    struct stream *legacy;
};

/* One lock for all: operations are long compared with what is done under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t host_changed = PTHREAD_COND_INITIALIZER; /* for threads of the program that wait */
static struct device_queue devices[MAX_DEVICES];
static uint64_t next_number = 1;
static unsigned long long next_id = 1;

static pthread_key_t thread_streams; /* the calling thread's default streams, one per device */

/* ---- Order ---- */

/* Number of the oldest unfinished operation. */
static uint64_t oldest(const struct stream *s) {
    return s->head ? s->head->number : UINT64_MAX;
}

/* Is there unfinished work that operation number n of s has to wait for in other streams? */
static bool blocked(const struct stream *s, uint64_t n) {
    const struct device_queue *d = &devices[s->device];
    /* The legacy default stream and the blocking ones wait for each other's operations that were submitted before (with
     * lower numbers, which all streams of the process share). A non-blocking stream waits for no other stream. */
    if (s->kind == STREAM_BLOCKING)
        return d->legacy && oldest(d->legacy) < n;
    if (s->kind == STREAM_LEGACY)
        for (const struct stream *other = d->streams; other; other = other->next)
            if (other->kind == STREAM_BLOCKING && oldest(other) < n)
                return true;
    return false;
}

static bool startable(const struct stream *s) {
    const struct operation *op = s->head;
    return op && !s->busy && !(op->waits_for && !op->waits_for->done) && !blocked(s, op->number);
}

/* Work that the program's threads have waited for happens before all that they submit from then on. */
static struct stream_clock host_clock;

static void join_blocking(struct stream_clock *clock, const struct device_queue *d) {
    for (const struct stream *other = d->streams; other; other = other->next)
        if (other->kind != STREAM_NON_BLOCKING)
            stream_clock_join(clock, &other->clock);
}

/* Numbers of streams in clocks. There are few, and two streams with one number count as ordered: so a new stream gets
 * one that no other has, and of these the one that has been free for the longest time. */
static struct slot {
    unsigned streams;
    uint64_t since; /* when its last stream was destroyed */
} slots[ORDER_STREAMS];

static unsigned take_slot(void) {
    unsigned best = 0;
    for (unsigned i = 1; i < ORDER_STREAMS; i++)
        if (slots[i].streams < slots[best].streams ||
            (slots[i].streams == slots[best].streams && slots[i].since < slots[best].since))
            best = i;
    slots[best].streams++;
    return best;
}

static void return_slot(unsigned slot) {
    static uint64_t returned;
    slots[slot].streams--;
    slots[slot].since = ++returned;
}

/* For racecheck: what happens before this operation. */
static void note_order(struct stream *s, struct operation *op, const struct host_callers *callers) {
    const struct device_queue *d = &devices[s->device];
    if (!check_is_on(CHECK_RACE))
        return;
    stream_order_submitted(callers, s->kind == STREAM_LEGACY ? 0 : s->id);
    managed_clock(&host_clock);
    stream_clock_join(&s->clock, &host_clock);
    if (s->kind == STREAM_LEGACY)
        join_blocking(&s->clock, d);
    else if (s->kind == STREAM_BLOCKING && d->legacy)
        stream_clock_join(&s->clock, &d->legacy->clock);
    if (op->waits_for)
        stream_clock_join(&s->clock, &op->waits_for->clock);
    if (op->order_parts)
        op->order_parts(op, s->slot, &s->clock);
    /* Only for the launch that follows directly in the stream: everything else submitted since waits for the first. */
    bool follows = s->last_launch && s->clock.last[s->slot % ORDER_STREAMS] == s->last_launch;
    op->order = op->beside && follows ? stream_order_next_beside(s->slot, &s->clock, s->last_launch)
                                      : stream_order_next(s->slot, &s->clock);
    s->last_launch = op->lets_begin ? op->order.number : 0;
    if (op->kernel)
        managed_protect();
}

static bool all_idle(void) {
    for (int d = 0; d < MAX_DEVICES; d++)
        for (const struct stream *s = devices[d].streams; s; s = s->next)
            if (s->head)
                return false;
    return true;
}

/* A thread of the program has seen that all of s is over. */
static void host_waited(const struct stream *s) {
    if (!check_is_on(CHECK_RACE))
        return;
    managed_settle(all_idle()); /* first: the host's accesses so far precede this */
    stream_clock_join(&host_clock, &s->clock);
    if (s->kind == STREAM_LEGACY)
        join_blocking(&host_clock, &devices[s->device]);
    /* Nothing is in flight: all that has run happens before all that will be submitted, and need not be recorded. */
    if (all_idle())
        stream_order_idle(&host_clock);
}

static void append(struct stream *s, struct operation *op, const struct host_callers *callers) {
    note_order(s, op, callers);
    op->number = next_number++;
    op->next = NULL;
    if (s->head)
        s->tail->next = op;
    else
        s->head = op;
    s->tail = op;
}

/* Wakes the threads that may continue after an operation has finished. */
static void wake(void) {
    for (int d = 0; d < MAX_DEVICES; d++)
        for (struct stream *s = devices[d].streams; s; s = s->next)
            if (s->threaded && (s->head || s->destroyed))
                pthread_cond_signal(&s->changed);
    pthread_cond_broadcast(&host_changed);
}

/* Executes the head of s. Called with the lock held, which is released meanwhile. */
static void execute_head(struct stream *s) {
    struct operation *op = s->head;
    s->busy = true;
    pthread_mutex_unlock(&lock);
    int fault = state_fault(s->device);
    /* After a fault this device runs only what has to happen in any case: host functions, frees, and the marks that
     * events and waits leave. */
    if (!fault || op->always) {
        int error = op->run(op, fault);
        if (error && !checks_go_on())
            state_set_fault(s->device, error);
    }
    pthread_mutex_lock(&lock);
    s->busy = false;
    s->head = op->next;
    struct marker *waited = op->waits_for;
    wake();
    pthread_mutex_unlock(&lock);
    if (waited)
        marker_release(waited);
    op->release(op);
    pthread_mutex_lock(&lock);
}

/* ---- A stream's thread ---- */

static void unlink_stream(struct stream *s) {
    struct stream **link = &devices[s->device].streams;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    return_slot(s->slot);
    pthread_cond_destroy(&s->changed);
    free(s);
}

/* Waits until something has changed. The output of kernels appears after a while even when the host does not wait for
 * them; a GPU's driver does the same. */
static void wait_for_change(struct stream *s, bool *printed) {
    if (*printed) {
        pthread_cond_wait(&s->changed, &lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PRINT_DELAY_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&s->changed, &lock, &until) == ETIMEDOUT) {
        *printed = true;
        pthread_mutex_unlock(&lock);
        device_printf_flush();
        pthread_mutex_lock(&lock);
    }
}

static void *stream_thread(void *argument) {
    struct stream *s = argument;
    bool printed = true;
    state_set_context((struct current_context){.device = s->device, .bound = true});
    pthread_mutex_lock(&lock);
    for (;;) {
        if (startable(s)) {
            execute_head(s);
            printed = false;
        } else if (s->destroyed && !s->head) {
            break;
        } else {
            wait_for_change(s, &printed);
        }
    }
    unlink_stream(s);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Gives s its thread. Signals meant for the program are not for it. */
static void start_thread(struct stream *s) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, old;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    s->threaded = pthread_create(&thread, &attributes, stream_thread, s) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---- Creating and finding streams ---- */

static struct stream *create(int device, enum stream_kind kind, unsigned flags, int priority) {
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->device = device;
    s->kind = kind;
    s->flags = flags;
    s->priority = priority;
    s->id = next_id++;
    s->slot = take_slot();
    s->attributes = (struct stream_attributes){.policy = (enum cudaSynchronizationPolicy) - 1, .domains = {0, 1}};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    s->next = devices[device].streams;
    devices[device].streams = s;
    return s;
}

struct stream *queue_create(unsigned flags, int priority) {
    pthread_mutex_lock(&lock);
    enum stream_kind kind = flags & cudaStreamNonBlocking ? STREAM_NON_BLOCKING : STREAM_BLOCKING;
    struct stream *s = create(state_device(), kind, flags, priority);
    pthread_mutex_unlock(&lock);
    return s;
}

static void destroy_locked(struct stream *s) {
    s->destroyed = true;
    if (s->threaded)
        pthread_cond_signal(&s->changed);
    else
        unlink_stream(s);
}

void queue_destroy(struct stream *s) {
    pthread_mutex_lock(&lock);
    destroy_locked(s);
    pthread_mutex_unlock(&lock);
}

static struct stream *legacy_stream(int device) {
    struct device_queue *d = &devices[device];
    if (!d->legacy)
        d->legacy = or_out_of_memory(create(device, STREAM_LEGACY, 0, 0));
    return d->legacy;
}

static void thread_ends(void *value) {
    struct stream **own = value;
    pthread_mutex_lock(&lock);
    for (int d = 0; d < MAX_DEVICES; d++)
        if (own[d])
            destroy_locked(own[d]);
    pthread_mutex_unlock(&lock);
    free(own);
}

static void make_key(void) {
    pthread_key_create(&thread_streams, thread_ends);
}

static struct stream *thread_stream(int device) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    struct stream **own = pthread_getspecific(thread_streams);
    if (!own) {
        own = zeroed(MAX_DEVICES, sizeof *own);
        pthread_setspecific(thread_streams, own);
    }
    if (!own[device])
        own[device] = or_out_of_memory(create(device, STREAM_BLOCKING, 0, 0));
    return own[device];
}

/* Every thread has the default streams, so a lack of memory for one cannot mean that there is no such stream. A handle
 * may be anything, so it is compared with the streams that exist before it is followed. */
struct stream *queue_find(cudaStream_t handle) {
    int device = state_device();
    struct stream *found = NULL;
    pthread_mutex_lock(&lock);
    if (handle == NULL || handle == cudaStreamLegacy) {
        found = legacy_stream(device);
    } else if (handle == cudaStreamPerThread) {
        found = thread_stream(device);
    } else {
        for (int d = 0; d < MAX_DEVICES && !found; d++)
            for (struct stream *s = devices[d].streams; s && !found; s = s->next)
                if (queue_handle(s) == handle && !s->destroyed)
                    found = s;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

cudaStream_t queue_handle(struct stream *s) {
    return (cudaStream_t)(void *)s;
}
int queue_device(const struct stream *s) {
    return s->device;
}
bool queue_is_legacy(const struct stream *s) {
    return s->kind == STREAM_LEGACY;
}
bool queue_is_blocking(const struct stream *s) {
    return s->kind == STREAM_BLOCKING;
}
unsigned queue_flags(const struct stream *s) {
    return s->flags;
}
int queue_priority(const struct stream *s) {
    return s->priority;
}
unsigned long long queue_id(const struct stream *s) {
    return s->id;
}
struct stream_attributes *queue_attributes(struct stream *s) {
    return &s->attributes;
}
void queue_set_priority(struct stream *s, int priority) {
    s->priority = priority;
}

/* ---- Submitting ---- */

/* Makes sure that the operations in s are executed. With the lock. */
static void ensure_executed(struct stream *s) {
    if (!s->threaded)
        start_thread(s);
    if (s->threaded) {
        pthread_cond_signal(&s->changed);
        return;
    }
    while (s->head) { /* no thread could be created: do it here */
        if (startable(s))
            execute_head(s);
        else
            pthread_cond_wait(&host_changed, &lock);
    }
}

struct host_callers queue_find_callers(void) {
    return check_is_on(CHECK_RACE) ? host_frame_callers() : (struct host_callers){{0}};
}

static _Thread_local struct host_callers launched_by;

void queue_launched_by(const struct host_callers *callers) {
    launched_by = *callers;
}

/* The callers of a launch that was refused remain set: the next submission drops them. */
static struct host_callers callers_of(const struct operation *op) {
    struct host_callers callers = op->kernel && launched_by.pc[0] ? launched_by : queue_find_callers();
    launched_by.pc[0] = 0;
    return callers;
}

void queue_submit(struct stream *s, struct operation *op) {
    const struct host_callers callers = callers_of(op);
    pthread_mutex_lock(&lock);
    append(s, op, &callers);
    ensure_executed(s);
    pthread_mutex_unlock(&lock);
}

struct operation_order queue_place(struct stream *s) {
    struct operation none = {0};
    const struct host_callers callers = callers_of(&none);
    pthread_mutex_lock(&lock);
    note_order(s, &none, &callers);
    pthread_mutex_unlock(&lock);
    return none.order;
}

int queue_execute(struct stream *s, struct operation *op) {
    const struct host_callers callers = callers_of(op);
    pthread_mutex_lock(&lock);
    append(s, op, &callers);
    bool mine = s->head == op && startable(s);
    if (mine)
        execute_head(s);
    else
        ensure_executed(s);
    if (mine)
        host_waited(s);
    pthread_mutex_unlock(&lock);
    if (mine)
        device_printf_flush();
    else
        queue_wait_stream(s);
    return state_observe(s->device);
}

/* ---- Waiting ---- */

/* The legacy stream is at rest when the blocking streams are, too: it represents all of them. */
static bool finished_before(const struct stream *s, uint64_t number) {
    return oldest(s) >= number && !(s->kind == STREAM_LEGACY && blocked(s, number));
}

bool queue_stream_idle(struct stream *s) {
    pthread_mutex_lock(&lock);
    bool idle = finished_before(s, next_number);
    if (idle)
        host_waited(s);
    pthread_mutex_unlock(&lock);
    return idle;
}

void queue_wait_stream(struct stream *s) {
    pthread_mutex_lock(&lock);
    uint64_t number = next_number;
    while (!finished_before(s, number))
        pthread_cond_wait(&host_changed, &lock);
    host_waited(s);
    pthread_mutex_unlock(&lock);
    device_printf_flush();
}

/* Called with the lock. */
static void let_streams_end(int device) {
    uint64_t number = next_number;
    for (struct stream *s = devices[device].streams; s;) {
        if (oldest(s) < number) {
            pthread_cond_wait(&host_changed, &lock);
            s = devices[device].streams; /* the list may have changed */
        } else {
            s = s->next;
        }
    }
}

void queue_wait_device(int device) {
    pthread_mutex_lock(&lock);
    let_streams_end(device);
    for (const struct stream *s = devices[device].streams; s; s = s->next)
        host_waited(s);
    pthread_mutex_unlock(&lock);
    device_printf_flush();
}

void queue_rest_device(int device) {
    pthread_mutex_lock(&lock);
    let_streams_end(device);
    pthread_mutex_unlock(&lock);
}

const char *queue_unfinished_kernel(void) {
    const char *kernel = NULL;
    pthread_mutex_lock(&lock);
    for (int d = 0; d < MAX_DEVICES; d++)
        for (struct stream *s = devices[d].streams; s; s = s->next)
            for (struct operation *op = s->head; op && !kernel; op = op->next)
                kernel = op->kernel;
    pthread_mutex_unlock(&lock);
    return kernel;
}

/* ---- Markers ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct marker *marker_keep(struct marker *m) {
    atomic_fetch_add(&m->references, 1);
    return m;
}

void marker_release(struct marker *m) {
    assert(!m || atomic_load(&m->references) > 0);
    if (m && atomic_fetch_sub(&m->references, 1) == 1)
        free(m);
}

struct mark_operation {
    struct operation op;
    struct marker *marker;
};

static int run_mark(struct operation *op, int fault) {
    struct marker *m = ((struct mark_operation *)op)->marker;
    pthread_mutex_lock(&lock);
    m->seconds = now();
    m->done = true;
    pthread_mutex_unlock(&lock);
    return fault;
}

struct marker *marker_new(void) {
    struct marker *m = calloc(1, sizeof *m);
    if (m)
        m->references = 1;
    return m;
}

void marker_pass(struct marker *m) {
    pthread_mutex_lock(&lock);
    if (m && !m->done) {
        m->seconds = now();
        m->done = true;
        wake();
    }
    pthread_mutex_unlock(&lock);
}

static void release_mark(struct operation *op) {
    marker_release(((struct mark_operation *)op)->marker);
    free(op);
}

struct marker *queue_mark(struct stream *s) {
    struct marker *m = calloc(1, sizeof *m);
    struct mark_operation *mark = calloc(1, sizeof *mark);
    if (!m || !mark) {
        free(m);
        free(mark);
        return NULL;
    }
    m->references = 2; /* the caller's and the operation's */
    *mark = (struct mark_operation){.op = {.run = run_mark, .release = release_mark, .always = true}, .marker = m};
    pthread_mutex_lock(&lock);
    append(s, &mark->op, &(struct host_callers){{0}});
    m->clock = s->clock;
    ensure_executed(s);
    pthread_mutex_unlock(&lock);
    return m;
}

static int run_nothing(struct operation *op, int fault) {
    (void)op;
    return fault;
}

static void release_plain(struct operation *op) {
    free(op);
}

static void wait_for_marker(struct marker *m, bool host) {
    pthread_mutex_lock(&lock);
    while (!m->done)
        pthread_cond_wait(&host_changed, &lock);
    if (host)
        stream_clock_join(&host_clock, &m->clock);
    pthread_mutex_unlock(&lock);
    device_printf_flush();
}

void queue_wait_marker(struct stream *s, struct marker *m) {
    pthread_mutex_lock(&lock);
    stream_clock_join(&s->clock, &m->clock);
    bool done = m->done; /* which the program does not learn: it orders nothing for the host threads */
    pthread_mutex_unlock(&lock);
    if (done)
        return;
    struct operation *op = calloc(1, sizeof *op);
    if (!op) {
        wait_for_marker(m, false);
        return;
    }
    *op = (struct operation){.run = run_nothing, .release = release_plain, .always = true, .waits_for = marker_keep(m)};
    queue_submit(s, op);
}

void queue_block_on_marker(struct marker *m) {
    wait_for_marker(m, true);
}

void marker_await(struct marker *m) {
    wait_for_marker(m, false);
}

void marker_set_clock(struct marker *m, const struct stream_clock *clock) {
    m->clock = *clock;
}

void marker_join_clock(const struct marker *m, struct stream_clock *clock) {
    stream_clock_join(clock, &m->clock);
}

bool marker_done(struct marker *m) {
    pthread_mutex_lock(&lock);
    bool done = m->done;
    if (done)
        stream_clock_join(&host_clock, &m->clock);
    pthread_mutex_unlock(&lock);
    return done;
}

double marker_seconds(struct marker *m) {
    pthread_mutex_lock(&lock);
    double seconds = m->seconds;
    pthread_mutex_unlock(&lock);
    return seconds;
}
