/* Grader of exercise 04, a picture in another size: resize, as lessons/lesson04_grids/exercise.cu describes it.
 *
 * Pictures of many shapes, higher than wide and wider than high, one pixel and none, one plane and several; pitches of
 * all kinds, with NaN between the rows of the input; the input unharmed, nothing written between the rows or behind
 * them, a stream of the caller's, no waiting, a launch that fails; and, on the emulator, how many sectors the loads and
 * the stores move. */
#include <math.h>

#include "tools/grading/grader.h"

static const struct function resize_function =
    FUNCTION(void, resize, const float *, size_t, int, int, float *, size_t, int, int, int, cudaStream_t);

// ---------------------------------------------------------------- the reference

struct size {
    int width, height, gap; // gap: floats between the end of a row and the next row
};

/* One call of the student's function. */
struct one {
    struct size in, out;
    int planes;
    uint64_t seed;
    bool own_stream;
};

/* The pictures without gaps, plane after plane. */
struct pictures {
    std::vector<float> in, expected;
};

static size_t numbers_of(struct size s, int planes) {
    return (size_t)s.width * s.height * planes;
}

static int within(int i, int n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Between which pixels a place is, and the weight of the second one. */
struct pair {
    int first;
    double weight;
};

static struct pair pair_at(double place) {
    int first = (int)floor(place);
    return {first, place - first};
}

/* The number of plane z between two columns and two rows. */
static double mix(const struct one *job, const std::vector<float> &in, struct pair u, struct pair v, int z) {
    const float *plane = in.data() + (size_t)z * job->in.width * job->in.height;
    double sum = 0;
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++) {
            double weight = (i ? u.weight : 1 - u.weight) * (j ? v.weight : 1 - v.weight);
            sum +=
                weight *
                plane[(size_t)within(v.first + j, job->in.height) * job->in.width + within(u.first + i, job->in.width)];
        }
    }
    return sum;
}

static double sample(const struct one *job, const std::vector<float> &in, double u, double v, int z) {
    return mix(job, in, pair_at(u), pair_at(v), z);
}

/* Where pixel i of n is among `among`, if its centre is at i + centre. */
static double place_among(int i, int n, int among, double centre) {
    return (i + centre) * among / n - centre;
}

static double pixel(const struct one *job, const std::vector<float> &in, int x, int y, int z, double centre) {
    return sample(job, in, place_among(x, job->out.width, job->in.width, centre),
                  place_among(y, job->out.height, job->in.height, centre), z);
}

static struct pictures draw(const struct one *job) {
    struct pictures p = {std::vector<float>(numbers_of(job->in, job->planes)), {}};
    verify_random(p.in.data(), p.in.size(), 0.0f, 1.0f, job->seed);
    for (int z = 0; z < job->planes; z++) {
        for (int y = 0; y < job->out.height; y++) {
            for (int x = 0; x < job->out.width; x++) {
                p.expected.push_back((float)pixel(job, p.in, x, y, z, 0.5));
            }
        }
    }
    return p;
}

/* In floats, where u and v have 24 bits for a whole number and a fraction. */
static double tolerance(const struct one *job) {
    return 1e-5 + 1e-6 * (job->in.width > job->in.height ? job->in.width : job->in.height);
}

// ---------------------------------------------------------------- one call

static size_t pitch_of(struct size s) {
    return (size_t)s.width + s.gap;
}

/* Rows with their gaps, which hold poison. */
static std::vector<float> with_gaps(const std::vector<float> &dense, struct size s, int planes) {
    std::vector<float> wide(pitch_of(s) * s.height * planes);
    verify_poison_host(wide.data(), wide.size() * sizeof(float));
    for (size_t row = 0; row < (size_t)s.height * planes && s.width; row++) {
        memcpy(&wide[row * pitch_of(s)], &dense[row * s.width], s.width * sizeof(float));
    }
    return wide;
}

static std::vector<float> without_gaps(const float *wide, struct size s, int planes) {
    std::vector<float> dense(numbers_of(s, planes));
    for (size_t row = 0; row < (size_t)s.height * planes && s.width; row++) {
        memcpy(&dense[row * s.width], wide + row * pitch_of(s), s.width * sizeof(float));
    }
    return dense;
}

// ---------------------------------------------------------------- what may be moved

/* Sectors for 8 pixels of a row (which fill one), and for each row, whose ends lie within sectors. A warp that stores 32 neighbours moves 4; where
 * rows are not aligned, 5, and 8 in blocks that are 8 wide. Its four loads bring as many each, a few more of `in`, which is as wide or
 * narrower. With x and y exchanged, or a piece of a row for each thread, it is 8 for 8 pixels, and 32. */
struct sectors {
    double of_8, of_row;
};
static const struct sectors store_aligned = {1.25, 2}, store_anywhere = {2.2, 2}, loads = {9, 8}, own = {8, 8};
enum { LONG = 65536, SIDE = 64, THREADS = 512 };

static void judge_sectors(const struct result *r, const struct one *job, double sectors, struct sectors limit,
                          const char *what) {
    double rows = (double)job->out.height * job->planes, most = rows * (limit.of_8 * job->out.width / 8 + limit.of_row);
    if (sectors > most) {
        judge_fail(
            "access_limit",
            "the result is right, but for %.0f pixels %.0f sectors of 32 bytes are moved by %s (limit %.0f).%s\n"
            "          The threads of a warp have neighbouring threadIdx.x. Are their pixels neighbours in a row?",
            rows * job->out.width, sectors, what, most, judge_launch_text(r).c_str());
    }
}

/* Where the picture becomes narrower, loads are as far apart as their pixels are in `in`. */
static void judge_economy(const struct result *r, const struct one *job, struct handle in, struct handle out) {
    bool larger = job->out.width >= job->in.width && job->out.height >= job->in.height;
    bool aligned = pitch_of(job->out) % 8 == 0;
    double stored = judge_sectors_written_of(r, out), loaded = judge_sectors_of(r, in);
    double eighths = (double)numbers_of(job->out, job->planes) / 8;
    if (eighths == 0) {
        return;
    }
    judge_sectors(r, job, stored, aligned ? store_aligned : store_anywhere, "stores to `out`");
    if (larger) {
        judge_sectors(r, job, loaded, loads, "loads of `in`");
        judge_sectors(r, job, judge_sectors_elsewhere(r), own, "accesses to memory of your own");
    }
    if (8 * eighths >= LONG && job->out.width >= SIDE && job->out.height >= SIDE) {
        judge_shared(r, THREADS, "Launch a thread for each pixel, in as many blocks as needed.");
    }
    judge_note("for 32 pixels %.1f sectors loaded, %.1f stored; limits: %s, %.0f", 4 * loaded / eighths,
               4 * stored / eighths, larger ? "36" : "none", 4 * (aligned ? store_aligned : store_anywhere).of_8);
}

static struct call make_call(const struct one *job, const struct pictures *p, struct handle *out) {
    struct call c = judge_call(&resize_function);
    std::vector<float> wide = with_gaps(p->in, job->in, job->planes);
    int in_pitch = (int)(pitch_of(job->in) * sizeof(float)), out_pitch = (int)(pitch_of(job->out) * sizeof(float));
    size_t size = (size_t)out_pitch * job->out.height * job->planes;
    struct handle in = judge_input(&c, "in", wide.data(), wide.size() * sizeof(float));
    *out = judge_output(&c, "out", size, {0, 64 * sizeof(float)});
    judge_rows(&c, *out, job->out.width * sizeof(float), out_pitch);
    if (job->in.width == job->out.width && job->in.height == job->out.height) {
        c.job.array[out->array].ask_bytes = 0; /* nothing is to be computed: a copy does it, too */
    }
    c.frees = true;
    const struct one shape = *job;
    const struct handle to = *out;
    c.limits = [=](const struct result *r) { judge_economy(r, &shape, in, to); };
    if (job->own_stream) {
        judge_own_stream(&c);
    }
    c.advice = "Does the guard test x and y against the size of `out`? Does a row's address use the pitch in bytes, "
               "and for `out` the pitch of `out`?\n          Are columns and rows of `in` clamped?";
    judge_pass(&c, in, in_pitch, job->in.width, job->in.height, *out, out_pitch, job->out.width, job->out.height,
               job->planes, STREAM);
    return c;
}

static void doing(const struct one *job, const char *what) {
    judge_doing("resize, %d x %d pixels to %d x %d, %d plane%s, pitches of %zu and %zu bytes, seed %llu%s%s",
                job->in.width, job->in.height, job->out.width, job->out.height, job->planes,
                job->planes == 1 ? "" : "s", pitch_of(job->in) * sizeof(float), pitch_of(job->out) * sizeof(float),
                (unsigned long long)job->seed, job->own_stream ? ", in a stream" : "", what);
}

// ---------------------------------------------------------------- what went wrong

/* A number that is wrong, and where. */
struct wrong {
    const struct one *job;
    const struct pictures *p;
    int x, y, z;
    double found;
};

static bool is(const struct wrong *w, double value) {
    return fabs(w->found - value) <= tolerance(w->job);
}

/* What the input would be if somebody took another distance between rows. `index` counts floats from its beginning. */
static bool is_sample_with(const struct wrong *w, const std::function<size_t(int x, int y)> &index) {
    const struct one *job = w->job;
    std::vector<float> wide = with_gaps(w->p->in, job->in, job->planes), other(numbers_of(job->in, 1));
    for (int y = 0; y < job->in.height; y++) {
        for (int x = 0; x < job->in.width; x++) {
            size_t k = index(x, y);
            if (k >= wide.size()) {
                return false;
            }
            other[(size_t)y * job->in.width + x] = wide[k];
        }
    }
    return is(w, pixel(job, other, w->x, w->y, 0, 0.5));
}

/* Where the corner pixels of both pictures are the same. */
static double place_by_corners(int i, int n, int among) {
    return n > 1 ? (double)i * (among - 1) / (n - 1) : 0;
}

static struct pair towards_zero(double place) {
    return {(int)place, place - (int)place};
}

/* The formula, or the weights, are wrong: not where the pixels of `in` are in memory. */
static std::string formula_reason(const struct wrong *w) {
    const struct one *job = w->job;
    const struct size in = job->in, out = job->out;
    const double u = place_among(w->x, out.width, in.width, 0.5), v = place_among(w->y, out.height, in.height, 0.5);
    const struct pair across = pair_at(u), down = pair_at(v);
    const struct guess {
        struct pair across, down;
        const char *reason;
    } guesses[] = {
        {pair_at(place_among(w->x, out.width, in.width, 0)), pair_at(place_among(w->y, out.height, in.height, 0)),
         "that is the pixel at (x * in_width / out_width, ...): the centre of a pixel is at x + 0.5"},
        {pair_at(u + 0.5), pair_at(v + 0.5),
         "that is half a pixel too far: subtract 0.5 at the end, to convert from centres to columns"},
        {pair_at(place_by_corners(w->x, out.width, in.width)), pair_at(place_by_corners(w->y, out.height, in.height)),
         "that is the pixel if both pictures have the same corner pixels, by (in_width - 1) / (out_width - 1):\n"
         "          here the centre of a pixel is at x + 0.5"},
        {towards_zero(u), towards_zero(v),
         "(int) rounds towards 0, and makes 0 of -0.5, so that the edge is extrapolated: floorf makes -1 of it"},
        {{within(across.first, in.width), across.weight},
         {within(down.first, in.height), down.weight},
         "the second pixel is at left + 1: left has to be clamped after that sum, and not before"},
        {{across.first, down.weight},
         {down.first, across.weight},
         "the weights are swapped: use to_right for left and right, down for above and below"},
        {{across.first, 1 - across.weight},
         {down.first, 1 - down.weight},
         "the weights are reversed: the nearer a pixel is, the larger its weight"},
        {{across.first, 0}, {down.first, 0}, "that is one pixel of `in`, and not an average of four"},
        {{(int)floor(u + 0.5), 0}, {(int)floor(v + 0.5), 0}, "that is one pixel of `in`, and not an average of four"},
        {pair_at((w->x + 0.5) * (in.width / out.width) - 0.5), pair_at((w->y + 0.5) * (in.height / out.height) - 0.5),
         "the scale was rounded to a whole number: in_width / out_width is a division of two int"},
        {across, {down.first, 0}, "that is an average of two pixels of a row: include the row below"},
        {{across.first, 0}, down, "that is an average of two pixels of a column: include the column on the right"},
        {pair_at((w->x + 0.5) * in.height / out.height - 0.5), down, "x was scaled with the heights"},
        {across, pair_at((w->y + 0.5) * in.width / out.width - 0.5), "y was scaled with the widths"},
    };
    for (const struct guess &g : guesses) {
        if (is(w, mix(job, w->p->in, g.across, g.down, w->z))) {
            return g.reason;
        }
    }
    return "";
}

static std::string reason_of(const struct wrong *w) {
    const struct one *job = w->job;
    size_t pitch = pitch_of(job->in), width = job->in.width, height = job->in.height, z = w->z;
    if (isnan(w->found)) {
        return job->in.gap ? "between the rows of `in` is NaN: are columns clamped, and does every address count with "
                             "the pitch?"
                           : "where does the NaN originate? `in` contains none";
    }
    std::string formula = formula_reason(w);
    if (!formula.empty()) {
        return formula;
    }
    if (z > 0 && is(w, pixel(job, w->p->in, w->x, w->y, 0, 0.5))) {
        return "that is the pixel of plane 0: does the address in `in` count the planes before z?";
    }
    if (job->in.gap && is_sample_with(w, [=](int x, int y) { return (z * height + y) * width + x; })) {
        return "that assumes that rows are in_width floats apart: they are in_pitch bytes apart";
    }
    if (job->in.gap && z > 0 && is_sample_with(w, [=](int x, int y) { return z * height * width + y * pitch + x; })) {
        return "that assumes that planes are in_height * in_width floats apart: each of their rows has in_pitch bytes";
    }
    if (is_sample_with(w, [=](int x, int y) { return (z * width + x) * height + y; })) {
        return "that assumes that `in` is stored column by column: it is stored row by row";
    }
    return "";
}

static const struct launch *last_launch(const struct result *r) {
    unsigned count = r->answer.launches < LAUNCHES_MAX ? r->answer.launches : LAUNCHES_MAX;
    const struct launch *l = count ? &r->answer.launch[count - 1] : NULL;
    bool flat = l && l->grid[1] == 1 && l->block[1] == 1; // then nobody knows who has which pixel
    return l && l->block[0] && l->block[1] && !flat ? l : NULL;
}

/* Which thread of a launch in two or three dimensions has the pixel, if each thread has one. */
static std::string owner_text(const struct result *r, const struct wrong *w) {
    const struct launch *l = last_launch(r);
    return l ? judge_print("; with one pixel per thread it belongs to thread (%u, %u) of block (%u, %u, %d)",
                           w->x % l->block[0], w->y % l->block[1], w->x / l->block[0], w->y / l->block[1], w->z)
             : "";
}

/* Why nobody may have written the pixel. */
static std::string missing_text(const struct result *r, const struct wrong *w) {
    const struct launch *l = last_launch(r);
    if (!l) {
        return "";
    }
    bool launched = w->x < (int)(l->grid[0] * l->block[0]) && w->y < (int)(l->grid[1] * l->block[1]) &&
                    w->z < (int)(l->grid[2] * l->block[2]);
    return launched ? "that was launched: is x computed from the .x members and y from the .y members, and does the "
                      "guard include it?"
                    : "that was not launched: the grid needs blocks for all columns, all rows and all planes";
}

static void look(const struct one *job, const struct pictures *p, const struct result *r, struct handle out) {
    std::vector<float> found = without_gaps(judge_content<float>(r, out), job->out, job->planes);
    long long bad = judge_first_bad(found.data(), p->expected.data(), found.size(), tolerance(job), 0);
    if (bad >= 0) {
        long long plane = (long long)job->out.width * job->out.height, in_plane = bad % plane;
        const struct wrong w = {
            job, p, (int)(in_plane % job->out.width), (int)(in_plane / job->out.width), (int)(bad / plane), found[bad]};
        std::string reason = verify_is_poison(found[bad]) ? missing_text(r, &w) : reason_of(&w);
        judge_reject(r, found.data(), p->expected.data(), found.size(), bad,
                     judge_print("that is x = %d, y = %d of plane %d%s%s%s", w.x, w.y, w.z, owner_text(r, &w).c_str(),
                                 reason.empty() ? "" : ":\n          ", reason.c_str()),
                     NOBODY_KNOWS);
    }
    judge_rest(r);
}

static void run(const struct one &job) {
    struct handle out;
    doing(&job, "");
    struct pictures p = draw(&job);
    struct call c = make_call(&job, &p, &out);
    struct result r = judge_run(&c);
    look(&job, &p, &r, out);
}

// ---------------------------------------------------------------- the checks

static void one_plane(void) {
    static const struct size all[][2] = {{{20, 30}, {40, 50}},    {{1, 1}, {1, 1}},       {{1, 1}, {33, 9}},
                                         {{31, 33}, {33, 31}},    {{64, 48}, {64, 48}},   {{7, 300}, {300, 7}},
                                         {{100, 60}, {700, 600}}, {{257, 129}, {31, 17}}, {{1025, 3}, {2, 1000}}};
    for (const struct size *size : all) {
        run({size[0], size[1], 1, 1, false});
        run({size[0], size[1], 1, 2, false});
    }
}

/* A grid has 65535 blocks in y and z at most: a picture that is higher needs blocks of several rows. */
static void very_long(void) {
    run({{2, 300}, {1, 70000}, 1, 14, false});
    run({{300, 2}, {70000, 1}, 1, 15, false});
    run({{1, 100000}, {2, 9}, 1, 16, false});
}

static void several_planes(void) {
    run({{31, 17}, {45, 33}, 3, 3, false});
    run({{45, 33}, {31, 17}, 2, 4, false});
    run({{5, 9}, {9, 5}, 100, 5, false});
    run({{640, 360}, {224, 224}, 3, 6, false});
}

static void pitches(void) {
    run({{20, 30, 12}, {40, 50, 0}, 1, 7, false});
    run({{20, 30, 0}, {40, 50, 24}, 1, 7, false});
    run({{31, 33, 1}, {33, 31, 31}, 3, 8, false});
    run({{100, 60, 28}, {37, 23, 3}, 4, 9, true});
}

static void nothing_to_do(void) {
    static const struct size some = {40, 20, 8}, flat = {9, 0, 0}, thin = {0, 9, 4}, none = {0, 0, 0};
    run({some, flat, 2, 1, false});
    run({some, thin, 2, 1, false});
    run({some, none, 1, 1, false});
    run({some, some, 0, 1, false});
    run({none, none, 3, 1, false});
}

static const struct one plain = {{31, 33, 3}, {45, 50, 2}, 2, 10, true};

static void refused(void) {
    struct handle out;
    doing(&plain, ", and the launch fails");
    struct pictures p = draw(&plain);
    judge_refused_launch(make_call(&plain, &p, &out));
}

static void busy(void) {
    struct handle out;
    run(plain);
    doing(&plain, ", and its stream is busy");
    struct pictures p = draw(&plain);
    judge_busy_stream(make_call(&plain, &p, &out));
}

/* Here the limits of all calls are judged, and of one whose rows are aligned. */
static void thrifty(void) {
    run({{200, 120, 24}, {256, 160, 0}, 3, 11, false});
}

static void again(void) {
    struct size in = {judge_draw(2, 300), judge_draw(2, 300), judge_draw(1, 40)};
    struct size out = {judge_draw(2, 300), judge_draw(2, 300), judge_draw(1, 40)};
    run({in, out, judge_draw(2, 5), (uint64_t)judge_draw(100, 1000000), judge_draw(0, 1) == 1});
    run({{judge_draw(150, 250), judge_draw(100, 200), judge_draw(0, 2)},
         {judge_draw(250, 400), judge_draw(200, 300), judge_draw(0, 64)},
         2,
         (uint64_t)judge_draw(100, 1000000),
         false});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"resize", "one plane, rows without gaps, from 1 x 1 to 1025 x 3 and 700 x 600", one_plane, EVERYWHERE},
        {"resize", "2, 3 and 100 planes", several_planes, EVERYWHERE},
        {"resize", "70000 and 100000 rows, 70000 columns", very_long, EVERYWHERE},
        {"resize", "pitches larger than a row, of either picture", pitches, EVERYWHERE},
        {"resize", "no columns, no rows, no planes", nothing_to_do, EVERYWHERE},
        {"launch", "a failed launch is reported", refused, EVERYWHERE},
        {"resize", "it returns without waiting", busy, EVERYWHERE},
        {"resize", "loads and stores are coalesced, and many threads do it", thrifty, ON_EMULATOR, LIMITS_HERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "04", {&resize_function}, checks, sizeof checks / sizeof checks[0]);
}
