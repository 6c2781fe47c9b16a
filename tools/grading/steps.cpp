/* steps.cpp - see steps.h.
 *
 * If every operation took one step, and each began as early as it may: in which step would it be done? A stream's step is that of its last
 * operation. An event records it, and a stream that waits for the event is at least as late. So the longest chain is the latest step.
 * The order of operations: each stream has a vector clock, which counts for each stream the operations that are complete before the next one
 * here may begin. Events record it as well. All work in the caller's stream before the call is its operation number 1. */
#include "tools/grading/steps.h"

#include <map>
#include <vector>

/* Numbers of operations, by stream number rather than handle: a handle may be reused for another stream. */
typedef std::map<unsigned, unsigned> vector_clock;

struct position {
    unsigned step;
    vector_clock done;
};

struct stream_state {
    unsigned number;
    bool blocking;
    struct position at;
};

struct argument_use {
    int argument;
    unsigned stream, operation;
};

struct taken {
    const char *from;
    size_t bytes;
    unsigned stream, operation;
    vector_clock uses; // the last one in each stream
};

static std::map<cudaStream_t, struct stream_state> streams;
static std::map<cudaEvent_t, struct position> events;
static std::vector<struct argument_use> uses;
static std::vector<struct taken> allocations;
static struct position host;
static unsigned operations, longest, numbers;
static cudaStream_t caller;
static int early;
static bool untaken, freed_early;

static void join(struct position *to, const struct position &from) {
    to->step = from.step > to->step ? from.step : to->step;
    for (const auto &entry : from.done) {
        unsigned *done = &to->done[entry.first];
        *done = entry.second > *done ? entry.second : *done;
    }
}

static bool is_default(cudaStream_t stream) {
    return !stream || stream == cudaStreamLegacy;
}

void steps_new_stream(cudaStream_t stream, bool blocking) {
    streams[stream] = {numbers++, blocking, {}};
}

/* Streams not created in the call: the caller's is non-blocking, the default streams are not. */
static struct stream_state *find(cudaStream_t stream) {
    stream = is_default(stream) ? NULL : stream;
    if (streams.find(stream) == streams.end()) {
        steps_new_stream(stream, stream == NULL || stream == cudaStreamPerThread);
    }
    return &streams[stream];
}

/* Before its next operation: the default stream is ordered after all blocking ones, and they after it. */
static struct stream_state *catch_up(cudaStream_t stream) {
    struct stream_state *s = find(stream);
    join(&s->at, host);
    for (const auto &other : streams) {
        if (s->blocking && other.second.blocking && (is_default(stream) || other.first == NULL)) {
            join(&s->at, other.second.at);
        }
    }
    return s;
}

void steps_begin(cudaStream_t callers) {
    streams.clear();
    events.clear();
    uses.clear();
    allocations.clear();
    host = {};
    operations = longest = numbers = 0;
    early = -1;
    untaken = freed_early = false;
    caller = callers;
    struct stream_state *s = find(caller);
    s->at.done[s->number] = 1;
}

void steps_operation(cudaStream_t stream) {
    struct stream_state *s = catch_up(stream);
    operations++;
    s->at.step++;
    s->at.done[s->number]++;
    longest = s->at.step > longest ? s->at.step : longest;
}

void steps_record(cudaEvent_t event, cudaStream_t stream) {
    events[event] = catch_up(stream)->at;
}

void steps_wait(cudaStream_t stream, cudaEvent_t event) {
    auto found = events.find(event);
    struct stream_state *s = catch_up(stream);
    if (found != events.end()) {
        join(&s->at, found->second);
    }
}

void steps_host_waits(void) {
    for (const auto &stream : streams) {
        join(&host, stream.second.at);
    }
    host.step = longest;
}

// ---------------------------------------------------------------- required order

static bool covers(const vector_clock &clock, unsigned stream, unsigned operation) {
    auto found = clock.find(stream);
    return found != clock.end() && found->second >= operation;
}

void steps_touch(cudaStream_t stream, int argument) {
    struct stream_state *s = find(stream);
    if (early < 0 && !covers(s->at.done, find(caller)->number, 1)) {
        early = argument;
    }
    uses.push_back({argument, s->number, s->at.done[s->number]});
}

/* Allocating memory is also an operation of its stream, but does not count as a step. */
void steps_allocated(const void *pointer, size_t bytes, cudaStream_t stream) {
    struct stream_state *s = catch_up(stream);
    allocations.push_back({(const char *)pointer, bytes, s->number, ++s->at.done[s->number], {}});
}

void steps_use(cudaStream_t stream, const void *pointer) {
    struct stream_state *s = find(stream);
    for (struct taken &memory : allocations) {
        if ((size_t)((const char *)pointer - memory.from) < memory.bytes) {
            untaken |= !covers(s->at.done, memory.stream, memory.operation);
            memory.uses[s->number] = s->at.done[s->number];
        }
    }
}

void steps_freed_in(const void *pointer, cudaStream_t stream) {
    struct stream_state *s = catch_up(stream);
    for (const struct taken &memory : allocations) {
        for (const auto &use : memory.uses) {
            freed_early |= memory.from == pointer && !covers(s->at.done, use.first, use.second);
        }
    }
    steps_freed(pointer);
}

void steps_freed(const void *pointer) {
    for (size_t i = 0; i < allocations.size(); i++) {
        if (allocations[i].from == pointer) {
            allocations.erase(allocations.begin() + (long)i);
            return;
        }
    }
}

unsigned steps_operations(void) {
    return operations;
}

unsigned steps_longest(void) {
    return longest;
}

int steps_early(void) {
    return early;
}

int steps_left(void) {
    struct stream_state *s = catch_up(caller);
    for (size_t i = uses.size(); i-- > 0;) { // the last ones write results
        if (!covers(s->at.done, uses[i].stream, uses[i].operation)) {
            return uses[i].argument;
        }
    }
    return -1;
}

bool steps_untaken(void) {
    return untaken;
}

bool steps_freed_early(void) {
    return freed_early;
}
