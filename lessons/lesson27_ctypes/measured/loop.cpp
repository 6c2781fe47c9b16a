/* loop.cpp - what calls.py compares ctypes with: the same functions of libgelu.so, called by C. Their addresses come from Python. */
#include <chrono>
#include <cstddef>

typedef void *(*nothing_function)(void *);
typedef int (*copy_function)(void *, const void *, size_t, void *);
typedef int (*forward_function)(const void *, void *, size_t, void *);
typedef int (*wait_function)(void *);

struct round_trip {
    copy_function copy;
    forward_function forward;
    wait_function wait;
    void *host_x, *host_y, *x, *y;
    size_t n;
};

static double now(void) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* Both return seconds for each of `times` calls; -1 when one of them has failed. */
extern "C" double loop_nothing(nothing_function nothing, int times) {
    double start = now();
    for (int k = 0; k < times; k++) {
        nothing(NULL);
    }
    return (now() - start) / times;
}

extern "C" double loop_round_trip(const struct round_trip *r, int times) {
    int failed = 0;
    double start = now();
    for (int k = 0; k < times; k++) {
        failed |= r->copy(r->x, r->host_x, r->n * sizeof(float), NULL);
        failed |= r->forward(r->x, r->y, r->n, NULL);
        failed |= r->copy(r->host_y, r->y, r->n * sizeof(float), NULL);
        failed |= r->wait(NULL);
    }
    return failed ? -1 : (now() - start) / times;
}
