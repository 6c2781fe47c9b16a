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

static void end_chain(void) {
    if (chain.waits > longest.waits)
        longest = chain;
    chain = (struct host_chain){0};
    launched = 0;
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
    if (kind == HOST_LAUNCH)
        launched++;
    else if (kind == HOST_WAIT)
        note_wait(name);
    else
        end_chain();
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
