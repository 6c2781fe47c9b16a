/* product_bf16.cpp - see product_bf16.h. */
#include "tools/grading/product_bf16.h"

#include <math.h>

#include "tools/grading/fragments.h"

struct bf16_matrices {
    std::vector<uint16_t> A, B;
    std::vector<float> expected; /* not rounded */
};

// ---------------------------------------------------------------- the reference

static float of_bits(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* Rounded to the nearest bfloat16, ties to even. */
static uint16_t bits_of(float x) {
    uint32_t bits = verify_bits(x);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static std::vector<uint16_t> random_bits(enum numbers numbers, size_t n, uint64_t seed) {
    std::vector<uint16_t> bits;
    for (float x : product_numbers(numbers, n, seed)) {
        bits.push_back(bits_of(x));
    }
    return bits;
}

/* The sum of the products k = first ... end - 1 of an element of C. */
static double dot(const struct bf16_product *job, const struct bf16_matrices *m, int row, int col, int first, int end) {
    double sum = 0;
    for (int k = first; k < end; k++) {
        sum += (double)of_bits(m->A[(size_t)row * job->K + k]) * of_bits(m->B[(size_t)k * job->N + col]);
    }
    return sum;
}

static struct bf16_matrices make(const struct bf16_product *job) {
    struct bf16_matrices m = {random_bits(job->numbers, (size_t)job->M * job->K, job->seed),
                              random_bits(job->numbers, (size_t)job->K * job->N, job->seed + 1000),
                              {}};
    for (int row = 0; row < job->M; row++) {
        for (int col = 0; col < job->N; col++) {
            m.expected.push_back((float)dot(job, &m, row, col, 0, job->K));
        }
    }
    return m;
}

// ---------------------------------------------------------------- one call

static struct handle input(struct call *c, const char *name, const struct bf16_product *job,
                           const std::vector<uint16_t> &matrix, struct place place) {
    size_t bytes = matrix.size() * sizeof(uint16_t);
    if (!job->room) {
        return judge_input(c, name, matrix.data(), bytes, place);
    }
    blob content(job->room);
    verify_poison_host(content.data(), content.size());
    memcpy(content.data(), matrix.data(), bytes);
    return judge_kept(c, name, content.data(), content.size());
}

static struct call call_for(const struct bf16_form *form, const struct bf16_product *job, const struct bf16_matrices *m,
                            struct handle *C) {
    struct call c = judge_call(form->function);
    struct place place = {job->offset * (size_t)16, job->slack * (size_t)16};
    struct handle A = input(&c, "A", job, m->A, place), B = input(&c, "B", job, m->B, place);
    *C = judge_output(&c, "C", m->expected.size() * sizeof(uint16_t), place);
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, job->M, job->N, job->K, A, B, *C, STREAM);
    struct bf16_product shape = *job;
    if (form->limits) {
        c.limits = [=](const struct result *r) { form->limits(r, &shape); };
    }
    return c;
}

static void doing(const struct bf16_form *form, const struct bf16_product *job, const char *what) {
    judge_doing("%s, M = %d, N = %d, K = %d, %s, seed %llu%s%s%s%s", form->function->name, job->M, job->N, job->K,
                job->numbers == WHOLE ? "whole numbers" : "fractions", (unsigned long long)job->seed,
                job->offset ? ", arrays somewhere in their memory" : "",
                job->room ? ", A and B at the addresses of the previous call" : "",
                job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what went wrong

/* In a fragment of C each lane holds elements of two rows, eight apart: are they exchanged, in all of these 16 rows? */
static bool rows_exchanged(const struct bf16_product *job, const struct bf16_matrices *m,
                           const std::vector<float> &found, int row) {
    int first = row / 16 * 16, differ = 0;
    for (int r = first; r < first + 16; r++) {
        for (int col = 0; col < job->N && r < job->M; col++) {
            int other = r ^ 8;
            if (other >= job->M) {
                continue;
            }
            float is = found[(size_t)r * job->N + col], should = m->expected[(size_t)other * job->N + col];
            if (!(fabs(is - should) <= fabs(should) / 128 + 1e-6)) {
                return false;
            }
            differ += is != m->expected[(size_t)r * job->N + col];
        }
    }
    return differ > 0;
}

/* The value that a known mistake produces. */
static std::string reason(const struct bf16_form *form, const struct bf16_product *job, const struct bf16_matrices *m,
                          int row, int col, float found, double near) {
    for (int k = form->step; k < job->K; k += form->step) {
        if (fabs(dot(job, m, row, col, 0, k) - found) <= near) {
            return judge_print("; that is the sum of the first %d products of %d", k, job->K);
        }
        if (fabs(dot(job, m, row, col, k, job->K) - found) <= near) {
            return judge_print("; the first %d products are missing", k);
        }
    }
    if (job->K > 0 && found == 0) {
        return "; it contains none of the products";
    }
    for (int other = 0; other < job->N; other++) {
        double value = m->expected[(size_t)row * job->N + other];
        if (other != col && fabs(value) > 1 && fabs(value - found) <= near / 8) {
            return judge_print("; that is the element of column %d", other);
        }
    }
    return "";
}

static std::string fragments_mixed_up(const struct bf16_product *job, const struct bf16_matrices *m,
                                      const std::vector<float> &found, int row, int col) {
    int K = job->K, N = job->N;
    const struct fragment_product p = {job->M,
                                       N,
                                       K,
                                       [=](int r, int k) { return of_bits(m->A[(size_t)r * K + k]); },
                                       [=](int k, int c) { return of_bits(m->B[(size_t)k * N + c]); },
                                       [&](int r, int c) { return found[(size_t)r * N + c]; },
                                       [=](int r, int c) { return m->expected[(size_t)r * N + c]; }};
    return fragments_reason(&p, row, col);
}

/* Sums that lose digits in intermediate results are off by several times 2^-9 of the products. */
static bool nearly(const struct bf16_product *job, const struct bf16_matrices *m, int row, int col, float found) {
    double size = 0;
    for (int k = 0; k < job->K; k++) {
        size += fabs(of_bits(m->A[(size_t)row * job->K + k]) * of_bits(m->B[(size_t)k * job->N + col]));
    }
    return job->numbers == FRACTIONS && fabs(found - m->expected[(size_t)row * job->N + col]) <= size / 128;
}

static std::string why_wrong(const struct bf16_form *form, const struct bf16_product *job,
                             const struct bf16_matrices *m, const std::vector<float> &found, int row, int col) {
    float value = found[(size_t)row * job->N + col];
    std::string why = fragments_mixed_up(job, m, found, row, col);
    if (why.empty()) {
        why = reason(form, job, m, row, col, value, 1e-6 + fabs(value) / 256);
    }
    if (why.empty() && nearly(job, m, row, col, value)) {
        why = "; nearly right: are the sums float until the last product is in, and rounded once?";
    }
    return why;
}

/* Rounded once: exactly so for whole numbers. With fractions each group of 16 products may truncate 2^-21 of the sum, and the rounding error is
 * 2^-8 of the result at most (common/gelu_layer.h). */
static void look(const struct bf16_form *form, const struct bf16_product *job, const struct bf16_matrices *m,
                 const struct result *r, struct handle C) {
    static bool launched; /* in any call so far */
    size_t n = m->expected.size();
    const uint16_t *bits = judge_content<uint16_t>(r, C);
    bool whole = job->numbers == WHOLE;
    std::vector<float> found(n), expected(m->expected);
    for (size_t i = 0; i < n; i++) {
        found[i] = of_bits(bits[i]);
        expected[i] = whole ? of_bits(bits_of(expected[i])) : expected[i];
    }
    double atol = whole ? 0 : job->K * sqrt((double)job->K) / (1 << 25) + 1e-6, rtol = whole ? 0 : 1.001 / 256;
    long long bad = judge_first_bad(found.data(), expected.data(), n, atol, rtol);
    launched |= r->answer.launches > 0;
    if (!launched && bad >= 0) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    if (bad >= 0) {
        int row = (int)(bad / job->N), col = (int)(bad % job->N);
        std::string why = judge_print("that is row %d, column %d", row, col);
        if (rows_exchanged(job, m, found, row)) {
            why +=
                judge_print("; its rows %d to %d and the eight rows after them are exchanged: which of a lane's four "
                            "sums belong to row lane / 4 + 8?",
                            row / 16 * 16, row / 16 * 16 + 7);
        } else if (!isnan(found[bad])) {
            why += why_wrong(form, job, m, found, row, col);
        }
        judge_reject(r, found.data(), expected.data(), n, bad, why, NOBODY_KNOWS);
    }
    judge_rest(r);
}

struct result bf16_run(const struct bf16_form *form, const struct bf16_product job, bool count) {
    struct handle C;
    doing(form, &job, count ? ", memory accesses" : "");
    struct bf16_matrices m = make(&job);
    struct call c = call_for(form, &job, &m, &C);
    if (count) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    look(form, &job, &m, &r, C);
    return r;
}

// ---------------------------------------------------------------- the checks common to all such products

void bf16_refused(const struct bf16_form *form) {
    const struct bf16_product job = {33, 40, 24, WHOLE, 90};
    struct handle C;
    doing(form, &job, ", and its launch fails");
    struct bf16_matrices m = make(&job);
    judge_refused_launch(call_for(form, &job, &m, &C));
}

void bf16_busy(const struct bf16_form *form) {
    const struct bf16_product job = {33, 40, 24, WHOLE, 91, 0, 0, true};
    struct handle C;
    bf16_run(form, job);
    doing(form, &job, " that is busy");
    struct bf16_matrices m = make(&job);
    judge_busy_stream(call_for(form, &job, &m, &C));
}

void bf16_again(const struct bf16_form *form, int rows, int columns_8, int depth_8) {
    bf16_run(form, {judge_draw(1, rows), 8 * judge_draw(1, columns_8), 8 * judge_draw(1, depth_8), WHOLE,
                    (uint64_t)judge_draw(10000, 1000000), judge_draw(0, 9)});
    bf16_run(form, {judge_draw(1, rows), 8 * judge_draw(1, columns_8), 8 * judge_draw(1, depth_8), FRACTIONS,
                    (uint64_t)judge_draw(10000, 1000000), 0, judge_draw(0, 20), true});
}
