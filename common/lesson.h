/* lesson.h - the frame of a lesson's program: its options, every version verified on many inputs, and a table of all versions.
 *
 * A program has a header, a CPU reference, kernels with their launchers, a table of versions, and these functions:
 *
 *     struct problem problem_create(int n, int kind, uint64_t seed);      an input of n elements; problem_free frees it
 *     struct job job_create(struct problem *, const struct version *);    one version on it, its output poisoned; job_free, if need be
 *     void job_launch(void *job, cudaStream_t stream);                    queues the version and does not wait
 *     void job_verify(struct job *job);                                   copies the output back and compares
 *
 * main puts them together:
 *
 *     struct lesson<int, struct problem, struct version, struct job> lesson = {"relu", versions, VERSIONS};
 *     lesson.create = problem_create, lesson.free = problem_free;
 *     lesson.begin = job_create, lesson.launch = job_launch, lesson.verify = job_verify;
 *     return lesson_main(&lesson, sizes, tables, argc, argv);      n that are verified, and n that have a table
 *
 * `kind` numbers different inputs of one size, from 0 to lesson.kinds - 1: other addresses, other values. With SIZE=n that size alone
 * is verified and measured, with V=2 that version alone. The table is that of bench.h, on kind 0; what was measured is verified once
 * more. A lesson with another table, or another way to verify a size, replaces the function for it: lesson.measure_size, lesson.verify_size.
 *
 * A size need not be a number of elements: where it is a shape, main reads the options itself and calls lesson_run, as gemm.h
 * does for products of matrices. Where a lesson compares more than one table does, main calls lesson_verify_all and
 * lesson_measure_all, which lesson_run consists of, and says the rest before verify_finish.
 *
 * In a lesson with lesson.time the versions take turns with others (turns.h), so the jobs of all rows are there at the same time.
 *
 * elementwise.h has the problem and the job of operators that make n floats of n floats.
 */
#ifndef COMMON_LESSON_H
#define COMMON_LESSON_H

#include "bench.h"
#include "check.h"
#include "device.h"
#include "verify.h"

/* a / b, rounded up: the fewest blocks of b threads with a threads or more. */
static inline __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static inline int multiprocessors(void) {
    int device = 0, count = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/* What a lesson brings. A version has a member `name`; functions that may be NULL say so. */
template <class size, class problem, class version, class job> struct lesson {
    const char *what; /* the last line names it */
    const version *versions;
    int count;

    problem (*create)(size n, int kind, uint64_t seed);
    void (*free)(problem *p);
    bool (*is_for)(const version *v, const problem *p); /* NULL: every version takes every problem */
    job (*begin)(problem *p, const version *v);
    bench_launch launch; /* of a job */
    void (*verify)(job *j);
    void (*end)(job *j); /* NULL: there is nothing to free */
    int kinds = 1;

    double bytes, flops;                             /* for each element: of the table */
    void (*print_problem)(const problem *p);         /* above the table; NULL: "n = ..." */
    void (*print_counts)(const struct bench *bench); /* another table, on the emulator; NULL: none */

    /* These are for lesson.time, with print_problem: */
    void (*time)(job *jobs, int count);               /* on a GPU, the table of all jobs; NULL: that of bench.h */
    const char *(*name)(const job *j);                /* of its row */
    int (*peers)(problem *p, job *jobs);              /* jobs of others, the first rows on a GPU; returns how many */
    bool (*fits)(const problem *p, int versions);     /* whether all jobs fit into memory; NULL: they do */
    double (*elements)(const problem *p);             /* of a shape; NULL: the size is their number */
    void (*finish)(problem *p, job *jobs, int count); /* verifies what was timed, and says more of it; NULL: verifies */
    int measured_kind;                                /* of the problem that has a table */

    void (*verify_size)(const version *versions, int first, int last, size n,
                        uint64_t seed); /* NULL: as described above */
    void (*measure_size)(const version *versions, int first, int last, size n,
                         uint64_t seed); /* NULL: as described above */

    const size *verified, *measured;
    int verified_count, measured_count;
    int largest_verified = INT_MAX; /* larger sizes have only a table, whose results are verified */
    int first_version = 1;          /* what V= calls the first one: the second part of a lesson counts on */
};

/* The sizes that are verified and those that have a table. Both arrays must outlive the run. */
template <class lesson_type, class size, int VERIFIED, int MEASURED>
void lesson_sizes(lesson_type *lesson, const size (&verified)[VERIFIED], const size (&measured)[MEASURED]) {
    lesson->verified = verified;
    lesson->verified_count = VERIFIED;
    lesson->measured = measured;
    lesson->measured_count = MEASURED;
}

/* Versions first .. last on all kinds of one size. */
template <class size, class problem, class version, class job>
void lesson_verify(const struct lesson<size, problem, version, job> *lesson, int first, int last, size n,
                   uint64_t seed) {
    for (int kind = 0; kind < lesson->kinds; kind++) {
        problem p = lesson->create(n, kind, seed);
        for (int v = first; v <= last; v++) {
            if (lesson->is_for && !lesson->is_for(&lesson->versions[v], &p)) {
                continue;
            }
            job j = lesson->begin(&p, &lesson->versions[v]);
            lesson->launch(&j, 0);
            CUDA_CHECK(cudaDeviceSynchronize()); /* a copy of 0 bytes, as for n = 0, does not wait for the kernel */
            lesson->verify(&j);
            if (lesson->end) {
                lesson->end(&j);
            }
        }
        lesson->free(&p);
    }
}

/* How many elements a size is; shapes do not say, and are never nothing. */
static inline int lesson_elements(int n) {
    return n;
}

template <class size> int lesson_elements(const size &) {
    return 1;
}

/* The table of bench.h, for n elements. */
template <class problem, class version, class job>
void lesson_measure(const struct lesson<int, problem, version, job> *lesson, int first, int last, int n,
                    uint64_t seed) {
    problem p = lesson->create(n, 0, seed);
    struct bench bench = bench_start(lesson->bytes * n);
    for (int v = first; v <= last; v++) {
        job j = lesson->begin(&p, &lesson->versions[v]);
        bench_run(&bench, lesson->versions[v].name, lesson->launch, &j, n, lesson->bytes * n, lesson->flops * n);
        lesson->verify(&j); /* once more: what was timed must be right as well */
        if (lesson->end) {
            lesson->end(&j);
        }
    }
    if (lesson->print_problem) {
        lesson->print_problem(&p);
    } else {
        printf("n = %d\n", n);
    }
    if (lesson->print_counts && device_is_emulator()) {
        lesson->print_counts(&bench);
    }
    bench_finish(&bench);
    lesson->free(&p);
}

/* Shapes have no table that would fit all: they bring one, lesson.measure_size. */
template <class size, class problem, class version, class job>
void lesson_measure(const struct lesson<size, problem, version, job> *, int, int, size, uint64_t) {}

/* What the emulator counts of the jobs: the lesson's own table, and that of bench.h. */
template <class size, class problem, class version, class job>
void lesson_count(const struct lesson<size, problem, version, job> *lesson, job *jobs, int count, double elements) {
    struct bench bench = bench_start(0);
    for (int j = 0; j < count; j++) {
        bench_run(&bench, lesson->name(&jobs[j]), lesson->launch, &jobs[j], elements, 0, 0);
    }
    if (lesson->print_counts) {
        lesson->print_counts(&bench);
    }
    bench_finish(&bench);
}

/* A table of the peers and of the versions, whose jobs are all there at the same time. */
template <class size, class problem, class version, class job>
void lesson_measure_in_turns(const struct lesson<size, problem, version, job> *lesson, int first, int last, size n,
                             uint64_t seed) {
    problem p = lesson->create(n, lesson->measured_kind, seed);
    job jobs[BENCH_ROWS];
    lesson->print_problem(&p);
    if (lesson->fits && !lesson->fits(&p, last - first + 1)) {
        printf("left out: this device has not enough memory for one such matrix for each version\n\n");
        lesson->free(&p);
        return;
    }
    int count = lesson->peers && !device_is_emulator() ? lesson->peers(&p, jobs) : 0;
    for (int v = first; v <= last; v++) {
        if (!lesson->is_for || lesson->is_for(&lesson->versions[v], &p)) {
            jobs[count++] = lesson->begin(&p, &lesson->versions[v]);
        }
    }
    if (device_is_emulator()) {
        lesson_count(lesson, jobs, count, lesson->elements ? lesson->elements(&p) : lesson_elements(n));
    } else {
        lesson->time(jobs, count);
    }
    if (lesson->finish) {
        lesson->finish(&p, jobs, count);
    }
    for (int j = 0; j < count; j++) {
        if (!lesson->finish) {
            lesson->verify(&jobs[j]);
        }
        if (lesson->end) {
            lesson->end(&jobs[j]);
        }
    }
    lesson->free(&p);
}

/* The versions that were asked for. */
template <class lesson_type>
void lesson_range(const lesson_type *lesson, const struct options *options, int *first, int *last) {
    *first = options->version ? options->version - lesson->first_version : 0;
    *last = options->version ? options->version - lesson->first_version : lesson->count - 1;
}

template <class size, class problem, class version, class job>
void lesson_verify_all(const struct lesson<size, problem, version, job> *lesson, const struct options *options) {
    int first, last;
    lesson_range(lesson, options, &first, &last);
    for (int s = 0; s < lesson->verified_count; s++) {
        if (lesson_elements(lesson->verified[s]) > lesson->largest_verified) {
            continue;
        }
        if (lesson->verify_size) {
            lesson->verify_size(lesson->versions, first, last, lesson->verified[s], options->seed);
        } else {
            lesson_verify(lesson, first, last, lesson->verified[s], options->seed);
        }
    }
}

/* How fast a wrong kernel is does not matter. */
template <class size, class problem, class version, class job>
void lesson_measure_all(const struct lesson<size, problem, version, job> *lesson, const struct options *options) {
    int first, last;
    lesson_range(lesson, options, &first, &last);
    for (int s = 0; s < lesson->measured_count && verify_tally()->failures == 0; s++) {
        if (lesson_elements(lesson->measured[s]) == 0) {
            continue;
        }
        if (lesson->measure_size) {
            lesson->measure_size(lesson->versions, first, last, lesson->measured[s], options->seed);
        } else if (lesson->time) {
            lesson_measure_in_turns(lesson, first, last, lesson->measured[s], options->seed);
        } else {
            lesson_measure(lesson, first, last, lesson->measured[s], options->seed);
        }
    }
}

/* Verifies, measures, and returns the program's exit status. */
template <class size, class problem, class version, class job>
int lesson_run(const struct lesson<size, problem, version, job> *lesson, const struct options *options) {
    lesson_verify_all(lesson, options);
    lesson_measure_all(lesson, options);
    return verify_finish(lesson->what);
}

/* All of main, where a size is a number of elements. */
template <class problem, class version, class job, int VERIFIED, int MEASURED>
int lesson_main(struct lesson<int, problem, version, job> *lesson, const int (&verified)[VERIFIED],
                const int (&measured)[MEASURED], int argc, char **argv) {
    struct options options = options_read(argc, argv, lesson->count, lesson->first_version);
    const int asked[] = {(int)options.size};
    device_print_backend();
    if (options.size >= 0) {
        lesson_sizes(lesson, asked, asked);
    } else {
        lesson_sizes(lesson, verified, measured);
    }
    return lesson_run(lesson, &options);
}

#endif
