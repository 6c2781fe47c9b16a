/* Grader of exercise 12: cross_entropy, as lessons/lesson12_softmax/exercise.cu describes it.
 *
 * The expected logarithms are computed in double. How exact they can be is known: x - largest is rounded once, the logarithm of the sum
 * too, and their difference; so the tolerance does not grow with x, and who adds the logarithm to a largest element of a million is seen.
 *
 * Rows of every length, scores that are large, forbidden or no numbers, long runs of -INFINITY (threads and warps that have nothing else),
 * padding, addresses that are not aligned, elements past the end, a stream of the caller's, no waiting, a launch that fails, and, on the
 * emulator, sectors and launches. */
// arch: sm_80
#include <math.h>

#include "tools/grading/grader.h"

static const struct function cross_entropy =
    FUNCTION(void, cross_entropy, const float *, const int *, float *, float *, int, int, cudaStream_t);

// ---------------------------------------------------------------- inputs

/* What the rows are like. With SPECIAL each row is of another kind. */
enum kind { PLAIN, LARGE, FORBIDDEN, SPECIAL };
static const char *const kinds[] = {"scores from -8 to 8", "scores of a million", "words that are forbidden",
                                    "NaN and infinities"};

struct one {
    int rows, cols;
    enum kind kind;
    int x_offset, y_offset, slack; /* in floats */
    uint64_t seed;
    bool own_stream;
};

static struct one plain(int rows, int cols, enum kind kind, uint64_t seed) {
    return {rows, cols, kind, 0, 0, 0, seed, false};
}

static float score(const struct one *job, int r, int c, float x) {
    static const float shifts[] = {1e6f, -1e6f, 1e4f, -300.0f, 88.0f};
    bool first_half = c < job->cols / 2;
    switch (job->kind) {
    case LARGE:
        return r % 6 == 5 ? 40 * x : x + shifts[r % 5];
    case FORBIDDEN: /* the first half, the second, all but one, every other one, the lanes of some warps */
        return (r % 5 == 0 && first_half) || (r % 5 == 1 && !first_half && c > 0) ||
                       (r % 5 == 2 && c != job->cols / 3) || (r % 5 == 3 && c % 2 == 0 && c > 0) ||
                       (r % 5 == 4 && c % 256 < 128 && c > 0)
                   ? -INFINITY
                   : x;
    case SPECIAL:
        return r % 4 == 0                                          ? -INFINITY
               : r % 4 == 1 && c == 0                              ? NAN
               : r % 4 == 2 && c == job->cols - 1                  ? INFINITY
               : r % 4 == 3 && job->cols > 1 && c != job->cols / 2 ? -INFINITY
                                                                   : x;
    default:
        return x;
    }
}

struct input {
    std::vector<float> x;
    std::vector<int> target;
};

static struct input make_input(const struct one *job) {
    struct input in = {std::vector<float>((size_t)job->rows * job->cols), std::vector<int>(job->rows)};
    uint64_t state = job->seed * 77 + 5;
    verify_random(in.x.data(), in.x.size(), -8.0f, 8.0f, job->seed);
    for (size_t i = 0; i < in.x.size(); i++) {
        in.x[i] = score(job, (int)(i / job->cols), (int)(i % job->cols), in.x[i]);
    }
    for (int r = 0; r < job->rows; r++) {
        static const int padding[] = {-1, -100, -2147483647 - 1};
        in.target[r] = r % 7 == 4 ? padding[r / 7 % 3] : (int)((verify_next(&state) >> 33) % job->cols);
    }
    return in;
}

struct expected {
    std::vector<float> log_p, loss;
};

static struct expected reference(const struct one *job, const struct input &in) {
    struct expected e = {std::vector<float>(in.x.size()), std::vector<float>(job->rows)};
    for (int r = 0; r < job->rows; r++) {
        const float *x = &in.x[(size_t)r * job->cols];
        double largest = -INFINITY, sum = 0;
        for (int c = 0; c < job->cols; c++) {
            largest = fmax(largest, x[c]);
        }
        for (int c = 0; c < job->cols; c++) {
            sum += exp(x[c] - largest);
        }
        for (int c = 0; c < job->cols; c++) {
            e.log_p[(size_t)r * job->cols + c] = (float)(x[c] - largest - log(sum));
        }
        e.loss[r] = in.target[r] < 0 ? 0.0f : -e.log_p[(size_t)r * job->cols + in.target[r]];
    }
    return e;
}

// ---------------------------------------------------------------- one call

struct outputs {
    struct handle log_p, loss;
};

/* Of a row that begins anywhere a warp's 128 bytes are five sectors instead of four, and its ends are sectors that it shares. To ask for x[target] again
 * is not forbidden: each of up to 32 warps may. */
static struct between per_row(int cols, int again) {
    double whole = cols / 8.0;
    return {0.97, (1.3 * whole + 4 + again) / whole};
}

/* What one reading of the rows takes. A second one would be eight sectors for 32 elements. */
static void judge_economy(const struct result *r, struct handle x, const struct outputs *out, int cols) {
    if (judge_counted(r) && r->answer.launches > 1) {
        judge_fail("access_limit", "the result is right, but %u kernels were launched, and one is enough.",
                   r->answer.launches);
    }
    judge_reads(r, x, per_row(cols, 32),
                "Keep a row on chip once it is read, and assign neighbouring elements to neighbouring threads.");
    judge_writes(r, out->log_p, per_row(cols, 0),
                 "Write each element once, with neighbouring threads writing neighbouring elements.");
}

/* Fewer rows one block may have, a warp for each. */
static void judge_many(const struct result *r, int rows, int cols) {
    if (rows >= 64 && (double)rows * cols >= 65536) {
        judge_shared(r, 512, "Launch a block for each row, or as many blocks as the device has room for.");
    }
}

static struct call make_call(const struct one *job, const struct input &in, struct outputs *out) {
    struct call c = judge_call(&cross_entropy);
    size_t size = in.x.size() * sizeof(float), slack = job->slack * sizeof(float);
    struct handle x = judge_input(&c, "x", in.x.data(), size, {job->x_offset * sizeof(float), slack});
    struct handle target = judge_input(&c, "target", in.target.data(), in.target.size() * sizeof(int));
    out->log_p = judge_output(&c, "log_p", size, {job->y_offset * sizeof(float), slack});
    out->loss = judge_output(&c, "loss", job->rows * sizeof(float), {0, slack});
    judge_pass(&c, x, target, out->log_p, out->loss, job->rows, job->cols, STREAM);
    struct outputs outputs = *out;
    int rows = job->rows, cols = job->cols;
    c.limits = [=](const struct result *r) {
        judge_economy(r, x, &outputs, cols);
        judge_many(r, rows, cols);
    };
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("cross_entropy, rows = %d, cols = %d, %s, seed %llu%s%s%s", job->rows, job->cols, kinds[job->kind],
                (unsigned long long)job->seed,
                job->x_offset || job->y_offset ? ", arrays that are not 16-byte aligned" : "",
                job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what went wrong?

/* The mistakes that are easy to recognise in one element of log_p. */
static std::string advice(const struct one *job, const float *x, float found, double expected) {
    double largest = -INFINITY, sum = 0, all = 0;
    for (int c = 0; c < job->cols; c++) {
        largest = fmax(largest, x[c]);
    }
    for (int c = 0; c < job->cols; c++) {
        sum += exp(x[c] - largest);
        all += exp((double)x[c]);
    }
    if (fabs(found - exp(expected)) <= 1e-4 * exp(expected)) {
        return "that is the softmax itself, and its logarithm is expected";
    }
    if (isinf(found) && expected < -80) {
        return "the softmax itself underflows in float, its logarithm does not: do not take the logarithm of it";
    }
    if (isnan(found)) {
        return "this row contains no NaN: was a difference of two infinities computed, or the result of a part without "
               "elements?";
    }
    if (fabs(found - expected) < 0.1 && fabs(largest) >= 1000) {
        return "nearly: a small number was added to a large one. What is x - largest, and what is computed from it?";
    }
    if (isinf(found) && all == 0) {
        return "every exp of this row has become 0: was the row's own largest element subtracted? And of no elements,\n"
               "          which number is the largest?";
    }
    if (isinf(found) || isinf(all)) {
        return "exp(x) itself is too large or too small for a float: subtract the largest element of the row first";
    }
    return judge_print(
        "as if the sum of the row's exp were %.4g, and it is %.4g: which elements are missing, or twice?",
        sum * exp(expected - found), sum);
}

static void look(const struct one *job, const struct input &in, const struct result *r, const struct outputs *out) {
    struct expected e = reference(job, in);
    const float *log_p = judge_content<float>(r, out->log_p), *loss = judge_content<float>(r, out->loss);
    long long bad = judge_first_bad(log_p, e.log_p.data(), e.log_p.size(), 2e-5, 1e-6);
    if (bad >= 0) {
        long long row = bad / job->cols, c = bad % job->cols;
        std::string text = judge_print("log_p[%lld][%lld], of x = %.9g", row, c, in.x[bad]);
        if (!verify_is_poison(log_p[bad]) && !isnan(e.log_p[bad]) && !isinf(e.log_p[bad])) {
            text += ":\n          " + advice(job, &in.x[row * job->cols], log_p[bad], e.log_p[bad]);
        }
        judge_reject(r, log_p, e.log_p.data(), e.log_p.size(), bad, text, NOBODY_KNOWS);
    }
    bad = judge_first_bad(loss, e.loss.data(), e.loss.size(), 2e-5, 1e-6);
    if (bad >= 0) {
        const char *why = in.target[bad] < 0            ? ": padding, so the loss is 0, whatever the row is"
                          : verify_is_poison(loss[bad]) ? ": has one of the threads this column?"
                                                        : "";
        judge_reject(r, loss, e.loss.data(), e.loss.size(), bad,
                     judge_print("loss[%lld], whose target is %d%s", bad, in.target[bad], why), NOBODY_KNOWS);
    }
    judge_rest(r);
}

static struct result run(const struct one job) {
    struct outputs out;
    doing(&job, "");
    struct input in = make_input(&job);
    struct call c = make_call(&job, in, &out);
    struct result r = judge_run(&c);
    look(&job, in, &r, &out);
    return r;
}

// ---------------------------------------------------------------- the checks

static void rows_of_every_length(void) {
    static const int shapes[][2] = {{9, 64},   {8, 300}, {1, 1},   {6, 31},  {7, 33}, {5, 1000}, {4, 1025},
                                    {3, 4096}, {9, 256}, {2, 257}, {0, 100}, {30, 1}, {12, 5},   {2, 4095}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        run(plain(shapes[s][0], shapes[s][1], PLAIN, s + 1));
    }
}

/* There may be a million rows. To try that takes the emulator too long; the grid for fewer rows says what would come. Where y or z grows with
 * the rows, they may still end at 65535, if blocks then take several rows: only there is it tried. */
static void many_rows(void) {
    const int rows = 997;
    struct result r = run(plain(rows, 2, PLAIN, 20));
    const struct launch *l = &r.answer.launch[0];
    if (r.answer.launches && (l->grid[1] >= rows || l->grid[2] >= rows)) {
        run(plain(65537, 1, PLAIN, 21));
    }
}

static void large_scores(void) {
    run(plain(12, 100, LARGE, 30));
    run(plain(6, 1025, LARGE, 31));
    run(plain(6, 4096, LARGE, 32));
}

static void forbidden_words(void) {
    run(plain(10, 40, FORBIDDEN, 40));
    run(plain(10, 600, FORBIDDEN, 41));
    run(plain(5, 4096, FORBIDDEN, 42));
}

static void special_values(void) {
    run(plain(12, 7, SPECIAL, 50));
    run(plain(15, 300, SPECIAL, 51));
    run(plain(8, 1025, SPECIAL, 52));
}

static void contract(void) {
    run({9, 333, PLAIN, 1, 2, 0, 60, false});
    run({7, 64, PLAIN, 3, 0, 500, 61, false});
    run({5, 1001, FORBIDDEN, 0, 1, 300, 62, true});
}

static void refused(void) {
    const struct one job = plain(5, 100, PLAIN, 70);
    struct outputs out;
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(&job, make_input(&job), &out));
}

static void busy(void) {
    struct one job = plain(5, 100, PLAIN, 71);
    struct outputs out;
    job.own_stream = true;
    run(job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(&job, make_input(&job), &out));
}

/* Rows of full sectors and no reason for more: in all the others the limit has to allow for how a row lies. */
static void thrifty_at(int rows, int cols, uint64_t seed) {
    const struct one job = plain(rows, cols, PLAIN, seed);
    struct outputs out;
    doing(&job, ", memory accesses");
    struct input in = make_input(&job);
    struct call c = make_call(&job, in, &out);
    struct handle x = {0, 0};
    c.limits = [=](const struct result *r) {
        judge_reads(r, x, {0.97, 1.08 + 64.0 / cols},
                    "Keep a row on chip once it is read, and assign neighbouring elements to neighbouring threads.");
        judge_writes(r, out.log_p, {0.97, 1.08},
                     "Write each element once, with neighbouring threads writing neighbouring elements.");
        judge_many(r, rows, cols);
    };
    struct result r = judge_run(&c);
    look(&job, in, &r, &out);
    judge_note("for 32 elements %.2f sectors read, %.2f written", judge_sectors_of(&r, x) / (in.x.size() / 32.0),
               judge_sectors_written_of(&r, out.log_p) / (in.x.size() / 32.0));
}

static void thrifty(void) {
    thrifty_at(20, 2048, 80);
    thrifty_at(70, 1024, 82);
    thrifty_at(10, 4096, 81);
}

static void again(void) {
    run({judge_draw(1, 12), judge_draw(1, 4096), (enum kind)judge_draw(PLAIN, SPECIAL), judge_draw(0, 3),
         judge_draw(0, 3), judge_draw(0, 99), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 1) == 1});
    run(plain(judge_draw(1, 200), judge_draw(1, 70), LARGE, (uint64_t)judge_draw(100, 1000000)));
    run(plain(judge_draw(5, 20), judge_draw(257, 3000), FORBIDDEN, (uint64_t)judge_draw(100, 1000000)));
    if (judge_on_emulator()) {
        thrifty_at(judge_draw(5, 20), 8 * judge_draw(200, 512), (uint64_t)judge_draw(100, 1000000));
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"cross_entropy", "rows of 1 to 4096 columns, and no row", rows_of_every_length, EVERYWHERE},
        {"cross_entropy", "997 rows, and a grid that could have a million", many_rows, EVERYWHERE},
        {"cross_entropy", "scores of a million, and of minus a million", large_scores, EVERYWHERE},
        {"cross_entropy", "forbidden words: -INFINITY in part of a row", forbidden_words, EVERYWHERE},
        {"cross_entropy", "rows with NaN, with INFINITY, of -INFINITY only", special_values, EVERYWHERE},
        {"cross_entropy", "any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"cross_entropy", "it returns without waiting", busy, EVERYWHERE},
        {"cross_entropy", "one launch; each score read once, each logarithm written once", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "12", {&cross_entropy}, checks, sizeof checks / sizeof checks[0]);
}
