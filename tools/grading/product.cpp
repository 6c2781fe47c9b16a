/* product.cpp - see product.h. */
#include "tools/grading/product.h"

#include <float.h>
#include <math.h>

// ---------------------------------------------------------------- the reference

static float b_at(const struct product_form *form, const struct product *job, const struct matrices *m, int k,
                  int col) {
    return form->transposed ? m->B[(size_t)col * job->K + k] : m->B[(size_t)k * job->N + col];
}

/* The sum of the products k = first ... end - 1 of an element of C. */
static double dot(const struct product_form *form, const struct product *job, const struct matrices *m, int row,
                  int col, int first, int end) {
    double sum = 0;
    for (int k = first; k < end; k++) {
        sum += (double)m->A[(size_t)row * job->K + k] * b_at(form, job, m, k, col);
    }
    return sum;
}

std::vector<float> product_numbers(enum numbers numbers, size_t n, uint64_t seed) {
    std::vector<float> x(n);
    bool whole = numbers == WHOLE;
    verify_random(x.data(), n, whole ? -4.49f : -1.0f, whole ? 4.49f : 1.0f, seed);
    for (size_t i = 0; i < n && whole; i++) {
        x[i] = rintf(x[i]);
    }
    return x;
}

struct matrices product_matrices(const struct product_form *form, const struct product *job) {
    struct matrices m = {product_numbers(job->numbers, (size_t)job->M * job->K, job->seed),
                         product_numbers(job->numbers, (size_t)job->K * job->N, job->seed + 1000),
                         product_numbers(job->numbers, (size_t)job->M * job->N, job->seed + 2000),
                         {}};
    if (job->beta == 0) {
        verify_poison_host(m.C.data(), m.C.size() * sizeof(float));
    }
    for (int row = 0; row < job->M; row++) {
        for (int col = 0; col < job->N; col++) {
            double sum = job->alpha * dot(form, job, &m, row, col, 0, job->K);
            double before = job->beta == 0 ? 0 : job->beta * (double)m.C[m.expected.size()];
            m.expected.push_back((float)(sum + before));
        }
    }
    return m;
}

// ---------------------------------------------------------------- one call

struct call product_call(const struct product_form *form, const struct product *job, const struct matrices *m,
                         struct handle *C) {
    struct call c = judge_call(form->function);
    size_t slack = job->slack * sizeof(float);
    struct handle A = judge_input(&c, "A", m->A.data(), m->A.size() * sizeof(float),
                                  {job->offset_A * sizeof(float), slack}),
                  B = judge_input(&c, "B", m->B.data(), m->B.size() * sizeof(float),
                                  {job->offset_B * sizeof(float), slack});
    *C = judge_in_out(&c, "C", m->C.data(), m->C.size() * sizeof(float), {job->offset_C * sizeof(float), slack});
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, job->M, job->N, job->K, job->alpha, A, B, job->beta, *C, STREAM);
    const struct product shape = *job;
    const struct product_arrays arrays = {A, B, *C};
    void (*limits)(const struct result *, const struct product *, const struct product_arrays *) = form->limits;
    c.limits = [=](const struct result *r) {
        if (judge_counted(r) && (double)shape.M * shape.N * shape.K > 0) {
            limits(r, &shape, &arrays);
        }
    };
    return c;
}

void product_doing(const struct product_form *form, const struct product *job, const char *what) {
    judge_doing("%s, M = %d, N = %d, K = %d, alpha = %g, beta = %g, %s, seed %llu%s%s%s", form->function->name, job->M,
                job->N, job->K, job->alpha, job->beta, job->numbers == WHOLE ? "whole numbers" : "fractions",
                (unsigned long long)job->seed,
                job->offset_A || job->offset_B || job->offset_C ? ", arrays that are not 16-byte aligned" : "",
                job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what a call may do

enum { SECTOR = 8, PIECE = 64, BLOCK = 128, EACH = 256, FEW_TILES = 512 }; /* floats */

bool product_row_whole(int columns, int offset) {
    return columns % PIECE == 0 && offset % SECTOR == 0;
}

double product_row_sectors(int columns, int offset) {
    double sectors = (columns + SECTOR - 1) / SECTOR;
    return product_row_whole(columns, offset) ? sectors : 2 * sectors;
}

/* Bytes that were read in memory allocated by the function. */
static double bytes_elsewhere(const struct result *r) {
    double sum = 0;
    for (const struct emulatorArrayCounters *c : {&r->answer.elsewhere, &r->answer.of_host}) {
        sum += (double)(c->load_bytes + c->atomic_bytes + c->bulk_load_bytes + c->copied_from_bytes) +
               32.0 * (double)(c->texture_sectors + c->surface_load_sectors);
    }
    return sum;
}

double product_sectors(const struct result *r, const struct product *job, const struct product_arrays *arrays) {
    double all = sizeof(float) * ((double)job->M * job->K + (double)job->K * job->N + (double)job->M * job->N);
    double others = judge_bytes_read_of(r, arrays->C) + bytes_elsewhere(r) - 2 * all;
    return judge_sectors_of(r, arrays->A) + judge_sectors_of(r, arrays->B) + (others > 0 ? others / 32 : 0);
}

static double up_to(int n, int multiple) {
    return (double)((n + multiple - 1) / multiple) * multiple;
}

double product_work(const struct result *r, const struct product *job, int tile, int step) {
    double work = up_to(job->M, tile) * up_to(job->N, tile) * up_to(job->K, step) / 32;
    double large = up_to(job->M, BLOCK) * up_to(job->N, BLOCK) * up_to(job->K, 16) / 32;
    double executed = (double)r->answer.counters.float_operations / 64;
    return executed < work ? work : executed < large ? executed : large;
}

bool product_few_tiles(const struct product *job) {
    return job->M <= FEW_TILES && job->N <= FEW_TILES;
}

void product_parallel(const struct result *r, const struct product *job) {
    unsigned long long largest = 0, threads = 0;
    if (!product_few_tiles(job)) {
        return;
    }
    for (const struct launch &l : r->launches) {
        largest = l.most_output_bytes > largest ? l.most_output_bytes : largest;
        threads += l.output_threads;
    }
    if (largest > BLOCK * BLOCK * sizeof(float) || threads * EACH < (double)job->M * job->N) {
        judge_fail("access_limit",
                   "the result is right, but of %d x %d elements of C a block wrote %llu (limit %d), and %llu threads "
                   "all of them (at least\n          one for %d).%s\n          Launch a block for each tile of C: a "
                   "GPU has many SMs.",
                   job->M, job->N, largest / sizeof(float), BLOCK * BLOCK, threads, EACH, judge_launch_text(r).c_str());
    }
}

// ---------------------------------------------------------------- what went wrong

/* An element, compared with the values that known mistakes produce. */
struct element {
    const struct product_form *form;
    const struct product *job;
    const struct matrices *m;
    int row, col;
    double found, sum, before, near;
};

static bool is(const struct element *e, double value) {
    return fabs(e->found - value) <= e->near;
}

/* The sum with B read in the layout of the other form. */
static double other_form(const struct element *e) {
    struct product_form other = *e->form;
    other.transposed = !other.transposed;
    return dot(&other, e->job, e->m, e->row, e->col, 0, e->job->K);
}

static std::string wrong_factors(const struct element *e) {
    float alpha = e->job->alpha, beta = e->job->beta;
    if (beta != 0 && is(e, alpha * e->sum)) {
        return "that is alpha * sum: beta * C is missing";
    }
    if (alpha != 1 && is(e, e->sum + e->before)) {
        return "that is right for alpha = 1: alpha is missing";
    }
    if (alpha != 1 && is(e, alpha * (e->sum + e->before))) {
        return "that is alpha * (sum + beta * C): alpha scales only the sum";
    }
    return is(e, alpha * other_form(e) + e->before)
               ? e->form->transposed ? "that is the element of A * B: this B has a row for each column of C"
                                     : "that is the element of A * B^T: this B has a row for each k"
               : "";
}

/* Products that are missing at the end, or in the first step of 8 or 16. */
static std::string wrong_length(const struct element *e) {
    int K = e->job->K;
    for (int k = K - 1; k > 0 && k > K - 64; k--) {
        if (is(e, e->job->alpha * dot(e->form, e->job, e->m, e->row, e->col, 0, k) + e->before)) {
            return "that is the sum of the first " + std::to_string(k) + " products of " + std::to_string(K);
        }
    }
    for (int k = 8; k < K && k <= 16; k += 8) {
        if (is(e, e->job->alpha * dot(e->form, e->job, e->m, e->row, e->col, k, K) + e->before)) {
            return "the products of the first step, k < " + std::to_string(k) + ", are missing";
        }
    }
    return is(e, e->before) ? "it contains none of the products" : "";
}

static std::string reason(const struct element *e) {
    if (verify_is_poison((float)e->found)) {
        return "";
    }
    if (isnan(e->found)) {
        return e->job->beta == 0 ? "beta is 0, and C holds NaN before the call: was C read anyway (0 * NaN is NaN)? Or "
                                   "was memory multiplied that was never loaded?"
                                 : "";
    }
    if (e->job->K == 0) {
        return "K is 0, so there are no products, and C = beta * C is still due";
    }
    std::string factors = wrong_factors(e);
    return factors.empty() ? wrong_length(e) : factors;
}

static std::string remark(const struct product_form *form, const struct product *job, const struct matrices *m,
                          const float *C, long long bad) {
    int row = (int)(bad / job->N), col = (int)(bad % job->N);
    struct element e = {form,
                        job,
                        m,
                        row,
                        col,
                        C[bad],
                        dot(form, job, m, row, col, 0, job->K),
                        job->beta == 0 ? 0 : job->beta * (double)m->C[bad],
                        job->numbers == WHOLE ? 0 : 1e-3};
    std::string text = reason(&e);
    return "that is row " + std::to_string(row) + ", column " + std::to_string(col) + (text.empty() ? "" : "; " + text);
}

/* With fractions, each of the K additions rounds by at most 2^-24 of a sum that is about sqrt(k) / 3, up or down at random.
 * (K + 8) * 2^-23 is more than ten times the accumulated error, and far less than a single product. */
void product_look(const struct product_form *form, const struct product *job, const struct matrices *m,
                  const struct result *r, struct handle C) {
    static bool launched; /* in any call so far */
    double tolerance = job->numbers == WHOLE ? 0 : (job->K + 8) * (double)FLT_EPSILON;
    const float *found = judge_content<float>(r, C);
    launched |= r->answer.launches > 0;
    if (!launched && judge_first_bad(found, m->expected.data(), m->expected.size(), tolerance, 0) >= 0) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    judge_compare(
        r, C, m->expected.data(), m->expected.size(), tolerance, 0,
        [&](long long bad) { return remark(form, job, m, found, bad); }, NOBODY_KNOWS);
    judge_rest(r);
}

struct result product_run(const struct product_form *form, const struct product job, bool count) {
    struct handle C;
    product_doing(form, &job, count ? ", memory accesses" : "");
    struct matrices m = product_matrices(form, &job);
    struct call c = product_call(form, &job, &m, &C);
    if (count) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    product_look(form, &job, &m, &r, C);
    return r;
}

// ---------------------------------------------------------------- the checks common to all products

void product_refused(const struct product_form *form) {
    const struct product job = {33, 31, 17, 1, 0, WHOLE, 90, 0, 0, 0, 0, false};
    struct handle C;
    product_doing(form, &job, ", and its launch fails");
    struct matrices m = product_matrices(form, &job);
    judge_refused_launch(product_call(form, &job, &m, &C));
}

void product_busy(const struct product_form *form) {
    const struct product job = {33, 31, 17, 1, 0, WHOLE, 91, 0, 0, 0, 0, true};
    struct handle C;
    product_run(form, job);
    product_doing(form, &job, " that is busy");
    struct matrices m = product_matrices(form, &job);
    judge_busy_stream(product_call(form, &job, &m, &C));
}

static uint64_t seed(void) {
    return (uint64_t)judge_draw(10000, 1000000);
}

void product_again(const struct product_form *form) {
    int M = judge_draw(1, 150), N = judge_draw(1, 150), K = judge_draw(1, 150);
    int A = judge_draw(0, 3), B = judge_draw(0, 3), C = judge_draw(0, 3);
    product_run(form, {M, N, K, (float)judge_draw(1, 4), (float)judge_draw(-3, 3), WHOLE, seed(), A, B, C, 0, false});
    product_run(form, {N, M, K, 1, 0, FRACTIONS, seed(), B, C, A, judge_draw(0, 200), true});
    product_run(form, {64 * judge_draw(1, 2), 64 * judge_draw(1, 2), 16 * judge_draw(1, 6), 1.5f, -0.5f, FRACTIONS,
                       seed(), 0, 0, 0, 0, false});
}
