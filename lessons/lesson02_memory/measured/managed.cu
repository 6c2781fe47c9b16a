/* Lesson 02, managed memory: where the time of versions 3 and 6 goes. Each part of a round trip ends with a wait and is timed by the host's
 * clock; a row is the median of 11 round trips. The last row is a memcpy of as many bytes from ordinary memory to ordinary memory.
 *
 * record.list has it built and run. SIZE and SEED as in the lesson.
 */
#define main lesson02_main
#include "../lesson02.cu"
#undef main
#include <time.h>

enum { TRIPS = 11, PARTS = 6 };
static const char *const parts[PARTS] = {"memcpy into x",        "prefetch to the device", "kernel",
                                         "prefetch to the host", "memcpy out of x",        "memcpy, ordinary"};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Does part `part` of a round trip, with the prefetches of version 6 or without, and returns its milliseconds. */
static double timed(struct buffers *b, float *ordinary, int part, int prefetched) {
    double start = now();
    switch (part) {
    case 0:
        memcpy(b->x, b->in, b->bytes);
        break;
    case 1:
        prefetched ? prefetch(b, 1) : (void)0;
        break;
    case 2:
        launch_scale(b);
        break;
    case 3:
        prefetched ? prefetch(b, 0) : (void)0;
        break;
    case 4:
        memcpy(b->out, b->x, b->bytes);
        break;
    default:
        memcpy(ordinary, b->in, b->bytes);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return now() - start;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The parts' medians. A trip before them loads what is needed and puts the pages where a trip leaves them. */
static void measure(int n, uint64_t seed, int prefetched, double *medians) {
    struct buffers b = shape_for(n);
    double ms[PARTS][TRIPS];
    float *expected = (float *)verify_host_alloc(b.room), *ordinary = (float *)verify_host_alloc(b.room);
    create3(&b);
    verify_random(b.in, n, -1.0f, 1.0f, seed);
    scale_cpu(b.in, expected, n);
    for (int trip = -1; trip < TRIPS; trip++) {
        for (int part = 0; part < PARTS; part++) {
            ms[part][trip < 0 ? 0 : trip] = timed(&b, ordinary, part, prefetched);
        }
    }
    verify_floats_exact(prefetched ? "scale6" : "scale3", b.out, expected, n);
    for (int part = 0; part < PARTS; part++) {
        qsort(ms[part], TRIPS, sizeof(double), by_time);
        medians[part] = ms[part][TRIPS / 2];
    }
    free1(&b);
    free(expected);
    free(ordinary);
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 0);
    int n = options.size > 0 ? (int)options.size : device_is_emulator() ? 1000 * 1001 : 1000 * 30001;
    double medians[2][PARTS];
    device_print_backend();
    for (int prefetched = 0; prefetched < 2; prefetched++) {
        measure(n, options.seed, prefetched, medians[prefetched]);
    }
    if (!device_is_emulator()) {
        printf("n = %d\n\n%-24s  %9s  %9s\n", n, "part", "scale3 ms", "scale6 ms");
        for (int part = 0; part < PARTS; part++) {
            printf("%-24s", parts[part]);
            record_print("  %9.3f", parts[part], "scale3", "ms", medians[0][part]);
            record_print("  %9.3f\n", parts[part], "scale6", "ms", medians[1][part]);
        }
    }
    return verify_finish("scale, the parts of a trip");
}
