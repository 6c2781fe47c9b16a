/* elementwise.h - n floats in, n floats out: the problem and the job of lesson.h for operators like y[i] = f(x[i]).
 *
 *     static const struct elementwise_version versions[] = {{"relu_kernel1", relu1, relu_cpu}, ...};
 *
 *     static struct elementwise problem_create(int n, int kind, uint64_t seed) {
 *         struct elementwise p = elementwise_create(n, kind);    the device arrays begin `kind` floats into their allocations
 *         verify_random(p.input, n, -1.0f, 1.0f, seed);
 *         return p;
 *     }
 *
 *     elementwise_lesson lesson = elementwise_with("relu", versions, problem_create);
 *     return lesson_main(&lesson, sizes, tables, argc, argv);
 *
 * A result must agree with the reference in every bit.
 */
#ifndef COMMON_ELEMENTWISE_H
#define COMMON_ELEMENTWISE_H

#include "lesson.h"

struct elementwise_version {
    const char *name;
    void (*launch)(const float *x, float *y, int n, cudaStream_t stream);
    void (*cpu)(const float *x, float *y, int n); /* the reference */
    bool in_place;                                /* x is y */
};

struct elementwise {
    int n, offset;                                /* with an offset of 1 x and y are not aligned for float4 */
    float *input, *expected, *found;              /* on the host */
    float *x, *y;                                 /* on the device */
    void (*cpu)(const float *x, float *y, int n); /* what has made `expected` of `input`; NULL: nothing yet */
};

/* One version on a problem. */
struct elementwise_job {
    struct elementwise *problem;
    const struct elementwise_version *version;
};

typedef struct lesson<int, struct elementwise, struct elementwise_version, struct elementwise_job> elementwise_lesson;

static inline size_t elementwise_bytes(const struct elementwise *p) {
    return (size_t)p->n * sizeof(float);
}

static inline struct elementwise elementwise_create(int n, int offset) {
    struct elementwise p = {n, offset};
    size_t bytes = elementwise_bytes(&p), allocated = bytes + offset * sizeof(float);
    p.input = (float *)verify_host_alloc(bytes);
    p.expected = (float *)verify_host_alloc(bytes);
    p.found = (float *)verify_host_alloc(bytes);
    p.x = (float *)verify_alloc(allocated) + offset;
    p.y = (float *)verify_alloc(allocated) + offset;
    return p;
}

static inline void elementwise_free(struct elementwise *p) {
    size_t allocated = elementwise_bytes(p) + p->offset * sizeof(float);
    verify_free("x", p->x - p->offset, allocated);
    verify_free("y", p->y - p->offset, allocated);
    free(p->input);
    free(p->expected);
    free(p->found);
}

/* x is the input, y poison that has to be overwritten. */
static inline void elementwise_reset(struct elementwise *p) {
    CUDA_CHECK(cudaMemcpy(p->x, p->input, elementwise_bytes(p), cudaMemcpyHostToDevice));
    verify_poison_device(p->y, elementwise_bytes(p));
}

/* In place, y begins as the input. */
static inline struct elementwise_job elementwise_begin(struct elementwise *p, const struct elementwise_version *v) {
    elementwise_reset(p);
    if (v->in_place) {
        CUDA_CHECK(cudaMemcpy(p->y, p->input, elementwise_bytes(p), cudaMemcpyHostToDevice));
    }
    if (p->cpu != v->cpu) {
        v->cpu(p->input, p->expected, p->n);
        p->cpu = v->cpu;
    }
    return {p, v};
}

static inline void elementwise_launch(void *a_job, cudaStream_t stream) {
    const struct elementwise_job *job = (const struct elementwise_job *)a_job;
    const struct elementwise *p = job->problem;
    job->version->launch(job->version->in_place ? p->y : p->x, p->y, p->n, stream);
}

/* Copies y to p->found. */
static inline void elementwise_fetch(struct elementwise *p) {
    verify_poison_host(p->found, elementwise_bytes(p));
    CUDA_CHECK(cudaMemcpy(p->found, p->y, elementwise_bytes(p), cudaMemcpyDeviceToHost));
}

static inline void elementwise_verify(struct elementwise_job *job) {
    struct elementwise *p = job->problem;
    elementwise_fetch(p);
    verify_floats_exact(job->version->name, p->found, p->expected, p->n);
}

/* A lesson about such versions: what is still to be said is sizes, kinds, and what differs from the usual. */
template <int COUNT>
elementwise_lesson elementwise_with(const char *what, const struct elementwise_version (&versions)[COUNT],
                                    struct elementwise (*create)(int n, int kind, uint64_t seed)) {
    elementwise_lesson lesson = {what, versions, COUNT};
    lesson.create = create, lesson.free = elementwise_free;
    lesson.begin = elementwise_begin, lesson.launch = elementwise_launch, lesson.verify = elementwise_verify;
    lesson.bytes = 2 * sizeof(float); /* one read, one written */
    return lesson;
}

#endif
