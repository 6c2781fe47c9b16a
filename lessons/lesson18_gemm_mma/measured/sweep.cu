/* sweep [LIBRARY...]: version 6 of lesson 18 with other sizes, all in turns with cuBLAS, since a GPU at its power limit
 * is comparable with itself only. A LIBRARY in $FOLDER has version 6 with another order of the multiply-adds:
 * record.list builds it from a changed copy of lesson18.cu. On the emulator each runs once, on small matrices. */
#define main lesson18_main
#include "../lesson18.cu"
#undef main

/* The sizes have to divide the matrices. */
template <class T> static void of_sizes(struct layer l, cudaStream_t stream) {
    launch<T>(mma_kernel6<T, true>, tiles<T>(l), stream, l);
}

/* The block, the step along K, stages; whether a step's copies are spread over its parts. */
static const struct layer_version sizes[] = {
    {"256 x 128, 32, 5, at once", of_sizes<Sizes<256, 128, 32, 64, 64, 5, 16, 1>>, 1},
    {"128 x 256, 32, 6, spread", of_sizes<Large>, 1},
    {"128 x 256, 32, 5, spread", of_sizes<Sizes<128, 256, 32, 64, 64, 5, 16, 2>>, 1},
    {"128 x 256, 32, 3, spread", of_sizes<Sizes<128, 256, 32, 64, 64, 3, 16, 2>>, 1},
    {"128 x 256, 64, 4, at once", of_sizes<Sizes<128, 256, 64, 64, 64, 4, 16, 1>>, 1},
    {"256 x 128, 64, 4, spread", of_sizes<Sizes<256, 128, 64, 64, 64, 4, 16, 4>>, 1},
    {"128 x 256, 64, 4, spread", of_sizes<Sizes<128, 256, 64, 64, 64, 4, 16, 4>>, 1},
    {"128 x 256, 32, 6, spread, groups of 4", of_sizes<Sizes<128, 256, 32, 64, 64, 6, 4, 2>>, 1},
    {"128 x 256, 32, 6, spread, groups of 8", of_sizes<Sizes<128, 256, 32, 64, 64, 6, 8, 2>>, 1},
    {"128 x 256, 32, 6, spread, groups of 32", of_sizes<Sizes<128, 256, 32, 64, 64, 6, 32, 2>>, 1},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Version 6 of a library. */
static layer_launch launch_of(const char *name) {
    char path[1024];
    const char *folder = getenv("FOLDER");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, "launch_version6") : NULL;
    if (!found) {
        fprintf(stderr, "sweep: %s\n", dlerror());
        exit(CHECK_EXIT_FAIL);
    }
    return (layer_launch)found;
}

int main(int argc, char **argv) {
    int n = device_is_emulator() ? 256 : 8192, count = 0;
    struct layer_version all[BENCH_ROWS - 1];
    for (; count < SIZES; count++) {
        all[count] = sizes[count];
    }
    for (int a = 1; a < argc && count < BENCH_ROWS - 1; a++) {
        all[count++] = {argv[a], launch_of(argv[a]), 1};
    }
    device_print_backend();
    struct problem problem = problem_create(n, n, n, false, 1, layer_cpu);
    if (device_is_emulator()) {
        for (int v = 0; v < count; v++) {
            problem_verify_version(&problem, &all[v]);
        }
    } else {
        problem_measure_times(&problem, all, count);
    }
    problem_free(&problem);
    return verify_finish("version 6 with other sizes");
}
