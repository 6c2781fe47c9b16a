/* Grader of exercise 08: transpose and transpose_in_place, as lessons/lesson08_transpose/exercise.cu describes them.
 *
 * No two elements of an input are alike, so an element at the wrong place says where it comes from. Shapes of every kind, many matrices,
 * addresses that are not aligned, NaN and infinities, elements past the end, the input unharmed, a stream of the caller's, no waiting, a
 * launch that fails, and, on the emulator, sectors on both sides and wavefronts of shared memory. */
#include <math.h>

#include "tools/grading/grader.h"

static const struct function transpose = FUNCTION(void, transpose, const float *, float *, int, int, int, cudaStream_t);
static const struct function transpose_in_place = FUNCTION(void, transpose_in_place, float *, int, cudaStream_t);

// ---------------------------------------------------------------- one call

/* The offsets are in floats; `slack` elements behind the end are not its business. In place: count 1, rows = cols. */
struct one {
    bool in_place;
    int count, rows, cols;
    bool special; /* NaN, infinities and -0.0 among the elements */
    int in_offset, out_offset, slack;
    uint64_t seed;
    bool own_stream;
};

static struct one many(int count, int rows, int cols, uint64_t seed) {
    return {false, count, rows, cols, false, 0, 0, 0, seed, false};
}

static struct one square(int n, uint64_t seed) {
    return {true, 1, n, n, false, 0, 0, 0, seed, false};
}

/* Whole numbers below 2^24, which a float holds; an odd factor makes another number of each index. */
static std::vector<float> make_input(const struct one *job) {
    static const float special[] = {-INFINITY, -0.0f, NAN, 1e-45f, INFINITY};
    std::vector<float> x((size_t)job->count * job->rows * job->cols);
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = (float)((i * 0x9E3779B1u + job->seed * 1000003) & 0xFFFFFF);
        if (job->special && i % 7 == 3) {
            x[i] = special[i / 7 % 5];
        }
    }
    return x;
}

static std::vector<float> transpose_cpu(const struct one *job, const std::vector<float> &x) {
    std::vector<float> y(x.size());
    size_t rows = job->rows, cols = job->cols, each = rows * cols;
    for (size_t i = 0; i < x.size(); i++) {
        size_t m = i / each, r = i % each / cols, c = i % cols;
        y[m * each + c * rows + r] = x[i];
    }
    return y;
}

// ---------------------------------------------------------------- what it may take

/* The matrices, and how far from sectors and rows of banks they are. In place, tiles on the diagonal may be moved twice. */
struct shape {
    double elements, in_rows, out_rows, diagonal, by_rows, by_cols; /* the last two: pieces of 32 or fewer elements */
    bool aligned, whole;
};

static struct shape shape_of(const struct one *job) {
    double each = (double)job->count * job->rows * job->cols;
    bool aligned = (job->in_offset | job->out_offset | job->rows | job->cols) % 8 == 0;
    return {each,
            (double)job->count * job->rows,
            (double)job->count * job->cols,
            job->in_place ? 4.0 * job->rows : 0,
            (double)job->count * job->rows * ((job->cols + 31) / 32),
            (double)job->count * job->cols * ((job->rows + 31) / 32),
            aligned,
            (job->rows | job->cols) % 32 == 0};
}

enum { LONG = 65536, THREADS = 512, FEW = 64 };

/* 32 elements fill 4 sectors; where rows are not aligned, they lie in 5 of them, and 16 in 3. A row may begin and end within one. */
static void judge_sectors(const struct result *r, const struct shape *s, double read, double written) {
    const double for_8 = s->aligned ? 1.05 : 1.7, of_row = s->aligned ? 0 : 2;
    double most = for_8 * s->elements / 8 + s->diagonal + FEW, groups = s->elements / 32;
    if (s->elements >= LONG && (read < 0.95 * s->elements / 8 || written < 0.95 * s->elements / 8)) {
        judge_fail("wrong_result", "for 32 elements the kernels read %.2f sectors and write %.2f: how can that be?",
                   read / groups, written / groups);
    }
    if (read > most + of_row * s->in_rows || written > most + of_row * s->out_rows) {
        judge_fail(
            "access_limit",
            "the result is right, but for 32 elements %.2f sectors were read (limit %.2f) and %.2f written (limit "
            "%.2f).\n          Arrange the lanes of a warp along a row in both matrices, and read each element once.%s",
            read / groups, (most + of_row * s->in_rows) / groups, written / groups,
            (most + of_row * s->out_rows) / groups, judge_launch_text(r).c_str());
    }
}

/* 32 elements are one row of banks. Where tiles are not whole, some rows of banks are not, either. */
static void judge_wavefronts(const struct result *r, const struct shape *s) {
    const struct emulatorCounters *n = &r->answer.counters;
    double pieces = s->by_rows > s->by_cols ? s->by_rows : s->by_cols;
    double most = (s->whole ? 1.25 : 2.5) * pieces + s->diagonal + FEW;
    double loaded = (double)n->shared_load_wavefronts,
           stored = (double)(n->shared_store_wavefronts + n->async_copy_wavefronts);
    if (loaded > most || stored > most) {
        judge_fail("access_limit",
                   "the result is right, but for 32 elements shared memory was read in %.2f wavefronts and written in "
                   "%.2f\n          (limit %.2f). The lanes access the same bank: how long are the rows of your tile?",
                   loaded / pieces, stored / pieces, most / pieces);
    }
}

static void judge_economy(const struct result *r, const struct one *job, struct handle in, struct handle out) {
    const struct shape s = shape_of(job);
    double read = judge_sectors_of(r, in), written = judge_sectors_written_of(r, out), own = judge_sectors_elsewhere(r);
    if (s.elements < 2) {
        return;
    }
    judge_sectors(r, &s, read, written);
    judge_wavefronts(r, &s);
    if (own > 0.1 * s.elements / 8 + 1024) {
        judge_fail("access_limit",
                   "the result is right, but %.0f sectors were moved in global memory of your own%s.%s\n          Keep "
                   "waiting elements in shared memory or in registers, a tile at a time.",
                   own, job->in_place ? ": in place means without a second matrix" : "", judge_launch_text(r).c_str());
    }
    if (s.elements >= LONG) {
        judge_shared(r, THREADS, "Launch a block for each tile, or as many as the device has room for.");
    }
    judge_note("for 32 elements %.2f sectors read, %.2f written; wavefronts of shared memory %.2f and %.2f",
               read * 32 / s.elements, written * 32 / s.elements,
               (double)r->answer.counters.shared_load_wavefronts * 32 / s.elements,
               (double)r->answer.counters.shared_store_wavefronts * 32 / s.elements);
}

/* All races are between two writes to global memory: then what is wrong is a place, and no barrier is missing. */
static void judge_places(const struct result *r) {
    size_t races = 0, writes = 0;
    for (size_t at = 0; (at = r->printed.find("Race reported between", at)) != std::string::npos; at++) {
        std::string report = r->printed.substr(at, r->printed.find("Race reported between", at + 1) - at);
        races++;
        writes += report.find("between Write access") != std::string::npos &&
                  report.find("and Write access") != std::string::npos &&
                  report.find("__shared__") == std::string::npos && report.find("shared memory") == std::string::npos;
    }
    if (races > 0 && writes == races) {
        judge_next("compute by hand where the two threads write: matrix, row and column of `out`, and whether `out` "
                   "moves on to the matrix of the block, as `in` does");
        judge_fail(
            "race",
            "several threads wrote the same element; the threads and the element are reported above.%s\n          Each "
            "element of the result has one position and one thread: the position is wrong, and no barrier is missing.",
            judge_launch_text(r).c_str());
    }
}

static struct call make_call(const struct one *job, const std::vector<float> &x, struct handle *result) {
    struct call c = judge_call(job->in_place ? &transpose_in_place : &transpose);
    size_t size = x.size() * sizeof(float), slack = job->slack * sizeof(float);
    const struct one asked = *job;
    struct handle source = {};
    c.frees = true;
    c.at_race = judge_places;
    if (job->in_place) {
        source = *result = judge_in_out(&c, "x", x.data(), size, {job->in_offset * sizeof(float), slack});
        /* Kernels must have written these. The diagonal stays as it is, so nobody has to write it. */
        c.job.array[result->array].ask_from += job->rows > 1 ? sizeof(float) : 0;
        c.job.array[result->array].ask_bytes = job->rows > 1 ? job->rows * sizeof(float) : 0;
    } else {
        struct handle in = source = judge_input(&c, "in", x.data(), size, {job->in_offset * sizeof(float), slack});
        *result = judge_output(&c, "out", size, {job->out_offset * sizeof(float), slack});
        judge_pass(&c, in, *result, job->count, job->rows, job->cols, STREAM);
    }
    struct handle to = *result;
    c.limits = [=](const struct result *r) { judge_economy(r, &asked, source, to); };
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    if (job->in_place) {
        judge_pass(&c, *result, job->rows, STREAM);
    }
    return c;
}

static void doing(const struct one *job, const char *what) {
    std::string shape =
        job->in_place ? judge_print("transpose_in_place, n = %d", job->rows)
                      : judge_print("transpose, count = %d, rows = %d, cols = %d", job->count, job->rows, job->cols);
    judge_doing("%s, seed %llu%s%s%s%s", shape.c_str(), (unsigned long long)job->seed,
                job->special ? ", NaN and infinities" : "",
                job->in_offset || job->out_offset ? ", arrays that are not 16-byte aligned" : "",
                job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what went wrong?

struct place_in {
    long long matrix, row, col;
};

static struct place_in place_of(long long i, long long rows, long long cols) {
    return {i / (rows * cols), i % (rows * cols) / cols, i % cols};
}

static std::string name_of(const struct one *job, const char *array, struct place_in p) {
    return job->count > 1 ? judge_print("%s[%lld][%lld][%lld]", array, p.matrix, p.row, p.col)
                          : judge_print("%s[%lld][%lld]", array, p.row, p.col);
}

/* The mistakes that are easy to recognise: where does the value come from that was found at `to`? */
static std::string advice(const struct one *job, long long i, long long bad) {
    struct place_in from = place_of(i, job->rows, job->cols), to = place_of(bad, job->cols, job->rows);
    long long r = to.col, c = to.row; /* of in, where it should come from */
    bool same_tile = from.row / 32 == r / 32 && from.col / 32 == c / 32;
    if (from.matrix != to.matrix) {
        return "another matrix: how many tiles has one of them?";
    }
    if (i == bad) {
        return job->in_place ? "where it was before: it has not moved, or it was moved twice"
                             : "the same place: that is a copy";
    }
    if (from.row % 32 == to.row % 32 && from.col % 32 == to.col % 32 && same_tile) {
        return "the right tile, but not turned round in itself: which index of the tile is its row?";
    }
    if (from.row / 32 == to.row / 32 && from.col / 32 == to.col / 32) {
        return "the tile at the same place: the tile at (r0, c0) of in belongs to row c0 and column r0 of out";
    }
    return same_tile ? "the right tile, but another element of it" : "another tile";
}

static std::string remark(const struct one *job, const std::vector<float> &x, float found, long long bad) {
    struct place_in to = place_of(bad, job->cols, job->rows);
    std::string should = name_of(job, job->in_place ? "x" : "in", {to.matrix, to.col, to.row});
    std::string text = name_of(job, job->in_place ? "x" : "out", to) + " should be " + should;
    if (verify_is_poison(found) || job->special) {
        return text;
    }
    for (size_t i = 0; i < x.size(); i++) {
        if (x[i] == found) {
            std::string is = name_of(job, job->in_place ? "x" : "in", place_of(i, job->rows, job->cols));
            return text + ", and is " + is + ":\n          " + advice(job, (long long)i, bad);
        }
    }
    return text + ", and is no element of the input at all";
}

static void look(const struct one *job, const std::vector<float> &x, const struct result *r, struct handle y) {
    std::vector<float> expected = transpose_cpu(job, x);
    const float *found = judge_content<float>(r, y);
    judge_compare(
        r, y, expected.data(), x.size(), 0, 0, [&](long long bad) { return remark(job, x, found[bad], bad); },
        NOBODY_KNOWS);
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

// ---------------------------------------------------------------- the checks of transpose

static void one_matrix(void) {
    static const int shapes[][2] = {{64, 96}, {100, 70}, {31, 33}, {33, 31},  {32, 32}, {1, 1},    {1, 257},
                                    {257, 1}, {0, 5},    {5, 0},   {1000, 7}, {3, 500}, {129, 65}, {40, 40}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        run(many(1, shapes[s][0], shapes[s][1], s + 1));
    }
}

static void many_matrices(void) {
    run(many(2, 32, 64, 20));
    run(many(3, 50, 70, 21));
    run(many(0, 50, 70, 22));
    run(many(70, 3, 100, 23));
    run(many(5, 64, 3, 24));
    run(many(66000, 1, 2, 25));
    run(many(1, 2100000, 1, 26));
}

static void contract(void) {
    run({false, 2, 61, 35, true, 0, 0, 0, 30, false});
    run({false, 1, 64, 64, false, 1, 2, 0, 31, false});
    run({false, 3, 36, 44, false, 0, 3, 700, 32, false});
    run({false, 1, 100, 133, false, 3, 0, 50, 33, true});
}

static void refused(void) {
    const struct one job = many(1, 50, 70, 34);
    struct handle y;
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(&job, make_input(&job), &y));
}

static void busy(void) {
    struct one job = many(2, 50, 70, 35);
    struct handle y;
    job.own_stream = true;
    run(job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(&job, make_input(&job), &y));
}

/* Here the limits of all calls are judged, and of one with whole tiles. */
static void thrifty(void) {
    run(many(2, 256, 320, 40));
}

static void again(void) {
    run({false, judge_draw(1, 4), judge_draw(1, 200), judge_draw(1, 200), judge_draw(0, 1) == 1, judge_draw(0, 3),
         judge_draw(0, 3), judge_draw(0, 99), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 1) == 1});
    run(many(judge_draw(1, 3), judge_draw(200, 400), judge_draw(1, 20), (uint64_t)judge_draw(100, 1000000)));
    run({true, 1, 0, 0, false, 0, 0, 0, 1, false});
    int n = judge_draw(33, 300);
    run({true, 1, n, n, false, judge_draw(0, 3), 0, judge_draw(0, 99), (uint64_t)judge_draw(100, 1000000), true});
    run(many(1, 32 * judge_draw(5, 9), 32 * judge_draw(5, 9), (uint64_t)judge_draw(100, 1000000)));
    run(square(32 * judge_draw(13, 16), (uint64_t)judge_draw(100, 1000000)));
}

// ---------------------------------------------------------------- the checks of transpose_in_place

static void in_place(void) {
    static const int sizes[] = {64, 100, 1, 2, 31, 32, 33, 129, 0, 96};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        run(square(sizes[s], s + 50));
    }
}

static void in_place_contract(void) {
    run({true, 1, 77, 77, true, 0, 0, 0, 60, false});
    run({true, 1, 65, 65, false, 1, 0, 300, 61, false});
    run({true, 1, 130, 130, false, 2, 0, 0, 62, true});
}

static void in_place_refused(void) {
    const struct one job = square(70, 63);
    struct handle y;
    doing(&job, ", and its launch fails");
    judge_refused_launch(make_call(&job, make_input(&job), &y));
}

static void in_place_busy(void) {
    struct one job = square(70, 64);
    struct handle y;
    job.own_stream = true;
    run(job);
    doing(&job, " that is busy");
    judge_busy_stream(make_call(&job, make_input(&job), &y));
}

/* As thrifty. The long one is no multiple of anything. */
static void in_place_thrifty(void) {
    run(square(512, 65));
    run(square(1057, 66));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"transpose", "transpose, one matrix: tiles of every kind, 0 and 1", one_matrix, EVERYWHERE},
        {"transpose", "transpose, many matrices, up to 66000 of them, and 2100000 rows", many_matrices, EVERYWHERE},
        {"transpose", "transpose: NaN, any address, nothing past the end, in a stream", contract, EVERYWHERE},
        {"transpose launch", "transpose reports a failed launch", refused, EVERYWHERE},
        {"transpose", "transpose returns without waiting", busy, EVERYWHERE},
        {"transpose", "transpose: along rows on both sides, no bank conflicts, many threads", thrifty, ON_EMULATOR,
         LIMITS_HERE},
        {"in place", "transpose_in_place, n = 0 1 2 31 32 33 64 96 100 129", in_place, EVERYWHERE},
        {"in place", "transpose_in_place: NaN, any address, nothing past the end, in a stream", in_place_contract,
         EVERYWHERE},
        {"in place launch", "transpose_in_place reports a failed launch", in_place_refused, EVERYWHERE},
        {"in place", "transpose_in_place returns without waiting", in_place_busy, EVERYWHERE},
        {"in place", "transpose_in_place: each element once, along rows, no bank conflicts", in_place_thrifty,
         ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "08", {&transpose, &transpose_in_place}, checks, sizeof checks / sizeof checks[0]);
}
