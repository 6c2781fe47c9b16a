/* Grader of exercise 14: layer, as lessons/lesson14_gemv/exercise.cu describes it.
 *
 * Weights and x are drawn so that the sums lie around 0, where gelu hides nothing: a missing element changes the result a
 * hundred times more than rounding does. Shapes that fit nothing, no rows, no columns, rows of one group and of a part of one,
 * addresses that are multiples of 4 bytes and no more, NaN among x, the inputs unharmed, a stream, no waiting, a launch that fails, and,
 * on the emulator, how much was read. */
// arch: sm_80
#include <math.h>

#include "tools/grading/grader.h"

static const struct function layer = FUNCTION(void, layer, const signed char *, const float *, const float *,
                                              const float *, float *, int, int, cudaStream_t);

enum { GROUP = 64 };

// ---------------------------------------------------------------- inputs

struct one {
    int rows, cols;
    uint64_t seed;
    int offset, slack; /* of q, scales, bias and y: elements before and behind that are not its business */
    bool with_nan;     /* one x is NaN */
    bool own_stream;
};

static struct one shape(int rows, int cols, uint64_t seed) {
    return {rows, cols, seed, 0, 0, false, false};
}

struct arrays {
    std::vector<signed char> q;
    std::vector<float> scales, x, bias;
};

static int groups_of(int cols) {
    return (cols + GROUP - 1) / GROUP;
}

/* The sum of `cols` products of numbers spread over -127 .. 127 and -1 .. 1 is about 42 * sqrt(cols): the scales bring it to
 * about 1.5. */
static struct arrays make_arrays(const struct one *job) {
    size_t rows = job->rows, cols = job->cols, groups = groups_of(job->cols);
    struct arrays made = {std::vector<signed char>(rows * cols), std::vector<float>(rows * groups),
                          std::vector<float>(cols), std::vector<float>(rows)};
    uint64_t state = job->seed * 0x9E3779B97F4A7C15ULL + 1;
    for (signed char &q : made.q) {
        q = (signed char)((verify_next(&state) >> 33) % 256 - 128);
    }
    float scale = 1.5f / (42.0f * sqrtf((float)cols + 1.0f));
    verify_random(made.scales.data(), made.scales.size(), 0.25f * scale, 1.75f * scale, job->seed + 1);
    verify_random(made.x.data(), cols, -1.0f, 1.0f, job->seed + 2);
    verify_random(made.bias.data(), rows, -1.0f, 1.0f, job->seed + 3);
    if (job->with_nan && cols) {
        made.x[cols / 2] = NAN;
    }
    return made;
}

static double gelu(double v) {
    return 0.5 * v * (1.0 + erf(v * sqrt(0.5)));
}

static double gelu_tanh(double v) {
    return 0.5 * v * (1.0 + tanh(sqrt(2.0 / M_PI) * (v + 0.044715 * v * v * v)));
}

/* Row r of W times x, without the bias. How a student may take the bytes and the scales is up to the arguments. */
enum reading { RIGHT, BYTES_UNSIGNED, FIRST_SCALE, SCALE_OF_THE_LANE, NO_SCALE, FEWER_SCALES, FIRST_ROW, ONE_LANE };

static double product(const struct arrays *a, int r, enum reading reading) {
    size_t cols = a->x.size(), groups = groups_of((int)cols);
    size_t apart = reading == FIRST_ROW ? 0 : reading == FEWER_SCALES ? cols / GROUP : groups; /* from row to row */
    double sum = 0;
    for (size_t c = 0; c < cols; c++) {
        if (reading == ONE_LANE && c / 4 % 32 != 0) {
            continue;
        }
        int q = a->q[r * cols + c];
        size_t group = reading == FIRST_SCALE ? 0 : (reading == SCALE_OF_THE_LANE ? c % 128 : c) / GROUP;
        size_t s = r * apart + group;
        double scale = reading == NO_SCALE ? 1.0 : a->scales[s];
        sum += scale * (reading == BYTES_UNSIGNED ? q & 255 : q) * (double)a->x[c];
    }
    return sum;
}

// ---------------------------------------------------------------- one call

/* 128 weights are four sectors; their x are 16, shared by four rows; and there are two scales. In a shape that is `cut`, rows begin
 * between two sectors and end in the middle of a warp's 128 columns: twice as much may be read there, and a row costs as if it were 128 columns longer.
 * Of a few rows no warp may have four. */
static void judge_economy(const struct result *r, const std::vector<struct handle> &read, struct handle q, int rows,
                          int cols, bool cut) {
    const double most = cut ? 22.0 : 11.0;
    double units = (rows + 3) / 4 * 4 * (cols + (cut ? 128 : 0)) / 128.0, sectors = 0;
    if (!judge_counted(r)) {
        return;
    }
    for (struct handle array : read) {
        sectors += judge_sectors_of(r, array);
    }
    if (judge_sectors_of(r, q) < 0.97 * rows * (double)cols / 32 - 2) {
        judge_fail("wrong_result",
                   "of the weights the kernels read %.0f sectors of 32 bytes, and %.0f hold them: how can that be?",
                   judge_sectors_of(r, q), rows * (double)cols / 32);
    }
    if (rows >= 16 && sectors > most * units) {
        judge_fail(
            "access_limit",
            "the result is right, but for 128 weights %.2f sectors were read (limit here: %.1f): 4 are the weights, "
            "if\n"
            "          neighbouring lanes read neighbours of a row, and their x are 16, which four rows share. A scale "
            "costs\n"
            "          a sector each time a warp loads it: with four weights for a lane that is once for 128.%s",
            sectors / (rows * (double)cols / 128), most * units / (rows * (double)cols / 128),
            judge_launch_text(r).c_str());
    }
    if (rows >= 256 && (double)rows * cols >= 1 << 18) { // a block of 32 warps may have 128 rows
        judge_shared(r, 512, "Launch a warp for every four rows, or as many as the device has room for.");
    }
}

static struct call make_call(const struct one *job, const struct arrays *a, struct handle *y) {
    size_t offset = job->offset, slack = job->slack;
    struct place bytes = {4 * offset, 4 * slack}, floats = {4 * offset, 4 * slack};
    struct call c = judge_call(&layer);
    struct handle q = judge_input(&c, "q", a->q.data(), a->q.size(), bytes);
    struct handle scales = judge_input(&c, "scales", a->scales.data(), a->scales.size() * sizeof(float), floats);
    struct handle x = judge_input(&c, "x", a->x.data(), a->x.size() * sizeof(float), {16 * offset, 16 * slack});
    struct handle bias = judge_input(&c, "bias", a->bias.data(), a->bias.size() * sizeof(float), floats);
    *y = judge_output(&c, "y", a->bias.size() * sizeof(float), floats);
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, q, scales, x, bias, *y, job->rows, job->cols, STREAM);
    int rows = job->rows, cols = job->cols;
    bool cut = rows % 16 || cols % 128 || job->offset;
    c.limits = [=](const struct result *r) { judge_economy(r, {q, scales, x}, q, rows, cols, cut); };
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("layer, rows = %d, cols = %d, seed %llu%s%s%s%s", job->rows, job->cols, (unsigned long long)job->seed,
                job->offset ? ", at odd addresses" : "", job->with_nan ? ", one x is NaN" : "",
                job->own_stream ? ", in a stream" : "", what);
}

static bool near(float found, double expected) {
    return verify_close(found, (float)expected, 2e-5, 2e-5);
}

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct arrays *a, float found, int r) {
    double sum = product(a, r, RIGHT), bias = a->bias[r];
    const struct {
        double value;
        const char *text;
    } known[] = {
        {sum + bias, "that is W x + bias, without gelu"},
        {gelu(sum), "that is gelu(W x): the bias is missing"},
        {gelu(sum) + bias, "that is gelu(W x) + bias: add the bias first"},
        {gelu(sum + 32 * bias), "the bias was added 32 times: by each lane"},
        {gelu_tanh(sum + bias), "that is gelu with tanh, an approximation: use erf"},
        {gelu(product(a, r, BYTES_UNSIGNED) + bias), "the weights were read as 0 to 255: what is the sign of a char?"},
        {gelu(product(a, r, FIRST_SCALE) + bias), "all weights of the row had the scale of its first group"},
        {gelu(product(a, r, SCALE_OF_THE_LANE) + bias),
         "each lane kept the scale of its first weights: 128 columns further, its weights are in another group"},
        {gelu(product(a, r, NO_SCALE) + bias), "no weight had a scale"},
        {gelu(product(a, r, FEWER_SCALES) + bias), "the scales are those of another row: how many scales has a row "
                                                   "whose last group is shorter?"},
        {gelu(product(a, r, FIRST_ROW) + bias), "the scales are those of the first row"},
        {gelu(product(a, r, ONE_LANE) + bias),
         "that is the sum of lane 0 alone: where are the other lanes' sums added?"},
        {gelu(bias), "that is gelu(bias): nothing was added to it"},
    };
    for (auto &k : known) {
        if (near(found, k.value)) {
            return k.text;
        }
    }
    return fabs(found - gelu(sum + bias)) < 0.004
               ? "nearly right: x, the products and their sums are float. Was one of them rounded to fewer bits?"
               : "";
}

static void look(const struct one *job, const struct arrays *a, const struct result *r, struct handle y) {
    std::vector<float> expected(job->rows);
    const float *found = judge_content<float>(r, y);
    for (int row = 0; row < job->rows; row++) {
        expected[row] = (float)gelu(product(a, row, RIGHT) + a->bias[row]);
    }
    judge_compare(
        r, y, expected.data(), expected.size(), 5e-5, 5e-5,
        [&](long long bad) { return remark(a, found[bad], (int)bad); }, NOBODY_KNOWS);
    judge_rest(r);
}

/* The commonest mistake with no columns, which would otherwise look like an exercise that nobody has begun. */
static void look_for_launch(const struct one *job, const struct result *r) {
    if (job->rows > 0 && job->cols == 0 && r->answer.launches == 0) {
        judge_fail("stale_output", "no kernel was launched: without columns there are no products, but y = gelu(bias) "
                                   "is still due.");
    }
}

static void run(const struct one job) {
    struct handle y;
    doing(&job, "");
    struct arrays a = make_arrays(&job);
    struct call c = make_call(&job, &a, &y);
    struct result r = judge_run(&c);
    look_for_launch(&job, &r);
    look(&job, &a, &r, y);
}

// ---------------------------------------------------------------- the checks

static void shapes(void) {
    static const int all[][2] = {{64, 512}, {1, 4},    {1, 64},   {4, 128},   {5, 132},   {16, 60},
                                 {17, 68},  {3, 1000}, {33, 124}, {130, 256}, {15, 4096}, {1000, 36}};
    for (size_t s = 0; s < sizeof all / sizeof all[0]; s++) {
        run(shape(all[s][0], all[s][1], s + 1));
    }
}

static void empty(void) {
    run(shape(0, 128, 20));
    run(shape(37, 0, 21));
    run(shape(0, 0, 22));
}

static void contract(void) {
    run({21, 260, 30, 1, 0, false, false});
    run({34, 208, 31, 3, 50, false, false});
    run({9, 300, 32, 0, 0, true, false});
    run({50, 388, 33, 0, 20, false, true});
}

static void refused(void) {
    const struct one job = shape(50, 132, 40);
    struct handle y;
    struct arrays a = make_arrays(&job);
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(&job, &a, &y));
}

static void busy(void) {
    struct one job = shape(50, 132, 41);
    struct handle y;
    job.own_stream = true;
    run(job);
    struct arrays a = make_arrays(&job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(&job, &a, &y));
}

/* Shapes in which nothing is cut: there the limit allows for nothing else. */
static void thrifty_at(const struct one job) {
    struct handle y;
    doing(&job, ", memory accesses");
    struct arrays a = make_arrays(&job);
    struct call c = make_call(&job, &a, &y);
    struct result r = judge_run(&c);
    look(&job, &a, &r, y);
    judge_note("%.2f sectors read for 128 weights", judge_sectors_read(&r.answer.counters) / (a.q.size() / 128.0));
}

/* More rows than a grid that was made for one GPU has warps. Of how many there could be at most the emulator would take too long: but
 * a grid whose y or z grows with the rows ends at 65535. */
static void many_rows(void) {
    const int rows = 20011, most = 4 << 20;
    struct one job = shape(rows, 4, 60);
    struct handle y;
    doing(&job, "");
    struct arrays a = make_arrays(&job);
    struct call c = make_call(&job, &a, &y);
    struct result r = judge_run(&c);
    look(&job, &a, &r, y);
    const struct launch *l = &r.answer.launch[0];
    unsigned grows = l->grid[1] > l->grid[2] ? l->grid[1] : l->grid[2];
    if (r.answer.launches == 1 && grows >= 1000 && (double)grows * most / rows > 65535) {
        judge_fail("launch_error",
                   "with %d rows the grid is %u x %u x %u blocks. With %d rows it would need more than 65535 in y or "
                   "z, which no "
                   "GPU has: only x goes further.",
                   rows, l->grid[0], l->grid[1], l->grid[2], most);
    }
}

static void thrifty(void) {
    thrifty_at(shape(128, 1024, 50));
    thrifty_at(shape(256, 512, 51));
    thrifty_at(shape(300, 1024, 52));
}

static void again(void) {
    run({judge_draw(1, 200), 4 * judge_draw(1, 200), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 3),
         judge_draw(0, 50), false, judge_draw(0, 1) == 1});
    run({judge_draw(1, 40), 4 * judge_draw(200, 900), (uint64_t)judge_draw(100, 1000000), 0, 0, true, false});
    run(shape(judge_draw(1, 40), 0, (uint64_t)judge_draw(100, 1000000)));
    if (judge_on_emulator()) {
        thrifty_at(shape(16 * judge_draw(4, 9), 128 * judge_draw(4, 9), (uint64_t)judge_draw(100, 1000000)));
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"layer", "layer, shapes of every kind, from 1 x 4 to 1000 x 36", shapes, EVERYWHERE},
        {"layer", "layer without rows, and without columns", empty, EVERYWHERE},
        {"layer", "20011 rows, and a grid that could have four million", many_rows, EVERYWHERE},
        {"layer", "layer: any address, NaN, nothing past the end, in a stream", contract, EVERYWHERE},
        {"launch", "layer reports a failed launch", refused, EVERYWHERE},
        {"layer", "layer returns without waiting", busy, EVERYWHERE},
        {"layer", "layer reads each weight once, and x for several rows", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "14", {&layer}, checks, sizeof checks / sizeof checks[0]);
}
