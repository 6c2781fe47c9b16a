/* Grader of exercise 00: skeleton, as lessons/lesson00_skeleton/exercise.cu describes it.
 *
 * Random input of many sizes and seeds; the input unharmed; nothing written outside; in a stream; no waiting; a launch
 * that fails is told. FILL IN: what this exercise is about: an access limit, special values, unaligned arrays. */
#include "tools/grading/grader.h"

static const struct function skeleton = FUNCTION(void, skeleton, const float *, float *, int, cudaStream_t);

struct arrays {
    std::vector<float> x, expected;
};

static struct arrays make_arrays(int n, uint64_t seed) {
    struct arrays made = {std::vector<float>(n), std::vector<float>(n)};
    verify_random(made.x.data(), n, -4.0f, 4.0f, seed);
    for (int i = 0; i < n; i++) {
        made.expected[i] = 3.0f * made.x[i];
    }
    return made;
}

static struct call make_call(const struct arrays *arrays, struct handle *y) {
    int n = (int)arrays->x.size();
    struct call c = judge_call(&skeleton);
    struct handle x = judge_input(&c, "x", arrays->x.data(), n * sizeof(float));
    *y = judge_output(&c, "y", n * sizeof(float));
    judge_pass(&c, x, *y, n, STREAM);
    return c;
}

/* A hint for the mistakes that are easy to recognise. */
static std::string remark(const struct arrays *arrays, const float *found, long long bad) {
    return found[bad] == arrays->x[bad] ? "that is x, unchanged" : "";
}

static void run(int n, uint64_t seed, bool own_stream = false) {
    struct handle y;
    judge_doing("skeleton, n = %d, seed %llu%s", n, (unsigned long long)seed, own_stream ? ", in a stream" : "");
    struct arrays arrays = make_arrays(n, seed);
    struct call c = make_call(&arrays, &y);
    if (own_stream) {
        judge_own_stream(&c);
    }
    struct result r = judge_run(&c);
    const float *found = judge_content<float>(&r, y);
    judge_compare(&r, y, arrays.expected.data(), n, 1e-6, 1e-6,
                  [&](long long bad) { return remark(&arrays, found, bad); });
    judge_rest(&r);
}

// ---------------------------------------------------------------- the checks

static void random_input(void) {
    for (int n : {1000, 1, 31, 32, 33, 255, 256, 257, 1025, 0, 100003}) {
        run(n, 1);
    }
}

static void one_block(void) {
    for (int n : {1, 255, 256}) {
        run(n, 6);
    }
}

static void in_a_stream(void) {
    run(1000, 2, true);
}

static void refused(void) {
    struct handle y;
    struct arrays arrays = make_arrays(1000, 3);
    judge_doing("skeleton, n = 1000, and its launch fails");
    judge_refused_launch(make_call(&arrays, &y));
}

static void busy(void) {
    struct handle y;
    run(1000, 4);
    struct arrays arrays = make_arrays(1000, 5);
    judge_doing("skeleton, n = 1000, and the device is busy");
    judge_busy_stream(make_call(&arrays, &y));
}

static void again(void) {
    run(judge_draw(1, 255), (uint64_t)judge_draw(10, 1000000));
    run(judge_draw(256, 200000), (uint64_t)judge_draw(10, 1000000), true);
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"one block", "skeleton, one block: n = 1, 255, 256", one_block, EVERYWHERE},
        {"skeleton", "skeleton, random input, n = 0, 1, around 32 and 256, 1000, 1025, 100003", random_input,
         EVERYWHERE},
        {"skeleton", "skeleton works in the stream that it is given", in_a_stream, EVERYWHERE},
        {"skeleton", "skeleton reports a failed launch", refused, EVERYWHERE},
        {"skeleton", "skeleton returns without waiting", busy, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    return judge_main(argc, argv, "00", {&skeleton}, checks, sizeof checks / sizeof checks[0]);
}
