/* Counts launches and waits, and follows chains of waits. */
#include "profile/host_calls.h"

#include <pthread.h>
#include <string.h>

#include "base/host_frame.h"
#include "profile/launches.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t calls[HOST_CALLS_END], at_start[HOST_CALLS_END];
static uint64_t launched; /* since the last wait */

static struct host_chain chain, longest;

static struct host_rounds rounds, most;
static bool copied_in;              /* since the last round ended */
static const char *launched_kernel; /* since then; NULL: none */

static void end_chain(void) {
    if (chain.waits > longest.waits)
        longest = chain;
    chain = (struct host_chain){0};
    launched = 0;
}

static void end_rounds(void) {
    if (rounds.rounds > most.rounds)
        most = rounds;
    rounds = (struct host_rounds){0};
    copied_in = false;
    launched_kernel = NULL;
}

static void end_round(const char *name) {
    if (!copied_in || !launched_kernel)
        return;
    const char *kernel = launched_kernel;
    if (rounds.rounds && rounds.kernel != kernel)
        end_rounds();
    if (!rounds.rounds)
        rounds =
            (struct host_rounds){.kernel = kernel, .name = name, .caller = launches_wanted() ? host_frame_caller() : 0};
    rounds.rounds++;
    copied_in = false;
    launched_kernel = NULL;
}

/* Where nothing was launched since the last wait, the device is idle, and waiting costs nothing. */
static void note_wait(const char *name) {
    if (!launched)
        return;
    if (!chain.waits)
        chain = (struct host_chain){.name = name, .caller = launches_wanted() ? host_frame_caller() : 0};
    chain.waits++;
    chain.launches += launched;
    launched = 0;
}

void host_calls_note(enum host_call kind, const char *name) {
    pthread_mutex_lock(&lock);
    calls[kind]++;
    switch (kind) {
    case HOST_LAUNCH:
        launched++;
        launched_kernel = name;
        break;
    case HOST_WAIT:
        end_round(name);
        note_wait(name);
        break;
    case HOST_COPY_IN:
        copied_in = true;
        end_chain();
        break;
    default:
        end_rounds();
        end_chain();
    }
    pthread_mutex_unlock(&lock);
}

uint64_t host_calls_of_kind(enum host_call kind) {
    pthread_mutex_lock(&lock);
    uint64_t n = calls[kind];
    pthread_mutex_unlock(&lock);
    return n;
}

void host_calls_start(void) {
    pthread_mutex_lock(&lock);
    memcpy(at_start, calls, sizeof at_start);
    pthread_mutex_unlock(&lock);
}

uint64_t host_calls_since_start(enum host_call kind) {
    pthread_mutex_lock(&lock);
    uint64_t n = calls[kind] - at_start[kind];
    pthread_mutex_unlock(&lock);
    return n;
}

struct host_chain host_calls_longest_chain(void) {
    pthread_mutex_lock(&lock);
    end_chain();
    struct host_chain found = longest;
    pthread_mutex_unlock(&lock);
    return found;
}

struct host_rounds host_calls_most_rounds(void) {
    pthread_mutex_lock(&lock);
    end_rounds();
    struct host_rounds found = most;
    pthread_mutex_unlock(&lock);
    return found;
}
