/* Grader of exercise 13, batch normalization: batchnorm, as lessons/lesson13_layernorm/exercise.cu says.
 *
 * What is expected is computed in double. Sums may be added up in any order, so each result has a bound: a mean is rounded a few times in
 * units of 2^-24 of the numbers' size, and y is off by that, over the deviation. A variance is held to a thousandth, however large the mean
 * is: who subtracts the square of the mean from the mean of the squares does not keep that.
 *
 * Many shapes, many rows, many columns, columns of equal numbers, large means, another epsilon, addresses that are not aligned, a stream, no
 * waiting, a launch that fails, the same bits each time, and, on the emulator, in every run, how much is read and written, how many threads share
 * the work, and that the host computed none of it. */
// arch: sm_80
#include <math.h>

#include "tools/grading/grader.h"

static const struct function batchnorm = FUNCTION(void, batchnorm, const float *, float *, const float *, const float *,
                                                  float *, float *, int, int, float, float *, cudaStream_t);

enum { BLOCKS_MAX = 64, COLS_USUAL = 1030, SAMPLES = 4 };
enum { ROWS_MAX = 1 << 20, COLS_MAX = 1 << 14, GRID_MAX = 65535 }; /* the last: of a grid in y and z */

// ---------------------------------------------------------------- inputs, and what is expected

struct one {
    int rows, cols;
    float middle; /* the columns' means are about that */
    float epsilon;
    int offset; /* of x and y, in floats */
    uint64_t seed;
    bool own_stream;
};

struct inputs {
    std::vector<float> x, gamma, beta;
};

/* Each column has a mean of its own, and every ninth one is constant. */
static struct inputs make_inputs(const struct one *job) {
    size_t cols = job->cols;
    struct inputs in = {std::vector<float>(job->rows * cols), std::vector<float>(cols), std::vector<float>(cols)};
    verify_random(in.x.data(), in.x.size(), -1.0f, 1.0f, job->seed);
    verify_random(in.gamma.data(), cols, 0.5f, 1.5f, job->seed + 1000);
    verify_random(in.beta.data(), cols, -1.0f, 1.0f, job->seed + 2000);
    for (size_t i = 0; i < in.x.size(); i++) {
        int c = (int)(i % cols);
        in.x[i] = job->middle * (1.0f + c % 7 / 8.0f) + (c % 9 == 4 ? 0.0f : in.x[i]);
    }
    return in;
}

struct column {
    double mean, variance, mean_bound;
};

static std::vector<struct column> reference(const struct one *job, const struct inputs &in) {
    std::vector<struct column> columns(job->cols);
    for (int c = 0; c < job->cols; c++) {
        double sum = 0, squares = 0, largest = 0;
        for (int row = 0; row < job->rows; row++) {
            double x = in.x[(size_t)row * job->cols + c];
            sum += x;
            largest = fabs(x) > largest ? fabs(x) : largest;
        }
        double mean = sum / job->rows;
        for (int row = 0; row < job->rows; row++) {
            double apart = in.x[(size_t)row * job->cols + c] - mean;
            squares += apart * apart;
        }
        columns[c] = {mean, squares / job->rows, ldexp(128.0, -24) * largest};
    }
    return columns;
}

// ---------------------------------------------------------------- one call

struct outputs {
    struct handle y, mean, variance;
};

struct arrays {
    struct handle x, gamma, beta, y, mean, variance, partial;
};

static void judge_economy(const struct result *r, const struct one *job, const struct arrays *a);

/* partial stays from call to call of one runner, with what the last one has left in it. It is the end of that memory, so that more than was
 * promised is out of bounds. */
static struct handle make_partial(struct call *c, int cols) {
    const size_t most = cols > COLS_USUAL ? cols : COLS_USUAL;
    struct handle partial = judge_kept(c, "partial", NULL, 3 * BLOCKS_MAX * most * sizeof(float));
    partial.from = 3 * BLOCKS_MAX * (most - cols) * sizeof(float);
    return partial;
}

static struct call make_call(const struct one *job, const struct inputs &in, struct outputs *out) {
    struct call c = judge_call(&batchnorm);
    size_t size = in.x.size() * sizeof(float), row = job->cols * sizeof(float);
    struct place place = {job->offset * sizeof(float), 0};
    struct arrays a;
    a.partial = make_partial(&c, job->cols);
    a.x = judge_input(&c, "x", in.x.data(), size, place);
    a.gamma = judge_input(&c, "gamma", in.gamma.data(), row, place);
    a.beta = judge_input(&c, "beta", in.beta.data(), row, place);
    a.y = judge_output(&c, "y", size, place);
    a.mean = judge_output(&c, "mean", row, place);
    a.variance = judge_output(&c, "variance", row, place);
    *out = {a.y, a.mean, a.variance};
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, a.x, a.y, a.gamma, a.beta, a.mean, a.variance, job->rows, job->cols, job->epsilon, a.partial,
               STREAM);
    const struct one asked = *job;
    c.frees = true;
    c.limits = [=](const struct result *r) { judge_economy(r, &asked, &a); };
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("batchnorm, rows = %d, cols = %d, means about %g, epsilon %g, seed %llu%s%s%s", job->rows, job->cols,
                job->middle, job->epsilon, (unsigned long long)job->seed,
                job->offset ? ", x and y not 16-byte aligned" : "", job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what it may take

/* Limits for every shape, in rows of x. The rows of one walk are read in full sectors, or, where rows begin anywhere, with two sectors more for each 32
 * columns. MORE_X: a thread may read the first number of its column again. MORE: what belongs to a column, once for each walk of a thread, and the
 * triples of all blocks, even where neighbouring threads do not read neighbours. */
enum { MORE_X = 512, MORE = 4096, HOST_COLUMNS = 256 };
/* Threads that share the work, where there are so many rows that those for mean and variance do a small part of it. */
enum { THREADS = 1024, THREADS_OF_COLUMN = 32, MANY_ROWS = 256 };

static double sectors_of_row(const struct one *job) {
    bool cut = job->cols % 8 || job->offset % 8;
    return job->cols / 8.0 + (cut ? (job->cols + 15) / 16 : 0);
}

static void judge_x(const struct result *r, const struct one *job, const struct arrays *a) {
    const double row = sectors_of_row(job), whole = (double)job->rows * job->cols / 8;
    const double most = (2.1 * job->rows + MORE_X) * row, most_written = 1.1 * job->rows * row + 2;
    double read = judge_sectors_of(r, a->x) + judge_sectors_of(r, a->y), written = judge_sectors_written_of(r, a->y);
    if (judge_sectors_of(r, a->x) < 0.99 * whole - 2) {
        judge_fail("access_limit",
                   "the result is right, but kernels read only %.0f sectors of 32 bytes of x, and %.0f hold it.",
                   judge_sectors_of(r, a->x), whole);
    }
    if (read > most) {
        judge_fail("access_limit",
                   "the result is right, but of x and y %.0f sectors of 32 bytes were read, and %.0f hold x: %.2f "
                   "times as many (limit here: %.2f).%s\n          Read x twice, neighbouring threads neighbouring "
                   "columns.",
                   read, whole, read / whole, most / whole, judge_launch_text(r).c_str());
    }
    if (written > most_written) {
        judge_fail("access_limit",
                   "the result is right, but of y %.0f sectors of 32 bytes were written, and %.0f hold it (limit here: "
                   "%.0f).%s\n          Write each element once, neighbouring threads neighbouring columns.",
                   written, whole, most_written, judge_launch_text(r).c_str());
    }
}

/* What only polls works on flags: in partial, or in memory of the program's own. */
static double judge_others(const struct result *r, const struct one *job, const struct arrays *a) {
    const double row = sectors_of_row(job), most = (0.5 * job->rows + MORE) * row;
    const struct emulatorArrayCounters *partial = judge_counts_of(r, a->partial);
    double read = judge_sectors_of(r, a->partial) - (double)(partial->poll_sectors + partial->atomic_sectors);
    for (struct handle array : {a->gamma, a->beta, a->mean, a->variance}) {
        read += judge_sectors_of(r, array);
    }
    read += judge_sectors_elsewhere(r);
    if (read > most) {
        judge_fail("access_limit",
                   "the result is right, but beside x %.0f sectors of 32 bytes were read, as many as %.0f rows of x "
                   "have (limit: half of the\n          %d rows, and %d).%s\n          Read the parameters of a column "
                   "once for all rows of a thread.",
                   read, read / row, job->rows, MORE, judge_launch_text(r).c_str());
    }
    return read / row;
}

/* Mean and variance are a small part of what is computed, so a host function could have computed them unnoticed. */
static void judge_host(const struct result *r, const struct one *job) {
    const struct emulatorHostBytes *h = &r->answer.host;
    uint64_t handed = h->copied_in + h->read_there + h->parameters + h->filled;
    if (job->cols >= HOST_COLUMNS && handed >= job->cols * sizeof(float)) {
        judge_fail("not_by_kernel",
                   "the result is right, but in the call the host passed %llu bytes to the device, and mean has %zu: "
                   "kernels have\n          to compute mean and variance.%s",
                   (unsigned long long)handed, job->cols * sizeof(float), judge_launch_text(r).c_str());
    }
}

static void judge_economy(const struct result *r, const struct one *job, const struct arrays *a) {
    if (!judge_counted(r) || job->cols == 0) {
        return;
    }
    judge_host(r, job);
    judge_x(r, job, a);
    double others = judge_others(r, job, a);
    int threads = THREADS_OF_COLUMN * job->cols;
    if (job->rows >= MANY_ROWS) {
        judge_parallel(r, threads < THREADS ? threads : THREADS,
                       "Several blocks share the rows of a column: each walks down some of them.");
    }
    judge_note("x read %.2f times, beside it as much as %.0f rows have; limits: 2.1 and %d rows, %.0f rows",
               judge_sectors_of(r, a->x) / (job->rows * job->cols / 8.0), others, MORE_X, 0.5 * job->rows + MORE);
}

// ---------------------------------------------------------------- what came out

/* Is it the mean of the first rows only? */
static std::string mean_remark(const struct one *job, const struct inputs &in, int c, float found) {
    double sum = 0;
    if (isnan(found)) {
        return verify_is_poison(found) ? "" : "\n          where is a count still 0 when something is divided by it?";
    }
    for (int row = 0; row < job->rows; row++) {
        sum += in.x[(size_t)row * job->cols + c];
        double bound = ldexp(32.0, -24) * (1 + fabs(sum / (row + 1)));
        if (row > 0 && row + 1 < job->rows && fabs(sum / (row + 1) - found) < bound) {
            return judge_print("\n          it is the mean of the first %d of %d rows", row + 1, job->rows);
        }
    }
    return "";
}

static std::string variance_remark(const struct one *job, const struct column *expected, float found) {
    double bound = 1e-3 * expected->variance;
    if (job->rows > 1 && fabs(found / (double)job->rows - expected->variance) < bound) {
        return "\n          it is the sum of the squared distances, and their mean is expected";
    }
    if (fabs((double)found * found - expected->variance) < bound) {
        return "\n          it is the standard deviation: the square root of the expected value";
    }
    if (job->rows > 1 && fabs(found * (job->rows - 1.0) / job->rows - expected->variance) < bound) {
        return "\n          it is the sum of the squared distances divided by rows - 1: divide by rows";
    }
    if (expected->mean * expected->mean > 100 * expected->variance) {
        return judge_print("\n          the mean is %g, and its square much larger than the variance: are two large "
                           "numbers subtracted from each other?",
                           expected->mean);
    }
    return "\n          the mean is right, so check m2. What does one more number add: which two distances are "
           "multiplied?\n          And what does the distance of two means add when their triples are merged?";
}

static void look_at_column(const struct result *r, const char *name, int c, float found, double expected, double bound,
                           const std::string &remark) {
    std::string text = remark + judge_launch_text(r);
    if (verify_close(found, (float)expected, bound, 1e-6)) {
        return;
    }
    if (verify_is_poison(found)) {
        judge_fail("stale_output", "%s[%d] was never written, expected %.9g%s", name, c, expected, text.c_str());
    }
    judge_fail(isnan(found) ? "nan" : "wrong_result", "%s[%d]: expected %.9g, found %.9g%s", name, c, expected, found,
               text.c_str());
}

static void look_at_columns(const struct result *r, const struct outputs *out, const struct one *job,
                            const struct inputs &in, const std::vector<struct column> &columns) {
    const float *mean = judge_content<float>(r, out->mean), *variance = judge_content<float>(r, out->variance);
    for (int c = 0; c < job->cols; c++) {
        look_at_column(r, "mean", c, mean[c], columns[c].mean, columns[c].mean_bound, mean_remark(job, in, c, mean[c]));
    }
    for (int c = 0; c < job->cols; c++) {
        double bound = 1e-3 * columns[c].variance + columns[c].mean_bound * columns[c].mean_bound;
        look_at_column(r, "variance", c, variance[c], columns[c].variance, bound,
                       isnan(variance[c]) ? "" : variance_remark(job, &columns[c], variance[c]));
    }
}

static void look_at_y(const struct result *r, const struct outputs *out, const struct one *job, const struct inputs &in,
                      const std::vector<struct column> &columns) {
    const float *y = judge_content<float>(r, out->y);
    std::vector<float> expected(in.x.size());
    for (size_t i = 0; i < expected.size(); i++) {
        int c = (int)(i % job->cols);
        double scale = in.gamma[c] / sqrt(columns[c].variance + job->epsilon);
        expected[i] = (float)((in.x[i] - columns[c].mean) * scale + in.beta[c]);
    }
    for (size_t i = 0; i < expected.size(); i++) {
        int c = (int)(i % job->cols), row = (int)(i / job->cols);
        double scale = in.gamma[c] / sqrt(columns[c].variance + job->epsilon);
        double bound = 2e-5 + 2 * scale * columns[c].mean_bound + 1e-3 * fabs(expected[i] - in.beta[c]);
        if (!verify_close(y[i], expected[i], bound, 0.0)) {
            judge_reject(r, y, expected.data(), expected.size(), (long long)i,
                         judge_print("row %d, column %d; mean and variance of the column are right", row, c),
                         NOBODY_KNOWS);
        }
    }
}

static struct result run(const struct one job, bool shown = false) {
    struct outputs out;
    doing(&job, "");
    struct inputs in = make_inputs(&job);
    struct call c = make_call(&job, in, &out);
    if (shown) {
        judge_show(&c);
    }
    struct result r = judge_run(&c);
    if (r.answer.launches == 0 && job.cols > 0 && judge_all_poison(judge_content<float>(&r, out.mean), job.cols)) {
        judge_fail("not_implemented", "no kernel was launched and nothing was written.");
    }
    std::vector<struct column> columns = reference(&job, in);
    look_at_columns(&r, &out, &job, in, columns);
    look_at_y(&r, &out, &job, in, columns);
    judge_rest(&r);
    return r;
}

// ---------------------------------------------------------------- the checks

static void many_shapes(void) {
    static const int shapes[][2] = {{100, 33}, {1, 1},     {7, 31},  {8, 32},   {9, 65},
                                    {513, 5},  {1100, 70}, {600, 0}, {2, 1030}, {700, 3}};
    for (int s = 0; s < 10; s++) {
        run({shapes[s][0], shapes[s][1], 0.5f, 1e-5f, 0, (uint64_t)s + 1, false});
    }
}

/* A grid that grows with the rows in y or z ends at 65535 blocks; where it could, that is tried. Then the most columns. */
static void many(void) {
    const int rows = 20011;
    struct result r = run({rows, 3, 0.5f, 1e-5f, 0, 11, false});
    for (const struct launch &l : r.launches) {
        const uint32_t *grid = l.grid;
        int blocks = (int)(grid[1] > grid[2] ? grid[1] : grid[2]), rows_of_block = (rows + blocks - 1) / blocks;
        if ((long long)rows_of_block * GRID_MAX < ROWS_MAX) {
            run({rows_of_block * GRID_MAX + 1, 1, 0.5f, 1e-5f, 0, 12, false});
            break;
        }
    }
    run({2, COLS_MAX, 0.5f, 1e-5f, 0, 13, false});
}

static void large_means(void) {
    run({1000, 40, 4096.0f, 1e-5f, 0, 20, false});
    run({530, 7, -3000.0f, 1e-5f, 0, 21, false});
}

static void contract(void) {
    run({100, 35, 0.5f, 0.25f, 1, 30, false});
    run({65, 260, 2.0f, 1e-5f, 3, 31, false});
    run({520, 33, 0.5f, 1e-5f, 0, 32, true});
}

/* The sizes differ by many powers of two, so that another order of adding shows; and the order of the blocks is drawn. */
static void same_bits(void) {
    const struct one job = {1100, 40, 0.0f, 1e-5f, 0, 40, false};
    struct inputs in = make_inputs(&job);
    std::vector<float> first;
    for (size_t i = 0; i < in.x.size(); i++) {
        in.x[i] = ldexpf(in.x[i], (int)(i / job.cols) % 20);
    }
    for (int s = 0; s < SAMPLES; s++) {
        struct outputs out;
        judge_doing("batchnorm, rows = %d, cols = %d, the same input, call %d", job.rows, job.cols, s + 1);
        struct call c = make_call(&job, in, &out);
        judge_mix(&c);
        struct result r = judge_run(&c);
        std::vector<float> found(judge_content<float>(&r, out.mean), judge_content<float>(&r, out.mean) + job.cols);
        const float *variance = judge_content<float>(&r, out.variance);
        const float *y = judge_content<float>(&r, out.y);
        found.insert(found.end(), variance, variance + job.cols);
        found.insert(found.end(), y, y + in.x.size());
        first = s ? first : found;
        size_t differs = 0;
        while (differs < found.size() && memcmp(&first[differs], &found[differs], sizeof(float)) == 0) {
            differs++;
        }
        if (differs < found.size()) {
            judge_fail("wrong_result",
                       "the same input gave another %s in call %d.\n          The order in which blocks finish must "
                       "not determine the order in which their triples are merged.",
                       differs < (size_t)job.cols       ? "mean"
                       : differs < 2 * (size_t)job.cols ? "variance"
                                                        : "y",
                       s + 1);
        }
        judge_rest(&r);
    }
}

static void refused(void) {
    const struct one job = {100, 40, 0.5f, 1e-5f, 0, 50, false};
    struct outputs out;
    doing(&job, ", and its launch fails");
    struct inputs in = make_inputs(&job);
    judge_refused_launch(make_call(&job, in, &out));
}

static void busy(void) {
    const struct one job = {100, 40, 0.5f, 1e-5f, 0, 51, true};
    struct outputs out;
    run(job);
    doing(&job, " that is busy");
    struct inputs in = make_inputs(&job);
    judge_busy_stream(make_call(&job, in, &out));
}

/* Here the limits of all calls are judged, and of one whose rows are full sectors. */
static void thrifty(void) {
    run({2003, 64, 0.5f, 1e-5f, 0, 60, false}, true);
}

static void again(void) {
    run({judge_draw(1, 500), judge_draw(1, 300), 0.5f, 1e-5f, judge_draw(0, 3), (uint64_t)judge_draw(100, 1000000),
         judge_draw(0, 1) == 1});
    run({judge_draw(513, 1200), judge_draw(1, 80), 0.5f, 1e-5f, 0, (uint64_t)judge_draw(100, 1000000), false});
    run({judge_draw(300, 1000), judge_draw(1, 50), (float)judge_draw(3000, 5000), 1e-5f, 0,
         (uint64_t)judge_draw(100, 1000000), false});
    if (judge_on_emulator()) {
        run({judge_draw(4000, 6000), judge_draw(30, 40), 0.5f, 1e-5f, 0, (uint64_t)judge_draw(100, 1000000), false});
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"batchnorm", "means, variances and y, from 1 x 1 to 1100 rows, 1030 columns, and no column", many_shapes,
         EVERYWHERE},
        {"batchnorm", "20011 rows, a grid that could have a million, and 16384 columns", many, EVERYWHERE},
        {"batchnorm", "no digits are lost when the mean is 4096", large_means, EVERYWHERE},
        {"batchnorm", "another epsilon, any address, in a stream", contract, EVERYWHERE},
        {"batchnorm", "the same input gives the same bits", same_bits, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"batchnorm", "it returns without waiting", busy, EVERYWHERE},
        {"batchnorm", "x is read twice, and hardly anything else; threads of several blocks", thrifty, ON_EMULATOR,
         LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "13", {&batchnorm}, checks, sizeof checks / sizeof checks[0]);
}
