/* steps.cpp - see steps.h.
 *
 * If every operation took one step, and each began as early as it may: in which step would it be done? A stream's step is that of its last
 * operation. An event takes it along, and a stream that waits for the event is at least as late. So the longest chain is the latest step. */
#include "tools/grading/steps.h"

#include <map>

struct stream_step {
    unsigned step;
    bool blocking;
};

static std::map<cudaStream_t, struct stream_step> streams;
static std::map<cudaEvent_t, unsigned> events;
static unsigned operations, longest, host;

void steps_begin(void) {
    streams.clear();
    events.clear();
    operations = longest = host = 0;
}

static bool is_default(cudaStream_t stream) {
    return !stream || stream == cudaStreamLegacy;
}

void steps_new_stream(cudaStream_t stream, bool blocking) {
    streams[stream] = {0, blocking};
}

/* Streams that the call has not made: the caller's is a non-blocking one, the default streams are not. */
static struct stream_step *find(cudaStream_t stream) {
    stream = is_default(stream) ? NULL : stream;
    return &streams.insert({stream, {0, stream == NULL || stream == cudaStreamPerThread}}).first->second;
}

/* Where the stream is: the default stream is behind all blocking ones, and they are behind it. */
static unsigned step_of(cudaStream_t stream) {
    const struct stream_step *s = find(stream);
    unsigned step = s->step > host ? s->step : host;
    for (const auto &other : streams) {
        bool joined = s->blocking && other.second.blocking && (is_default(stream) || other.first == NULL);
        step = joined && other.second.step > step ? other.second.step : step;
    }
    return step;
}

static void move(cudaStream_t stream, unsigned step) {
    find(stream)->step = step;
    longest = step > longest ? step : longest;
}

void steps_operation(cudaStream_t stream) {
    operations++;
    move(stream, step_of(stream) + 1);
}

void steps_record(cudaEvent_t event, cudaStream_t stream) {
    events[event] = step_of(stream);
}

void steps_wait(cudaStream_t stream, cudaEvent_t event) {
    auto found = events.find(event);
    unsigned now = step_of(stream);
    move(stream, found != events.end() && found->second > now ? found->second : now);
}

void steps_host_waits(void) {
    host = longest;
}

unsigned steps_operations(void) {
    return operations;
}

unsigned steps_longest(void) {
    return longest;
}
