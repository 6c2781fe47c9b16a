/* Grader of exercise 17: linear, as lessons/lesson17_gemm_wmma/exercise.cu describes it.
 *
 * x and W are whole numbers over 1024, which fp16 has exactly. So what is expected, computed in double, differs from a right result only
 * by how sums are rounded, and the bound is that of the exercise: (inputs + 8) * 2^-24 times the largest sum or product on the way.
 * Sums in fp16 are off by hundreds of that.
 *
 * Shapes that fit the tiles and shapes that do not, many rows, many outputs, sums that climb far and come back, no inputs, any address, NaN in a
 * row, the inputs unharmed, a stream, no waiting, a launch that fails, and, on the emulator, in every run, what it asks of the machine. */
// arch: sm_75 sm_80 sm_90
#include <math.h>

#include "tools/grading/grader.h"

struct __half;

static const struct function linear =
    FUNCTION(void, linear, const __half *, const __half *, const float *, float *, int, int, int, cudaStream_t);

// ---------------------------------------------------------------- inputs

enum numbers {
    FRACTIONS,
    CLIMB,
    WITH_NAN
}; /* CLIMB: the second half of the products takes away what the first has added */

struct one {
    int rows, inputs, outputs;
    enum numbers numbers;
    uint64_t seed;
    int offset, slack; /* in elements, of each array */
    bool own_stream;
};

struct arrays {
    std::vector<uint16_t> x, W; /* the bits of halves */
    std::vector<float> bias;
};

/* The bits of whole / 1024 as a half; |whole| is at most 2047. */
static uint16_t half_bits(int whole) {
    unsigned size = (unsigned)abs(whole), exponent = 15 + 10;
    if (size == 0) {
        return 0;
    }
    for (; size < 1024; size *= 2) {
        exponent--;
    }
    return (uint16_t)((whole < 0 ? 0x8000 : 0) | ((exponent - 10) << 10) | (size & 1023));
}

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, size = bits & 1023;
    if (exponent == 31) {
        return NAN;
    }
    double value = exponent ? ldexp(1024 + size, exponent - 25) : ldexp(size, -24);
    return bits >> 15 ? -value : value;
}

static std::vector<uint16_t> halves(size_t n, int low, int high, uint64_t seed) {
    std::vector<uint16_t> x(n);
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL;
    for (uint16_t &h : x) {
        h = half_bits(low + (int)((verify_next(&state) >> 33) % (uint64_t)(high - low + 1)));
    }
    return x;
}

static struct arrays make_arrays(const struct one *job) {
    size_t rows = job->rows, inputs = job->inputs, outputs = job->outputs;
    int low = job->numbers == CLIMB ? 512 : -1024;
    struct arrays a = {halves(rows * inputs, low, 1024, job->seed), halves(outputs * inputs, low, 1024, job->seed + 1),
                       std::vector<float>(outputs)};
    verify_random(a.bias.data(), outputs, -1.0f, 1.0f, job->seed + 2);
    for (size_t e = 0; e < a.x.size() && job->numbers == CLIMB; e++) {
        a.x[e] ^= e % inputs >= inputs / 2 ? 0x8000 : 0;
    }
    if (job->numbers == WITH_NAN && !a.x.empty()) {
        a.x[a.x.size() / 2] = 0x7e00;
    }
    return a;
}

// ---------------------------------------------------------------- what is expected

/* The products first ... end - 1 of an element. */
static double dot(const struct one *job, const struct arrays *a, size_t row, size_t output, int first, int end) {
    double sum = 0;
    for (int k = first; k < end; k++) {
        sum += half_value(a->x[row * job->inputs + k]) * half_value(a->W[output * job->inputs + k]);
    }
    return sum;
}

struct expected {
    std::vector<float> y;
    double bound;
};

static struct expected reference(const struct one *job, const struct arrays *a) {
    struct expected e = {{}, 0};
    size_t inputs = job->inputs;
    std::vector<double> x, W;
    for (uint16_t h : a->x) {
        x.push_back(half_value(h));
    }
    for (uint16_t h : a->W) {
        W.push_back(half_value(h));
    }
    double largest = 2; /* the bias, and a product */
    for (int row = 0; row < job->rows; row++) {
        for (int output = 0; output < job->outputs; output++) {
            double sum = 0;
            for (size_t k = 0; k < inputs; k++) {
                sum += x[row * inputs + k] * W[output * inputs + k];
                largest = fabs(sum) > largest ? fabs(sum) : largest;
            }
            e.y.push_back((float)(sum + a->bias[output]));
        }
    }
    e.bound = (job->inputs + 8) * 0x1p-24 * largest;
    return e;
}

// ---------------------------------------------------------------- one call

struct arguments {
    struct handle x, W, bias;
};

static void judge_economy(const struct result *r, const struct one *job, const struct arguments *in);

static struct call make_call(const struct one *job, const struct arrays *a, struct handle *y) {
    struct place halves = {2 * (size_t)job->offset, 2 * (size_t)job->slack},
                 floats = {4 * (size_t)job->offset, 4 * (size_t)job->slack};
    struct call c = judge_call(&linear);
    struct handle x = judge_input(&c, "x", a->x.data(), a->x.size() * 2, halves),
                  W = judge_input(&c, "W", a->W.data(), a->W.size() * 2, halves),
                  bias = judge_input(&c, "bias", a->bias.data(), a->bias.size() * sizeof(float), floats);
    *y = judge_output(&c, "y", (size_t)job->rows * job->outputs * sizeof(float), floats);
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, x, W, bias, *y, job->rows, job->inputs, job->outputs, STREAM);
    const struct one asked = *job;
    c.frees = true;
    const struct arguments in = {x, W, bias};
    c.limits = [=](const struct result *r) { judge_economy(r, &asked, &in); };
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("linear, rows = %d, inputs = %d, outputs = %d, seed %llu%s%s%s%s", job->rows, job->inputs, job->outputs,
                (unsigned long long)job->seed, job->numbers == CLIMB ? ", sums that climb and come back" : "",
                job->offset ? ", arrays that are not aligned" : "", job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what it may take

/* Limits for every shape: for each product of 16 x 16 x 16, 4096 multiply-adds, and for each block's tile of y, 64 x 64, which costs as much as one more
 * step of 32 along the inputs, and then stores and adds the bias, up to four times where the inputs are divided among blocks. Tiles and steps that
 * are cut count in full. */
enum { TILE = 64, STEP = 32, PRODUCTS = TILE * TILE * STEP / 4096 };
enum { WAVEFRONTS = 10, INSTRUCTIONS = 200, TILE_WAVEFRONTS = 1600, TILE_INSTRUCTIONS = 12000 };
enum { MANY_ELEMENTS = 8 * TILE * TILE, THREADS = 256 };

struct parts {
    double blocks, products, sectors; /* the last: that hold the tiles of all steps */
    bool cut;                         /* rows of a tile may begin between two sectors */
};

static struct parts parts_of(const struct one *job) {
    struct parts p = {(double)((job->rows + TILE - 1) / TILE) * ((job->outputs + TILE - 1) / TILE), 0, 0, false};
    double steps = (job->inputs + STEP - 1) / STEP + 1;
    p.products = p.blocks * steps * PRODUCTS;
    p.sectors = p.blocks * steps * 2 * TILE * STEP * sizeof(uint16_t) / 32;
    p.cut = job->inputs % 16 || job->offset % 16;
    return p;
}

/* Without shared memory or tensor cores other limits would be exceeded first, and say less. */
static double judge_sectors(const struct result *r, const struct parts *p, const struct arguments *in) {
    const double most = p->cut ? 3 : 2,
                 sectors = judge_sectors_of(r, in->x) + judge_sectors_of(r, in->W) + judge_sectors_of(r, in->bias);
    if (sectors > most * p->sectors) {
        judge_fail("access_limit",
                   "the result is right, but %.2f times the sectors of 32 bytes that hold the blocks' tiles were read "
                   "of x, W and\n          bias (limit here: %.0f).%s\n          Each block loads its tiles once; "
                   "neighbouring threads load neighbours.",
                   sectors / p->sectors, most, judge_launch_text(r).c_str());
    }
    return sectors / p->sectors;
}

static void judge_economy(const struct result *r, const struct one *job, const struct arguments *in) {
    struct parts p = parts_of(job);
    const struct emulatorCounters *c = &r->answer.counters;
    const double most_instructions = INSTRUCTIONS * p.products + TILE_INSTRUCTIONS * p.blocks;
    const double most_wavefronts = WAVEFRONTS * p.products + TILE_WAVEFRONTS * p.blocks;
    double instructions = (double)c->warp_instructions;
    double wavefronts = (double)(c->shared_load_wavefronts + c->shared_store_wavefronts + c->async_copy_wavefronts);
    if (!judge_counted(r) || p.blocks == 0) {
        return;
    }
    if (instructions > most_instructions) {
        judge_fail(
            "access_limit",
            "the result is right, but the warps execute %.0f instructions (limit here: %.0f, of which %d for "
            "4096 multiply-adds).%s\n          One wmma::mma_sync does all of them. Are the loops over fragments "
            "unrolled?",
            instructions, most_instructions, INSTRUCTIONS, judge_launch_text(r).c_str());
    }
    double sectors = judge_sectors(r, &p, in);
    if (c->shared_load_requests == 0 && job->inputs > 0) {
        judge_fail("access_limit", "the result is right, but no tile was kept in shared memory.");
    }
    if (wavefronts > most_wavefronts) {
        judge_fail("access_limit",
                   "the result is right, but shared memory took %.0f wavefronts (limit here: %.0f, of which %d for "
                   "4096 multiply-adds).%s\n          Load R + S fragments for R * S products; and are the rows of a "
                   "tile in different banks?",
                   wavefronts, most_wavefronts, WAVEFRONTS, judge_launch_text(r).c_str());
    }
    if ((long long)job->rows * job->outputs >= MANY_ELEMENTS) {
        judge_parallel(r, THREADS, "Assign a tile of y to each block of the grid.");
    }
    judge_note("%.0f wavefronts (limit %.0f), %.0f instructions (limit %.0f), %.2f times the tiles' sectors",
               wavefronts, most_wavefronts, instructions, most_instructions, sectors);
}

// ---------------------------------------------------------------- what went wrong

/* In shared memory that no thread has written there is NaN. Where no tile is cut, what lies between the rows of a tile was read, or a part of it was
 * not filled. */
static std::string nan_reason(const struct one *job) {
    bool cut = job->rows % TILE || job->outputs % TILE || job->inputs % STEP;
    return std::string("shared memory was read that no thread has written. ") +
           (cut ? "Past the end of a matrix, the tile needs zeros (0 * NaN is NaN).\n          "
                : "Each thread fills its part of both tiles.\n          ") +
           "The third argument of load_matrix_sync is the distance between two rows of the tile in elements, its "
           "padding included:\n          BK + PAD; that of store_matrix_sync is T, for the patch";
}

/* A hint for the mistakes that are easy to recognise. */
static std::string reason(const struct one *job, const struct arrays *a, float found, size_t row, size_t output,
                          double bound) {
    double sum = dot(job, a, row, output, 0, job->inputs), bias = a->bias[output];
    int inputs = job->inputs;
    auto is = [&](double value) { return fabs(found - value) <= 4 * bound; };
    if (isnan(found)) {
        return nan_reason(job);
    }
    if (is(sum)) {
        return "the bias is missing";
    }
    for (int n = -64; n <= 64; n++) {
        size_t other = output + n;
        if (n != 0 && other < (size_t)job->outputs && is(sum + a->bias[other])) {
            return judge_print("the bias is that of column %zu", other);
        }
    }
    for (int k = inputs / 16 * 16; k >= 0 && k >= inputs - 48; k -= 16) {
        if (k < inputs && is(dot(job, a, row, output, 0, k) + bias)) {
            return judge_print("that is the sum of the first %d products of %d", k, inputs);
        }
    }
    if (job->inputs == job->outputs) {
        double turned = 0;
        for (int k = 0; k < inputs; k++) {
            turned += half_value(a->x[row * inputs + k]) * half_value(a->W[(size_t)k * inputs + output]);
        }
        if (is(turned + bias)) {
            return "that is x * W: the product is with W's transpose, whose columns are the rows of W";
        }
    }
    if (fabs(found - sum - bias) < 2000 * bound) {
        return judge_print("nearly right, but off by more than sums in fp32 can be (%.1e): in which type are they "
                           "added, and is each product there once?",
                           bound);
    }
    return "";
}

static void look(const struct one *job, const struct arrays *a, const struct result *r, struct handle y) {
    static bool launched; /* in any call so far */
    struct expected e = reference(job, a);
    const float *found = judge_content<float>(r, y);
    launched |= r->answer.launches > 0;
    if (!launched && judge_first_bad(found, e.y.data(), e.y.size(), e.bound, 0) >= 0) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    judge_compare(
        r, y, e.y.data(), e.y.size(), e.bound, 0,
        [&](long long bad) {
            size_t row = bad / job->outputs, output = bad % job->outputs;
            std::string text = verify_is_poison(found[bad]) ? "" : reason(job, a, found[bad], row, output, e.bound);
            return judge_print("that is row %zu, column %zu", row, output) + (text.empty() ? "" : "; " + text);
        },
        NOBODY_KNOWS);
    judge_rest(r);
}

static struct result run(const struct one job, bool shown = false) {
    struct handle y;
    doing(&job, "");
    struct arrays a = make_arrays(&job);
    struct call c = make_call(&job, &a, &y);
    if (shown) {
        judge_show(&c);
    }
    struct result r = judge_run(&c);
    if (job.inputs == 0 && r.answer.launches == 0 && job.rows > 0 && job.outputs > 0) {
        judge_fail("stale_output", "no kernel was launched: without inputs there are no products, but y = bias is "
                                   "still due.");
    }
    look(&job, &a, &r, y);
    return r;
}

// ---------------------------------------------------------------- the checks

static void whole_tiles(void) {
    run({64, 32, 64, FRACTIONS, 1});
    run({64, 96, 128, FRACTIONS, 2});
    run({128, 64, 64, FRACTIONS, 3});
}

static void any_shape(void) {
    static const int shapes[][3] = {{64, 45, 64},  {64, 64, 65},  {67, 64, 64},  {31, 7, 33}, {1, 1, 1},
                                    {129, 57, 66}, {20, 10, 200}, {33, 101, 13}, {5, 3, 300}, {60, 12, 68}};
    for (int s = 0; s < 10; s++) {
        run({shapes[s][0], shapes[s][1], shapes[s][2], FRACTIONS, (uint64_t)(10 + s)});
    }
}

/* Does a grid that looks like this for n rows or outputs end too early? In y and z it may have 65535 blocks; where it could need more, so many rows or
 * outputs are tried. 0: it could not. */
static int too_many(const struct result *r, int n) {
    const int grid_max = 65535, most = 1 << 20;
    const uint32_t *grid = r->answer.launch[0].grid;
    int blocks = (int)(grid[1] > grid[2] ? grid[1] : grid[2]), of_block = blocks ? (n + blocks - 1) / blocks : n;
    return (long long)of_block * grid_max < most ? of_block * grid_max + 1 : 0;
}

static void many(void) {
    const int rows = 20011, outputs = 1003;
    struct result r = run({rows, 1, 2, FRACTIONS, 20});
    int more = too_many(&r, rows);
    if (more) {
        run({more, 1, 1, FRACTIONS, 21});
    }
    r = run({1, 1, outputs, FRACTIONS, 22});
    more = too_many(&r, outputs);
    if (more) {
        run({1, 1, more, FRACTIONS, 23});
    }
}

static void contract(void) {
    run({0, 9, 9, FRACTIONS, 30});
    run({9, 9, 0, FRACTIONS, 31});
    run({40, 0, 50, FRACTIONS, 32});
    run({64, 64, 64, FRACTIONS, 33, 1});
    run({66, 40, 72, FRACTIONS, 34, 3, 100});
    run({80, 33, 70, WITH_NAN, 35});
    run({90, 70, 50, FRACTIONS, 36, 0, 0, true});
}

static void exactness(void) {
    run({32, 1000, 32, FRACTIONS, 40});
    run({32, 1024, 16, CLIMB, 41});
}

static void refused(void) {
    const struct one job = {33, 17, 31, FRACTIONS, 50};
    struct handle y;
    struct arrays a = make_arrays(&job);
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(&job, &a, &y));
}

static void busy(void) {
    const struct one job = {33, 17, 31, FRACTIONS, 51, 0, 0, true};
    struct handle y;
    run(job);
    struct arrays a = make_arrays(&job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(&job, &a, &y));
}

/* Here the limits of all calls are judged, and of one in which nothing is cut. */
static void thrifty(void) {
    run({64, 512, 64, FRACTIONS, 60}, true);
}

static uint64_t seed(void) {
    return (uint64_t)judge_draw(10000, 1000000);
}

static void again(void) {
    run({judge_draw(1, 150), judge_draw(1, 150), judge_draw(1, 150), FRACTIONS, seed(), judge_draw(0, 3),
         judge_draw(0, 200), judge_draw(0, 1) == 1});
    run({judge_draw(1, 40), 2 * judge_draw(300, 500), judge_draw(1, 40), CLIMB, seed()});
    if (judge_on_emulator()) {
        run({64 * judge_draw(1, 2), 32 * judge_draw(7, 9), 64, FRACTIONS, seed()});
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"linear", "shapes that fit the tiles: 64 x 64, 64 x 128, 128 x 64", whole_tiles, EVERYWHERE},
        {"linear", "any shape: 1 x 1, 31 x 33, 129 x 66, 20 x 200 and others", any_shape, EVERYWHERE},
        {"linear", "20011 rows, 1003 outputs, and a grid that could have a million", many, EVERYWHERE},
        {"linear", "empty matrices, any address, NaN, nothing past the end, in a stream", contract, EVERYWHERE},
        {"linear", "sums are fp32, and come back exactly from where they climb", exactness, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"linear", "it returns without waiting", busy, EVERYWHERE},
        {"linear", "tensor cores, fed from tiles without bank conflicts", thrifty, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "17", {&linear}, checks, sizeof checks / sizeof checks[0]);
}
