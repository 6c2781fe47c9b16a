/* Grader of exercise 07, a moving maximum: moving_max, as lessons/lesson07_shared_memory/exercise.cu describes it.
 *
 * Many sizes, seeds and radii, shorter and longer than a block; windows that stick out at the ends, all values negative, whole windows of
 * -INFINITY, addresses that are not aligned, elements past the end, the input unharmed, a stream of the caller's, no waiting, a launch
 * that fails, and, on the emulator, how much is read from global memory. */
#include <math.h>

#include "tools/grading/grader.h"

static const struct function moving_max = FUNCTION(void, moving_max, const float *, float *, int, int, cudaStream_t);

// ---------------------------------------------------------------- the reference

/* The largest of the elements from .. to that exist. */
static float largest(const std::vector<float> &x, long long from, long long to) {
    float found = -INFINITY;
    for (long long j = from < 0 ? 0 : from; j <= to && j < (long long)x.size(); j++) {
        found = x[j] > found ? x[j] : found;
    }
    return found;
}

static std::vector<float> moving_max_cpu(const std::vector<float> &x, int radius) {
    std::vector<float> y(x.size());
    for (long long i = 0; i < (long long)x.size(); i++) {
        y[i] = largest(x, i - radius, i + radius);
    }
    return y;
}

// ---------------------------------------------------------------- one call

enum kind { MIXED, NEGATIVE, SPECIAL };

/* One call of the student's function. The offsets are in floats; `slack` elements behind the end are not its business. */
struct one {
    int n, radius;
    enum kind kind;
    int x_offset, y_offset, slack;
    uint64_t seed;
    bool own_stream;
};

/* SPECIAL: infinities and the least numbers, and a long run of -INFINITY, so that whole windows have nothing else. */
static std::vector<float> make_input(const struct one *job) {
    static const float special[] = {-INFINITY, -5.0f, -INFINITY, -0.0f, -7.0f, -1e-45f, INFINITY};
    std::vector<float> x(job->n);
    verify_random(x.data(), job->n, -6.0f, job->kind == NEGATIVE ? -1.0f : 6.0f, job->seed);
    for (int i = 0; job->kind == SPECIAL && i < job->n; i++) {
        bool alone = i >= job->n / 4 && i < job->n / 2;
        x[i] = alone ? -INFINITY : special[i * 5 % 67 % 6 + (i % 199 == 198)];
    }
    return x;
}

// ---------------------------------------------------------------- what may be read

enum { LONG = 65536, THREADS = 512, LEAST_TILE = 32 };

/* How many outputs a tile has, where each thread that writes has one of them: threads of a block, in the launches that write y. */
static double tile_of(const struct result *r, int n) {
    double tiles = 0;
    for (const struct launch &l : r->launches) {
        double threads = l.output_blocks ? (double)l.output_threads / (double)l.output_blocks : 1;
        tiles += (double)l.output_bytes / sizeof(float) / threads;
    }
    return tiles > 0 && n / tiles > LEAST_TILE ? n / tiles : LEAST_TILE;
}

/* A block reads its own elements and the halo once, from x: not from y, and not from memory of the student's own. Where the halo's length is no
 * multiple of 8, each warp's 32 floats lie in 5 sectors, not in 4; and the ends of what it reads lie within sectors. */
static void judge_economy(const struct result *r, const struct one *job, struct handle x, struct handle y) {
    const double tile = tile_of(r, job->n);
    double read = judge_sectors_of(r, x) + judge_sectors_of(r, y) + judge_sectors_elsewhere(r), whole = job->n / 8.0;
    double tiles = job->n / tile + 1, most = tiles * (1.3 * (tile + 2.0 * job->radius) / 8 + 4);
    if (job->n == 0) {
        return;
    }
    if (judge_sectors_of(r, x) < 0.9 * whole - 1) {
        judge_fail("wrong_result",
                   "the kernels read every sector of 32 bytes of x %.2f times: what is y computed from?",
                   judge_sectors_of(r, x) / whole);
    }
    if (read > most) {
        judge_fail("access_limit",
                   "the result is right, but every sector of 32 bytes was read %.2f times (limit %.2f).\n          "
                   "Load each element that the block needs once, with neighbouring threads loading neighbouring "
                   "elements,\n          and read the windows from shared memory.%s",
                   read / whole, most / whole, judge_launch_text(r).c_str());
    }
    if (job->n >= LONG) {
        judge_shared(r, THREADS, "Launch enough blocks for all outputs.");
    }
    judge_note("each sector is read %.2f times (limit %.2f)", read / whole, most / whole);
}

static struct call make_call(const struct one *job, const std::vector<float> &x, struct handle *y) {
    struct call c = judge_call(&moving_max);
    size_t size = x.size() * sizeof(float), slack = job->slack * sizeof(float);
    struct handle in = judge_input(&c, "x", x.data(), size, {job->x_offset * sizeof(float), slack});
    *y = judge_output(&c, "y", size, {job->y_offset * sizeof(float), slack});
    const struct one asked = *job;
    const struct handle out = *y;
    c.frees = true;
    c.limits = [=](const struct result *r) { judge_economy(r, &asked, in, out); };
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    judge_pass(&c, in, *y, job->n, job->radius, STREAM);
    return c;
}

static void doing(const struct one *job, const char *what) {
    static const char *const kinds[] = {"", ", all negative", ", infinities and -0.0"};
    judge_doing("moving_max, n = %d, radius = %d, seed %llu%s%s%s%s", job->n, job->radius,
                (unsigned long long)job->seed, kinds[job->kind],
                job->x_offset || job->y_offset ? ", arrays that are not 16-byte aligned" : "",
                job->own_stream ? ", in a stream" : "", what);
}

/* The mistakes that are easy to recognise: what would have led to the value that was found? */
static std::string remark(const struct one *job, const std::vector<float> &x, float found, float expected,
                          long long bad) {
    long long r = job->radius, from = bad - r, to = bad + r;
    bool sticks_out = from < 0 || to >= job->n;
    if (verify_is_poison(found)) {
        return "";
    }
    if (found == 0 && expected < 0) {
        return sticks_out
                   ? "that is 0, and no element of the window is: what does the tile contain where x does not exist?"
                   : "that is 0, and no element of the window is: what is the initial value of your maximum?";
    }
    if (isnan(found)) {
        return "no x is NaN: the tile contains NaN until it is written";
    }
    if (found > expected) {
        return "that is larger than all elements of the window: where does the window begin and end in the tile?";
    }
    if (isinf(expected)) {
        return "all elements of the window are -INFINITY: what is the initial value of your maximum?";
    }
    if (r > 0 && found == largest(x, bad, to)) {
        return "that is the largest from the middle of the window on: where in the tile does the window begin?";
    }
    if (r > 0 && found == largest(x, from, bad)) {
        return "that is the largest up to the middle of the window: where in the tile does the window end?";
    }
    if (r > 0 && found == largest(x, from, to - 1)) {
        return "the last element of the window is left out: it has 2 * radius + 1 elements";
    }
    return "its window is x[" + std::to_string(from) + "] ... x[" + std::to_string(to) + "]" +
           (sticks_out ? ", and elements that do not exist are ignored" : "");
}

static void look(const struct one *job, const std::vector<float> &x, const struct result *r, struct handle y) {
    std::vector<float> expected = moving_max_cpu(x, job->radius);
    const float *found = judge_content<float>(r, y);
    judge_compare(r, y, expected.data(), x.size(), 0, 0,
                  [&](long long bad) { return remark(job, x, found[bad], expected[bad], bad); });
    judge_rest(r);
}

static void run(const struct one job) {
    struct handle y;
    doing(&job, "");
    std::vector<float> x = make_input(&job);
    struct call c = make_call(&job, x, &y);
    struct result r = judge_run(&c);
    look(&job, x, &r, y);
}

// ---------------------------------------------------------------- the checks

static void random_input(void) {
    static const int sizes[] = {1000, 1, 31, 33, 257, 1025, 0, 20011};
    static const int radii[] = {2, 16, 0, 1};
    for (int s = 0; s < 8; s++) {
        for (int r = 0; r < 4; r++) {
            run({sizes[s], radii[r], (s + r) % 2 ? NEGATIVE : MIXED, 0, 0, 0, (uint64_t)(s + 10 * r + 1), false});
        }
    }
}

/* Halos about as long as a block, and longer; windows longer than the array. */
static void long_radii(void) {
    static const int radii[] = {100, 127, 128, 129, 255, 257, 513, 1000};
    for (int r = 0; r < 8; r++) {
        run({2500, radii[r], r % 2 ? NEGATIVE : MIXED, 0, 0, 0, (uint64_t)(r + 100), false});
    }
    run({900, 4096, NEGATIVE, 0, 0, 0, 120, false});
    run({5000, 4096, MIXED, 0, 0, 0, 122, false});
    run({3, 4095, MIXED, 0, 0, 0, 121, false});
}

static void contract(void) {
    run({1000, 3, SPECIAL, 0, 0, 0, 4, false});
    run({1003, 5, NEGATIVE, 1, 2, 0, 5, false});
    run({1003, 40, SPECIAL, 3, 1, 0, 6, false});
    run({517, 9, MIXED, 0, 3, 700, 8, false});
    run({20001, 7, MIXED, 0, 0, 0, 9, true});
}

static void refused(void) {
    const struct one job = {1000, 3, MIXED, 0, 0, 0, 10, false};
    struct handle y;
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(&job, make_input(&job), &y));
}

static void busy(void) {
    const struct one job = {1000, 3, MIXED, 0, 0, 0, 11, true};
    struct handle y;
    run(job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(&job, make_input(&job), &y));
}

/* The point of the tile: a window of 65 elements for each output, and yet each element is read about once. Here the limits of all calls are
 * judged, and of that one. */
static void thrifty(void) {
    run({65536, 32, MIXED, 0, 0, 0, 12, false});
}

static void again(void) {
    int n = judge_draw(2000, 50000), radius = judge_draw(1, 300);
    run({n, radius, (enum kind)judge_draw(0, 2), judge_draw(0, 3), judge_draw(0, 3), judge_draw(0, 99),
         (uint64_t)judge_draw(100, 1000000), judge_draw(0, 1) == 1});
    run({judge_draw(1, 200), judge_draw(0, 40), NEGATIVE, 0, 0, 0, (uint64_t)judge_draw(100, 1000000), false});
    run({judge_draw(100000, 150000), judge_draw(20, 40), MIXED, 0, 0, 0, (uint64_t)judge_draw(100, 1000000), false});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"moving_max", "radius 0 1 2 16, n = 0 1 31 33 257 1000 1025 20011", random_input, EVERYWHERE},
        {"moving_max", "radius 100 to 4096, longer than a block and longer than the array", long_radii, EVERYWHERE},
        {"moving_max", "infinities and -0.0, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"moving_max", "it returns without waiting", busy, EVERYWHERE},
        {"moving_max", "a block reads each element that it needs once", thrifty, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "07", {&moving_max}, checks, sizeof checks / sizeof checks[0]);
}
