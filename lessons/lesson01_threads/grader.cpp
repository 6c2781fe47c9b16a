/* Grader of exercise 01: saxpy and reverse, as lessons/lesson01_threads/exercise.cu describes them.
 *
 * For both: random input of many sizes and seeds, the sizes around a block among them; the input unharmed; nothing
 * written outside; no waiting; a failed launch is reported; no leak. Reverse copies all bits, also those of a NaN. */
#include <algorithm>

#include "tools/grading/grader.h"

static const struct function saxpy = FUNCTION(void, saxpy, float, const float *, const float *, float *, int);
static const struct function reverse_function = FUNCTION(void, reverse, const float *, float *, int);

// ---------------------------------------------------------------- the two functions, seen alike

/* Both as out = f(x, y); reverse has no y. */
struct form {
    const struct function *function;
    const char *name;
    double tolerance; /* absolute and relative; 0: every bit counts */
    enum owner owner;
};

static const struct form saxpy_form = {&saxpy, "saxpy", 1e-6, THREAD_OF_INDEX};
static const struct form reverse_form = {&reverse_function, "reverse", 0, THREAD_OF_MIRROR};

struct arrays {
    std::vector<float> x, y, expected;
};

/* -0.0, NaNs with something in them, a quiet one and a signalling one, the least number, infinity. */
static const uint32_t special_bits[] = {0x80000000, 0xffc12345, 0x7f812345, 0x00000001, 0xff800000};

static struct arrays make_arrays(const struct form *form, int n, float a, uint64_t seed, bool special = false) {
    struct arrays made = {std::vector<float>(n), std::vector<float>(n), std::vector<float>(n)};
    verify_random(made.x.data(), n, -4.0f, 4.0f, seed);
    verify_random(made.y.data(), n, -4.0f, 4.0f, seed + 100);
    for (int i = 0; special && i < n; i += 3) {
        memcpy(&made.x[i], &special_bits[i / 3 % 5], sizeof(float));
    }
    for (int i = 0; i < n; i++) {
        made.expected[i] = form == &saxpy_form ? (float)((double)a * made.x[i] + made.y[i]) : 0.0f;
    }
    if (form == &reverse_form) {
        std::reverse_copy(made.x.begin(), made.x.end(), made.expected.begin());
    }
    return made;
}

/* From so many elements on, so many threads of a launch that writes do so, and no block writes more than half. */
enum { LONG = 65536, THREADS = 512 };

static struct call make_call(const struct form *form, const struct arrays *arrays, int n, float a, struct handle *out) {
    struct call c = judge_call(form->function);
    c.frees = true;
    c.limits = [=](const struct result *r) {
        if (n >= LONG) {
            judge_shared(r, THREADS, "Launch a thread for each element, in as many blocks as needed.");
        }
    };
    size_t size = n * sizeof(float);
    if (form == &saxpy_form) {
        struct handle x = judge_input(&c, "x", arrays->x.data(), size),
                      y = judge_input(&c, "y", arrays->y.data(), size);
        *out = judge_output(&c, "out", size);
        judge_pass(&c, a, x, y, *out, n);
    } else {
        struct handle in = judge_input(&c, "in", arrays->x.data(), size);
        *out = judge_output(&c, "out", size);
        judge_pass(&c, in, *out, n);
    }
    return c;
}

// ---------------------------------------------------------------- one call

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct arrays *arrays, const float *found, int n, float a, long long bad) {
    if (verify_is_poison(found[bad])) {
        return bad == n - 1 || bad % 32 == 0 ? "are there enough blocks, and does the guard include this thread?" : "";
    }
    if (found[bad] == arrays->x[bad]) {
        return "that is the input at the same place, unchanged";
    }
    return found[bad] == arrays->x[bad] + arrays->y[bad] && a != 1 ? "that is x + y: a is missing" : "";
}

static void run(const struct form *form, int n, float a, uint64_t seed, bool special = false) {
    struct handle out;
    judge_doing("%s, n = %d, seed %llu%s", form->name, n, (unsigned long long)seed,
                special ? ", -0.0, NaN and infinities" : "");
    struct arrays arrays = make_arrays(form, n, a, seed, special);
    struct call c = make_call(form, &arrays, n, a, &out);
    struct result r = judge_run(&c);
    const float *found = judge_content<float>(&r, out);
    auto reason = [&](long long bad) { return remark(&arrays, found, n, a, bad); };
    if (form->tolerance > 0) {
        judge_compare(&r, out, arrays.expected.data(), n, form->tolerance, form->tolerance, reason, form->owner);
    } else {
        judge_compare_bits(&r, out, arrays.expected.data(), n, reason, form->owner);
    }
    judge_rest(&r);
}

// ---------------------------------------------------------------- the checks

/* An ordinary size first, for the clearest message; then the ends of blocks and of warps; the last has more blocks than a block may
 * have threads, so that grid and block cannot be exchanged. */
static const int sizes[] = {1000, 1, 31, 32, 33, 127, 128, 129, 255, 257, 1025, 0, 262147};

/* Where no block has more threads than elements, the guard does not matter yet. */
static void whole_blocks(void) {
    for (int n : {128, 256, 1280}) {
        run(&saxpy_form, n, 2.5f, 3);
    }
}

static void random_input(const struct form *form) {
    for (int n : sizes) {
        run(form, n, 2.5f, 1);
        if (n <= 1025) {
            run(form, n, -0.75f, 2);
        }
    }
    if (form == &reverse_form) {
        run(form, 1000, 1.0f, 6, true);
    }
}

template <const struct form *form> static void many_threads(void) {
    run(form, LONG, 2.5f, 7);
}

static void refused(const struct form *form) {
    struct handle out;
    struct arrays arrays = make_arrays(form, 1000, 2.5f, 3);
    judge_doing("%s, n = 1000, and its launch fails", form->name);
    judge_refused_launch(make_call(form, &arrays, 1000, 2.5f, &out));
}

static void busy(const struct form *form) {
    struct handle out;
    run(form, 1000, 2.5f, 4);
    struct arrays arrays = make_arrays(form, 1000, 2.5f, 5);
    judge_doing("%s, n = 1000, and the device is busy", form->name);
    judge_busy_stream(make_call(form, &arrays, 1000, 2.5f, &out));
}

static void again(void) {
    for (const struct form *form : {&saxpy_form, &reverse_form}) {
        run(form, judge_draw(1, 127), (float)judge_draw(2, 9), (uint64_t)judge_draw(10, 1000000));
        run(form, judge_draw(128, 200000), (float)judge_draw(2, 9) / -4, (uint64_t)judge_draw(10, 1000000));
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"saxpy, whole blocks", "saxpy, whole blocks: n = 128, 256 and 1280", whole_blocks, EVERYWHERE},
        {"saxpy", "saxpy, random input, n = 0, 1, around 32, 128 and 256, 1000, 1025, 262147",
         [] { random_input(&saxpy_form); }, EVERYWHERE},
        {"saxpy", "saxpy is the work of many threads", many_threads<&saxpy_form>, ON_EMULATOR, LIMITS_HERE},
        {"saxpy", "saxpy reports a failed launch", [] { refused(&saxpy_form); }, EVERYWHERE},
        {"saxpy", "saxpy returns without waiting", [] { busy(&saxpy_form); }, EVERYWHERE},
        {"reverse", "reverse, random input, n = 0, 1, around 32, 128 and 256, 1000, 1025, 262147",
         [] { random_input(&reverse_form); }, EVERYWHERE},
        {"reverse", "reverse is the work of many threads", many_threads<&reverse_form>, ON_EMULATOR, LIMITS_HERE},
        {"reverse", "reverse reports a failed launch", [] { refused(&reverse_form); }, EVERYWHERE},
        {"reverse", "reverse returns without waiting", [] { busy(&reverse_form); }, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "01", {&saxpy, &reverse_function}, checks, sizeof checks / sizeof checks[0]);
}
