/* Grader of exercise 17: linear, as lessons/lesson17_gemm_wmma/exercise.cu describes it.
 *
 * x and W are whole numbers over 1024, which fp16 has exactly. So what is expected, computed in double, differs from a right result only
 * by how sums are rounded, and the bound is that of the exercise: (inputs + 8) * 2^-24 times the largest sum or product on the way.
 * Sums in fp16 are off by hundreds of that.
 *
 * Shapes that fit the tiles and shapes that do not, sums that climb far and come back, no inputs, any address, NaN in a row, the inputs
 * unharmed, a stream, no waiting, a launch that fails, and, on the emulator, what it asks of the machine. */
// arch: sm_75 sm_80 sm_90
#include <math.h>

#include "common/grader.h"

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
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("linear, rows = %d, inputs = %d, outputs = %d, seed %llu%s%s%s%s", job->rows, job->inputs, job->outputs,
                (unsigned long long)job->seed, job->numbers == CLIMB ? ", sums that climb and come back" : "",
                job->offset ? ", arrays that are not aligned" : "", job->own_stream ? ", in a stream" : "", what);
}

/* A hint for the mistakes that are easy to recognise. */
static std::string reason(const struct one *job, const struct arrays *a, float found, size_t row, size_t output,
                          double bound) {
    double sum = dot(job, a, row, output, 0, job->inputs), bias = a->bias[output];
    int inputs = job->inputs;
    auto is = [&](double value) { return fabs(found - value) <= 4 * bound; };
    if (isnan(found)) {
        return "was something multiplied that nobody loaded? Zero times NaN is NaN, too";
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

static struct result run(const struct one job, bool count = false) {
    struct handle y;
    doing(&job, count ? ", memory accesses" : "");
    struct arrays a = make_arrays(&job);
    struct call c = make_call(&job, &a, &y);
    if (count) {
        judge_count(&c);
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
    run({32, 2048, 16, CLIMB, 41});
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

/* Products of 16 x 16 x 16, 4096 multiply-adds each, and what they ask of the machine. */
static void thrifty_at(const struct one job) {
    const double most_wavefronts = 14, most_instructions = 250, most_sectors = 2;
    double products = (double)job.rows * job.outputs * job.inputs / 4096;
    double blocks = job.rows / 64.0 * (job.outputs / 64.0),
           tiles = blocks * (64 + 64) * job.inputs * 2 / 32; /* sectors */
    struct emulatorCounters c = run(job, true).answer.counters;
    double wavefronts = (c.shared_load_wavefronts + c.shared_store_wavefronts + c.async_copy_wavefronts) / products;
    double instructions = c.warp_instructions / products, sectors = judge_sectors_read(&c) / tiles;
    if (instructions > most_instructions) {
        judge_fail("access_limit",
                   "the result is right, but for 4096 multiply-adds the warps execute %.0f instructions (limit %.0f).\n"
                   "          One wmma::mma_sync does all of them. Are the loops over fragments unrolled?",
                   instructions, most_instructions);
    }
    if (c.shared_load_requests == 0) {
        judge_fail("access_limit", "the result is right, but no tile was kept in shared memory.");
    }
    if (sectors > most_sectors) {
        judge_fail("access_limit",
                   "the result is right, but %.2f times the sectors of 32 bytes that hold a block's tiles were read "
                   "from global\n          memory (limit %.1f). Each block loads its tiles once; threads that stand "
                   "side by side load neighbours.",
                   sectors, most_sectors);
    }
    if (wavefronts > most_wavefronts) {
        judge_fail(
            "access_limit",
            "the result is right, but for 4096 multiply-adds shared memory took %.1f wavefronts (limit %.0f).\n"
            "          Load R + S fragments for R * S products; and do the rows of a tile lie in different banks?",
            wavefronts, most_wavefronts);
    }
    judge_note("for 4096 multiply-adds %.1f wavefronts (limit %.0f) and %.0f instructions (limit %.0f); %.2f times the "
               "tiles' sectors",
               wavefronts, most_wavefronts, instructions, most_instructions, sectors);
}

static void thrifty(void) {
    thrifty_at({128, 128, 128, FRACTIONS, 60});
}

static uint64_t seed(void) {
    return (uint64_t)judge_draw(10000, 1000000);
}

static void again(void) {
    run({judge_draw(1, 150), judge_draw(1, 150), judge_draw(1, 150), FRACTIONS, seed(), judge_draw(0, 3),
         judge_draw(0, 200), judge_draw(0, 1) == 1});
    run({judge_draw(1, 40), 2 * judge_draw(600, 900), judge_draw(1, 40), CLIMB, seed()});
    if (judge_on_emulator()) {
        thrifty_at({64 * judge_draw(1, 3), 32 * judge_draw(3, 5), 64 * judge_draw(1, 3), FRACTIONS, seed()});
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"linear", "shapes that fit the tiles: 64 x 64, 64 x 128, 128 x 64", whole_tiles, EVERYWHERE},
        {"linear", "any shape: 1 x 1, 31 x 33, 129 x 66, 20 x 200 and others", any_shape, EVERYWHERE},
        {"linear", "empty matrices, any address, NaN, nothing past the end, in a stream", contract, EVERYWHERE},
        {"linear", "sums are fp32, and come back exactly from where they climb", exactness, EVERYWHERE},
        {"linear", "a launch that fails is told", refused, EVERYWHERE},
        {"linear", "it returns without waiting", busy, EVERYWHERE},
        {"linear", "tensor cores, fed from tiles without bank conflicts", thrifty, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "17", {&linear}, checks, sizeof checks / sizeof checks[0]);
}
