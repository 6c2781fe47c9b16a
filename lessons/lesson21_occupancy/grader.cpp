/* Grader of exercise 21: resident_blocks, best_block, largest_tile and middle_mean, as lessons/lesson21_occupancy/exercise.cu describes them.
 *
 * The three functions are called for multiprocessors of the lesson's table and for ones that nobody has built, where each limit is the one
 * that decides; what is expected comes from the lesson's calculator. Of middle_mean's kernel ptxas says how many registers it has and what
 * had no room in them. Its result must be exact but for the order of a sum of 32 numbers. */
#include <math.h>

#include <algorithm>
#include <map>

#include "tools/grading/grader.h"
#include "lessons/lesson21_occupancy/calculator.h"

/* As the exercise has it. */
struct machine {
    int blocks, warps, registers, shared, shared_block, reserved, shared_unit;
};

static const struct function resident = FUNCTION(int, resident_blocks, const struct machine *, int, int, int),
                             best = FUNCTION(int, best_block, const struct machine *, int, int, int),
                             tile = FUNCTION(int, largest_tile, const struct machine *, int, int, int),
                             mean = FUNCTION(void, middle_mean, const float *, float *, int, cudaStream_t);

enum { SAMPLES = 64, NEEDED_WARPS = 24, MANY_PLACES = 5000, MOST_PLACES = 20000 };

// ---------------------------------------------------------------- machines

/* What none of the table's has: few registers, large pieces, no limit by places, a block that may have it all. */
static const struct limits INVENTED[] = {
    {"machine A", "", 64, 20, 24576, 48 << 10, 48 << 10, 0, 512, 32},
    {"machine B", "", 7, 96, 131072, 300 << 10, 64 << 10, 2048, 1024, 32},
    {"machine C", "", 40, 64, 65536, 100 << 10, 100 << 10, 100, 64, 32},
    {"machine D", "", 24, 46, 50000, 90000, 60000, 500, 3000, 32}, // nothing of it is a power of two
};
enum { MACHINES = ARCHITECTURE_COUNT + sizeof INVENTED / sizeof INVENTED[0] };

static struct limits machine_number(int which) {
    which %= MACHINES;
    return which < ARCHITECTURE_COUNT ? ARCHITECTURES[which] : INVENTED[which - ARCHITECTURE_COUNT];
}

static struct machine as_given(const struct limits *l) {
    return {l->blocks, l->warps, l->registers, l->shared, l->shared_block, l->reserved, l->shared_unit};
}

/* Has one of the three functions answer. */
static int answer(const struct function *f, const struct limits *l, int a, int b, int c) {
    struct machine given = as_given(l);
    struct call call = judge_call(f);
    struct handle m = judge_host_input(&call, "m", &given, sizeof given);
    judge_pass(&call, m, a, b, c);
    struct result r = judge_run(&call);
    judge_rest(&r);
    return r.answer.returned;
}

static std::string describe(const struct limits *l) {
    return judge_print(
        "%s (%d blocks, %d warps, %d registers, %d bytes of shared memory, %d a block, %d reserved, in pieces of %d)",
        l->name, l->blocks, l->warps, l->registers, l->shared, l->shared_block, l->reserved, l->shared_unit);
}

// ---------------------------------------------------------------- resident_blocks

static bool is_right(const struct limits *l, struct need n) {
    return answer(&resident, l, n.registers, n.threads, n.shared) == calculate(l, n).blocks;
}

/* Asks twice more, without registers and without shared memory, to find out which limit is wrong: "" if that does not tell. */
static std::string wrong_limit(const struct limits *l, struct need n) {
    struct residents r = calculate(l, n);
    bool few_registers = is_right(l, {1, n.threads, n.shared}), no_shared = is_right(l, {n.registers, n.threads, 0});
    if (few_registers == no_shared) {
        return "";
    }
    return judge_print(few_registers
                           ? "with 1 register a thread your answer is right, so it is the limit by registers: %d"
                           : "without shared memory your answer is right, so it is the limit by shared memory: %d",
                       r.of[few_registers ? BY_REGISTERS : BY_SHARED]);
}

/* The result of forgetting one thing, and what it is. */
static std::string resident_remark(const struct limits *l, struct need n, int found) {
    struct residents r = calculate(l, n);
    int warps = warps_of(n.threads);
    if (r.blocks == 0) {
        return r.of[BY_BLOCKS] == 0 ? "such a block fits on no SM" : "not even one block has room";
    }
    if (found == 0 && n.shared + l->reserved > l->shared_block) {
        return judge_print("a block may request all %d bytes; the %d reserved bytes are in addition", l->shared_block,
                           l->reserved);
    }
    if (found == std::min({r.of[BY_WARPS], r.of[BY_BLOCKS], r.of[BY_SHARED],
                           l->registers / (round_up(n.registers * WARP, REGISTER_UNIT) * warps)})) {
        return "the registers were counted as if they were one heap; but each scheduler has a quarter, and a warp has "
               "all of its registers "
               "in one of them";
    }
    for (int k = 0; k < LIMITERS; k++) {
        int others = l->blocks + l->warps;
        for (int j = 0; j < LIMITERS; j++) {
            others = j == k ? others : std::min(others, r.of[j]);
        }
        if (found == others && k == (int)r.limiter) {
            return judge_print("%s allow%s %d", limiter_name(r.limiter), r.limiter == BY_SHARED ? "s" : "", r.blocks);
        }
    }
    std::string wrong = found == -1 ? "" : wrong_limit(l, n);
    return !wrong.empty()
               ? wrong
               : judge_print("blocks by warps: %d, by registers: %d, by shared memory: %d, by block slots: %d",
                             r.of[BY_WARPS], r.of[BY_REGISTERS], r.of[BY_SHARED], r.of[BY_BLOCKS]);
}

static void resident_is(const struct limits *l, struct need n) {
    judge_doing("resident_blocks(%s, registers %d, threads %d, shared %d)", l->name, n.registers, n.threads, n.shared);
    int found = answer(&resident, l, n.registers, n.threads, n.shared), expected = calculate(l, n).blocks;
    if (found != expected) {
        judge_fail(found == -1 ? "not_implemented" : "wrong_result",
                   "it returned %d, and %d is right: %s.\n          %s", found, expected,
                   resident_remark(l, n, found).c_str(), describe(l).c_str());
    }
}

static void everywhere(std::initializer_list<struct need> needs) {
    for (int m = 0; m < MACHINES; m++) {
        struct limits l = machine_number(m);
        for (struct need n : needs) {
            resident_is(&l, n);
        }
    }
}

static void warps_and_places(void) {
    everywhere(
        {{16, 256, 0}, {16, 32, 0}, {16, 33, 0}, {16, 1, 0}, {16, 1000, 0}, {16, 1024, 0}, {8, 96, 0}, {8, 640, 0}});
}

static void registers(void) {
    everywhere({{64, 256, 0},
                {65, 256, 0},
                {72, 32, 0},
                {80, 128, 0},
                {96, 96, 0},
                {255, 32, 0},
                {104, 512, 0},
                {33, 1024, 0}});
}

static void shared_memory(void) {
    everywhere({{16, 64, 1}, {16, 64, 5000}, {16, 64, 16384}, {16, 64, 23000}, {16, 128, 48 << 10}, {16, 128, 33000}});
    for (int m = 0; m < MACHINES; m++) { // a block may ask for all of shared_block; what is reserved comes on top
        struct limits l = machine_number(m);
        resident_is(&l, {16, 32, l.shared_block});
        resident_is(&l, {16, 32, l.shared_block - l.reserved + 1});
    }
}

static void impossible(void) {
    everywhere({{16, 0, 0}, {16, 1025, 0}, {256, 32, 0}, {16, 32, 400 << 10}, {255, 1024, 0}});
    for (int m = 0; m < MACHINES; m++) {
        struct limits l = machine_number(m);
        resident_is(&l, {16, 32, l.shared_block + 1});
    }
}

// ---------------------------------------------------------------- the questions

static int warps_with(const struct limits *l, int registers, int threads, int fixed, int per_thread) {
    return calculate(l, {registers, threads, fixed + threads * per_thread}).warps;
}

struct kernel_need {
    int registers, fixed, per_thread;
};

static std::string best_remark(const struct limits *l, struct kernel_need k, int expected, int found) {
    int most = expected ? warps_with(l, k.registers, expected, k.fixed, k.per_thread) : 0;
    if (expected == 0) {
        return "no size of block fits, not even 32 threads";
    }
    if (found < WARP || found > BLOCK_THREADS || found % WARP) {
        return judge_print("with blocks of %d threads %d warps are resident%s", expected, most,
                           found == 0 ? "" : ", and a size is a multiple of 32 up to 1024");
    }
    int warps = warps_with(l, k.registers, found, k.fixed, k.per_thread);
    return warps == most
               ? judge_print("%d warps are resident with either; return the largest of several best sizes", most)
               : judge_print("with blocks of %d threads %d warps are resident, with %d threads %d", found, warps,
                             expected, most);
}

static void best_is(const struct limits *l, int registers, int fixed, int per_thread) {
    int expected = 0;
    for (int threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        bool more = expected == 0 ? warps_with(l, registers, threads, fixed, per_thread) > 0
                                  : warps_with(l, registers, threads, fixed, per_thread) >
                                        warps_with(l, registers, expected, fixed, per_thread);
        expected = more ? threads : expected;
    }
    judge_doing("best_block(%s, registers %d, fixed %d, per_thread %d)", l->name, registers, fixed, per_thread);
    int found = answer(&best, l, registers, fixed, per_thread);
    if (found != expected) {
        judge_fail("wrong_result", "it returned %d, and %d is right: %s.\n          %s", found, expected,
                   best_remark(l, {registers, fixed, per_thread}, expected, found).c_str(), describe(l).c_str());
    }
}

static void best_blocks(void) {
    static const int needs[][3] = {{16, 0, 0},  {40, 0, 0},     {72, 0, 0},   {255, 0, 0},    {32, 4096, 0},
                                   {32, 0, 36}, {32, 20000, 8}, {48, 0, 100}, {32, 400000, 0}};
    for (int m = 0; m < MACHINES; m++) {
        struct limits l = machine_number(m);
        for (const int *n : needs) {
            best_is(&l, n[0], n[1], n[2]);
        }
    }
}

static std::string tile_remark(const struct limits *l, struct need found, int blocks, int expected) {
    if (expected < 0) {
        return judge_print("%d blocks cannot be resident, even without shared memory", blocks);
    }
    if (found.shared > l->shared_block) {
        return judge_print("no block may have more than %d", l->shared_block);
    }
    if (found.shared < expected) {
        return judge_print("%d block%s resident with %d bytes as well", blocks, blocks == 1 ? " is" : "s are",
                           expected);
    }
    return judge_print("with %d bytes %d block%s resident", found.shared, calculate(l, found).blocks,
                       calculate(l, found).blocks == 1 ? " is" : "s are");
}

static void tile_is(const struct limits *l, int registers, int threads, int blocks) {
    int expected = -1;
    for (int too_much = l->shared_block + 1; too_much - expected > 1;) { // halves the range in which the answer lies
        int middle = expected + (too_much - expected) / 2;
        bool fits = calculate(l, {registers, threads, middle}).blocks >= blocks;
        (fits ? expected : too_much) = middle;
    }
    judge_doing("largest_tile(%s, registers %d, threads %d, blocks %d)", l->name, registers, threads, blocks);
    int found = answer(&tile, l, registers, threads, blocks);
    if (found != expected) {
        judge_fail("wrong_result", "it returned %d, and %d is right: %s.\n          %s", found, expected,
                   tile_remark(l, {registers, threads, found}, blocks, expected).c_str(), describe(l).c_str());
    }
}

static void largest_tiles(void) {
    for (int m = 0; m < MACHINES; m++) {
        struct limits l = machine_number(m);
        for (int blocks : {1, 2, 3, 4, 7, 8, 16, 30, 33}) {
            tile_is(&l, 32, 64, blocks);
        }
        tile_is(&l, 128, 256, 2);
        tile_is(&l, 128, 256, 5);
    }
}

// ---------------------------------------------------------------- middle_mean

struct problem {
    int n;
    std::vector<float> x, expected;
};

/* Of the 64 of a place: any; 16 at either end are wrong, so wrong that nothing can be computed with them; many are equal. */
enum samples { ANY, WRONG_ENDS, EQUAL_ONES };

static void spoil(float *v, size_t stride, enum samples kind, uint64_t *dice) {
    static const float wrong[] = {INFINITY, 1e30f, 3e38f, 1000.0f};
    for (int k = 0; k < SAMPLES; k++) {
        float *sample = &v[k * stride];
        if (kind == EQUAL_ONES) {
            *sample = roundf(*sample / 30.0f);
        } else if (kind == WRONG_ENDS && k < SAMPLES / 2) {
            *sample = (k % 2 ? 1.0f : -1.0f) * wrong[(verify_next(dice) >> 40) % 4];
        }
    }
    for (int k = SAMPLES - 1; k > 0 && kind == WRONG_ENDS; k--) { // the wrong ones are anywhere among the others
        std::swap(v[k * stride], v[(verify_next(dice) >> 33) % (k + 1) * stride]);
    }
}

static struct problem make_problem(int n, uint64_t seed, enum samples kind = ANY) {
    struct problem p = {n, std::vector<float>((size_t)n * SAMPLES), std::vector<float>(n)};
    uint64_t dice = seed * 0x9E3779B97F4A7C15ULL + 1;
    verify_random(p.x.data(), p.x.size(), -100.0f, 100.0f, seed);
    for (int i = 0; i < n; i++) {
        float v[SAMPLES];
        double sum = 0;
        spoil(&p.x[i], n, kind, &dice);
        for (int k = 0; k < SAMPLES; k++) {
            v[k] = p.x[(size_t)k * n + i];
        }
        std::sort(v, v + SAMPLES);
        for (int k = SAMPLES / 4; k < SAMPLES * 3 / 4; k++) {
            sum += v[k];
        }
        p.expected[i] = (float)(sum / (SAMPLES / 2));
    }
    return p;
}

static struct call mean_call(const struct problem *p, struct handle *y) {
    struct call c = judge_call(&mean);
    struct handle x = judge_input(&c, "x", p->x.data(), p->x.size() * sizeof(float));
    *y = judge_output(&c, "y", p->n * sizeof(float));
    judge_pass(&c, x, *y, p->n, STREAM);
    return c;
}

/* The launches of all runs so far: each is asked for its warps when the results are right. */
static std::vector<std::pair<int, struct launch>> launched;

static void mean_run(int n, uint64_t seed, bool own_stream, enum samples kind = ANY) {
    static const char *const kinds[] = {"", ", 16 wrong ones at either end", ", many equal ones"};
    struct handle y;
    judge_doing("middle_mean, n = %d, seed %llu%s%s", n, (unsigned long long)seed, kinds[kind],
                own_stream ? ", in a stream" : "");
    struct problem p = make_problem(n, seed, kind);
    struct call c = mean_call(&p, &y);
    if (own_stream) {
        judge_own_stream(&c);
    }
    struct result r = judge_run(&c);
    judge_compare(&r, y, p.expected.data(), n, 1e-4, 1e-5, [](long long) { return std::string(); });
    judge_rest(&r);
    if (r.answer.launches > 1) {
        judge_fail("access_limit", "%u kernels were launched, and one is enough.", r.answer.launches);
    }
    if (r.answer.launches == 1 && n > 0) {
        launched.push_back({n, r.answer.launch[0]});
    }
}

static void mean_sizes(void) {
    for (int n : {1000, 1, 31, 33, 255, 256, 257, 1025, 0}) {
        mean_run(n, 1, false);
    }
    mean_run(1000, 2, true);
    mean_run(300, 6, false, WRONG_ENDS);
    mean_run(300, 7, false, EQUAL_ONES);
    mean_run(MOST_PLACES, 8, false);
}

static void mean_refused(void) {
    struct handle y;
    struct problem p = make_problem(1000, 3);
    judge_doing("middle_mean, n = 1000, and its launch fails");
    judge_refused_launch(mean_call(&p, &y));
}

static void mean_busy(void) {
    struct handle y;
    struct problem p = make_problem(1000, 4);
    judge_doing("middle_mean, n = 1000, and the device is busy");
    judge_busy_stream(mean_call(&p, &y));
}

static struct machine_code code_of(const char *kernel) {
    static std::map<std::string, struct machine_code> known;
    auto found = known.find(kernel);
    return found != known.end() ? found->second : known[kernel] = judge_ptxas(kernel);
}

static struct residents judge_launch(int n, const struct launch *l, const struct machine_code *code) {
    int threads = (int)(l->block[0] * l->block[1] * l->block[2]);
    struct residents fit = calculate(architecture("sm_90"), {code->registers, threads, code->shared + (int)l->shared});
    judge_doing("middle_mean, n = %d: its kernel on an SM of compute capability 9.0", n);
    if (fit.warps < NEEDED_WARPS) {
        judge_fail("access_limit",
                   "the result is right, but %d registers and blocks of %d threads allow %d resident blocks, which are "
                   "%d warps, and %d are required.\n          The limit: %s.",
                   code->registers, threads, fit.blocks, fit.warps, NEEDED_WARPS, limiter_name(fit.limiter));
    }
    if (code->spill_stores || code->spill_loads) {
        judge_fail(
            "access_limit",
            "the result is right, and %d warps are resident; but with %d registers ptxas had to spill: each thread "
            "stores %d bytes in local memory and loads %d.\n          Request no more blocks than you need.",
            fit.warps, code->registers, code->spill_stores, code->spill_loads);
    }
    if (code->frame) {
        judge_fail("access_limit",
                   "the result is right, and %d warps are resident; but %d bytes of each thread's variables are in "
                   "local memory.\n          They can be in registers if every index is a compile-time constant.",
                   fit.warps, code->frame);
    }
    return fit;
}

/* Warps that read samples or write results, of those of a block that has places. The last block need not be full. */
static void judge_work(int n, const struct launch *l, const struct residents *fit) {
    double block = (double)l->block[0] * l->block[1] * l->block[2];
    double threads = (double)std::max(l->input_blocks, l->output_blocks) * block - block + 1;
    double busy = fit->warps * (double)std::max(l->input_threads, l->output_threads) / threads;
    if (n >= MANY_PLACES && busy < NEEDED_WARPS - 0.5) {
        judge_fail("access_limit",
                   "the result is right, and %d warps fit; but only as many threads as %.0f of them have read samples "
                   "or written results.\n          A thread that exits immediately hides no latency.",
                   fit->warps, busy);
    }
}

static void mean_resident(void) {
    for (const auto &[n, l] : launched) {
        struct machine_code code = code_of(l.kernel);
        struct residents fit = judge_launch(n, &l, &code);
        judge_work(n, &l, &fit);
        judge_note("%d registers, %d blocks of %u threads, %d warps, nothing spilled", code.registers, fit.blocks,
                   l.block[0] * l.block[1] * l.block[2], fit.warps);
    }
}

static void again(void) {
    for (int k = 0; k < 30; k++) {
        struct limits l = machine_number(judge_draw(0, 1000));
        l.name = "a machine";
        l.blocks = judge_draw(1, 40);
        l.warps = judge_draw(32, 96);
        l.registers = 1024 * judge_draw(8, 128);
        resident_is(&l, {judge_draw(8, 255), judge_draw(1, 1024), judge_draw(0, l.shared_block)});
        best_is(&l, judge_draw(8, 255), judge_draw(0, 20000), judge_draw(0, 40));
        tile_is(&l, judge_draw(8, 64), judge_draw(1, 256), judge_draw(1, 12));
    }
    launched.clear();
    mean_run(judge_draw(1, 3000), (uint64_t)judge_draw(10, 1000000), true, (enum samples)judge_draw(0, 2));
    mean_run(judge_draw(MANY_PLACES, MANY_PLACES + 3000), (uint64_t)judge_draw(10, 1000000), true);
    if (judge_on_emulator()) {
        mean_resident();
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"resident_blocks", "resident_blocks, limited by warps and by block slots", warps_and_places, EVERYWHERE},
        {"resident_blocks", "resident_blocks, limited by registers", registers, EVERYWHERE},
        {"resident_blocks", "resident_blocks, limited by shared memory", shared_memory, EVERYWHERE},
        {"resident_blocks", "resident_blocks, blocks that cannot be", impossible, EVERYWHERE},
        {"best_block", "best_block, for kernels of many kinds", best_blocks, EVERYWHERE},
        {"largest_tile", "largest_tile, for 1 to 33 blocks", largest_tiles, EVERYWHERE},
        {"middle_mean",
         "middle_mean, n = 0, 1, around 32 and 256, 1000, 1025, 20000, in a stream, 16 wrong at either end", mean_sizes,
         EVERYWHERE},
        {"middle_mean", "middle_mean reports a failed launch", mean_refused, EVERYWHERE},
        {"middle_mean", "middle_mean returns without waiting", mean_busy, EVERYWHERE},
        {"middle_mean", "24 warps of middle_mean are resident, and nothing is spilled", mean_resident, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "21", {&resident, &best, &tile, &mean}, checks, sizeof checks / sizeof checks[0]);
}
