/* Grader of exercise 26: train, as lessons/lesson26_multi_gpu/exercise.cu says.
 *
 * The reference trains in double, on one device, with all rows: how they are divided among devices must not matter. What is left are the
 * roundings of a few hundred additions of floats, far below the tolerance; an average of averages is far above it, as the
 * devices have different numbers of rows. Devices must agree to the bit. One to eight devices, some without rows, and results that kernels
 * have written on each device. The emulator shows four devices, or three, and finds what nothing orders, between devices, too. It says on which
 * device a kernel ran and how much it did: each has to compute the gradients of its rows. */
#include <math.h>
#include <stdlib.h>

#include <algorithm>

#include "tools/grading/grader.h"

static const struct function train_function =
    FUNCTION(void, train, int, const int *, const float *, const float *, const float *, float *, int, float);

enum { INPUTS = 6, HIDDEN = 9, W1 = INPUTS * HIDDEN, B1 = HIDDEN, W2 = HIDDEN, PARAMETERS = W1 + B1 + W2 + 1 };

struct job_of {
    std::vector<int> rows; // of each device
    int steps;
    float rate;
    uint64_t seed;
};

struct data {
    std::vector<float> x, target, start;
    std::vector<double> expected;
};

// ---------------------------------------------------------------- the reference

static void gradient_of_row(const std::vector<double> &p, const float *x, float target, std::vector<double> *sum) {
    double hidden[HIDDEN], y = p[W1 + B1 + W2];
    for (int j = 0; j < HIDDEN; j++) {
        double a = p[W1 + j];
        for (int i = 0; i < INPUTS; i++) {
            a += p[j * INPUTS + i] * x[i];
        }
        hidden[j] = tanh(a);
        y += p[W1 + B1 + j] * hidden[j];
    }
    double error = y - target;
    for (int j = 0; j < HIDDEN; j++) {
        double back = error * p[W1 + B1 + j] * (1 - hidden[j] * hidden[j]);
        for (int i = 0; i < INPUTS; i++) {
            (*sum)[j * INPUTS + i] += back * x[i];
        }
        (*sum)[W1 + j] += back;
        (*sum)[W1 + B1 + j] += error * hidden[j];
    }
    (*sum)[W1 + B1 + W2] += error;
}

static struct data make_data(const struct job_of *job) {
    int all = 0;
    for (int rows : job->rows) {
        all += rows;
    }
    struct data d = {
        std::vector<float>((size_t)all * INPUTS), std::vector<float>(all), std::vector<float>(PARAMETERS), {}};
    verify_random(d.x.data(), d.x.size(), -1.0f, 1.0f, job->seed);
    verify_random(d.target.data(), d.target.size(), -2.0f, 2.0f, job->seed + 1);
    verify_random(d.start.data(), d.start.size(), -1.0f, 1.0f, job->seed + 2);
    for (size_t r = 0; r < d.target.size(); r++) {
        d.target[r] += 0.05f * (float)r; // rows differ, so an average over some of them is another one
    }
    d.expected.assign(d.start.begin(), d.start.end());
    for (int s = 0; s < job->steps; s++) {
        std::vector<double> sum(PARAMETERS);
        for (int r = 0; r < all; r++) {
            gradient_of_row(d.expected, &d.x[(size_t)r * INPUTS], d.target[r], &sum);
        }
        for (int p = 0; p < PARAMETERS; p++) {
            d.expected[p] -= job->rate * sum[p] / all;
        }
    }
    return d;
}

// ---------------------------------------------------------------- what came out

static const char *part_of(int p) {
    return p < W1 ? "w1" : p < W1 + B1 ? "b1" : p < W1 + B1 + W2 ? "w2" : "b2";
}

static std::string remark(const struct data *d, const float *found, long long bad) {
    int device = (int)(bad / PARAMETERS), p = (int)(bad % PARAMETERS);
    const char *reason = "";
    if (found[bad] == d->start[p]) {
        reason = ": that is its initial value. Is every parameter updated, on every device?";
    } else if (device > 0) {
        reason = ": device 0 was right. Does every device add up all buckets?";
    } else if (p > 0) {
        reason = ": the earlier ones are right. Is everything at its offset in the bucket?";
    } else {
        reason = ": is the sum over all devices divided by the number of all rows?";
    }
    return judge_print("that is parameter %d (%s) of device %d%s", p, part_of(p), device, reason);
}

static void judge_same_bits(const float *found, int devices) {
    for (int d = 1; d < devices; d++) {
        for (int p = 0; p < PARAMETERS; p++) {
            if (verify_bits(found[d * PARAMETERS + p]) != verify_bits(found[p])) {
                judge_fail("wrong_result",
                           "parameter %d (%s) is %.9g on device 0 and %.9g on device %d: right except for rounding, "
                           "and not identical.\n          With every step they drift apart. Adding floats in a "
                           "different order gives a different sum.",
                           p, part_of(p), found[p], found[d * PARAMETERS + p], d);
            }
        }
    }
}

/* Each device's result must be what a kernel wrote and a copy brought to the host. */
static void judge_kernels_work(const struct result *r, const float *found, size_t n) {
    std::vector<float> brought(r->harvest.size() / sizeof(float)), wanted(found, found + n);
    memcpy(brought.data(), r->harvest.data(), brought.size() * sizeof(float));
    std::sort(brought.begin(), brought.end());
    std::sort(wanted.begin(), wanted.end());
    if (!std::includes(brought.begin(), brought.end(), wanted.begin(), wanted.end())) {
        judge_fail("not_by_kernel", "the result is right, but not all of it was written by kernels and copied to the "
                                    "host: every device has to take its own steps.");
    }
}

/* How many devices the emulator shows: a fresh runner, if they are others now. */
static int shown;

static void show_devices(int count) {
    setenv("EMULATOR_DEVICES", std::to_string(count).c_str(), 1);
    if (shown != count) {
        judge_as_capability(NULL);
    }
    shown = count;
}

/* A row takes a warp more than this in each step, however it is done: 73 gradients of two operations or more. */
enum { INSTRUCTIONS_OF_ROW = 4 };

/* Device d is one of those that there are, d % shown: has each of them computed what is its own? */
static void judge_devices(const struct result *r, const struct job_of *job) {
    int devices = (int)job->rows.size();
    std::vector<double> rows(shown), instructions(shown);
    std::vector<int> launches(shown);
    for (const struct launch &l : r->launches) {
        int on = (int)((unsigned)l.device % (unsigned)shown);
        launches[on]++;
        instructions[on] += (double)l.warp_instructions;
    }
    for (int d = 0; d < devices; d++) {
        rows[d % shown] += job->rows[d];
    }
    for (int on = 0; on < shown && on < devices; on++) {
        double least = INSTRUCTIONS_OF_ROW * rows[on] * job->steps;
        if (launches[on] == 0) {
            judge_fail("not_by_kernel",
                       "the result is right, but no kernel ran on device %d: every device has to compute the gradients "
                       "of its rows and take its own steps.",
                       on);
        }
        if (instructions[on] < least) {
            judge_fail(
                "not_by_kernel",
                "the result is right, but on device %d warps executed %.0f instructions, which is too few for the "
                "gradients of %.0f rows in %d steps (at least %.0f): every device has to compute those of its rows.",
                on, instructions[on], rows[on], job->steps, least);
        }
    }
}

/* The given network takes some 700 operations for a row, and a step 2 for each bucket of each parameter. What every device computes of all rows costs
 * as many times as much. */
static void judge_own_rows(const struct result *r, const struct job_of *job) {
    int devices = (int)job->rows.size();
    double rows = 0, done = (double)r->answer.counters.float_operations / job->steps;
    for (int share : job->rows) {
        rows += share;
    }
    double most = 1000 * rows + PARAMETERS * devices * (2.0 * devices + 8);
    if (done > most) {
        judge_fail("access_limit",
                   "the result is right, but a step took %.0f floating-point operations for %.0f rows on %d device%s "
                   "(limit %.0f).\n          Each device has to compute the gradients of its own rows only.",
                   done, rows, devices, devices == 1 ? "" : "s", most);
    }
}

static void run(const struct job_of job) {
    int devices = (int)job.rows.size();
    std::string shares;
    for (int rows : job.rows) {
        shares += (shares.empty() ? "" : ", ") + std::to_string(rows);
    }
    judge_doing("train, %d device%s with %s rows, %d step%s, seed %llu", devices, devices == 1 ? "" : "s",
                shares.c_str(), job.steps, job.steps == 1 ? "" : "s", (unsigned long long)job.seed);
    struct data d = make_data(&job);
    size_t n = (size_t)devices * PARAMETERS;
    struct call c = judge_call(&train_function);
    struct handle rows = judge_host_input(&c, "rows", job.rows.data(), devices * sizeof(int)),
                  x = judge_host_input(&c, "x", d.x.data(), d.x.size() * sizeof(float)),
                  target = judge_host_input(&c, "target", d.target.data(), d.target.size() * sizeof(float)),
                  start = judge_host_input(&c, "start", d.start.data(), PARAMETERS * sizeof(float)),
                  result = judge_host_output(&c, "result", n * sizeof(float));
    judge_allow_upload(&c, 256 * (size_t)devices); // pointers of each device, in each kernel's parameters
    judge_pass(&c, devices, rows, x, target, start, result, job.steps, job.rate);
    c.job.harvest = 2;
    c.may_wait = true;
    struct result r = judge_run(&c);
    const float *found = judge_content<float>(&r, result);
    std::vector<float> expected(n);
    bool as_begun = job.steps > 0;
    for (size_t i = 0; i < n; i++) {
        expected[i] = (float)d.expected[i % PARAMETERS];
        as_begun &= found[i] == d.start[i % PARAMETERS];
    }
    if (as_begun) {
        judge_fail("not_implemented", "all parameters are as they were at the beginning.");
    }
    judge_compare(
        &r, result, expected.data(), n, 2e-5, 1e-4, [&](long long bad) { return remark(&d, found, bad); },
        NOBODY_KNOWS);
    judge_rest(&r);
    judge_same_bits(found, devices);
    if (job.steps > 0) {
        judge_kernels_work(&r, found, n);
    }
    if (job.steps > 0 && judge_counted(&r)) {
        judge_devices(&r, &job);
        judge_own_rows(&r, &job);
    }
    if (r.answer.alive) {
        judge_fail("api_error", "device memory was allocated and not freed.");
    }
    if (r.answer.objects) {
        judge_fail("api_error", "%u streams, events or graphs were made and not destroyed.", r.answer.objects);
    }
}

// ---------------------------------------------------------------- the checks

static void two_devices(void) {
    show_devices(4);
    run({{20, 20}, 1, 0.1f, 1});
    run({{20, 20}, 3, 0.1f, 2});
}

static void shares(void) {
    show_devices(4);
    run({{33, 4}, 2, 0.1f, 10});
    run({{1, 33, 12}, 3, 0.1f, 11});
    run({{5, 0, 140, 2}, 3, 0.1f, 12});
    run({{0, 0, 0, 7}, 2, 0.1f, 13});
}

static void one_device(void) {
    show_devices(4);
    run({{1}, 1, 0.2f, 20});
    run({{37}, 4, 0.1f, 21});
}

/* Two of "the devices" may be one. */
static void more_than_there_are(void) {
    show_devices(4);
    run({{9, 30, 3, 17, 5, 8}, 2, 0.1f, 40});
    run({{1, 2, 3, 4, 0, 40, 7, 8}, 2, 0.1f, 41});
    show_devices(3);
    run({{9, 30, 3, 17}, 2, 0.1f, 42});
    show_devices(1);
    run({{9, 30}, 2, 0.1f, 43});
}

static void many_steps(void) {
    show_devices(4);
    run({{9, 30, 3, 17}, 8, 0.05f, 30});
    run({{9, 30}, 0, 0.05f, 31});
}

static void again(void) {
    uint64_t seed = (uint64_t)judge_draw(100, 1000000);
    float rate = 0.01f * (float)judge_draw(2, 15);
    show_devices(judge_draw(2, 4));
    run({{judge_draw(1, 40), judge_draw(0, 40), judge_draw(41, 90)}, judge_draw(2, 4), rate, seed});
    run({{judge_draw(41, 90), judge_draw(1, 40)}, judge_draw(2, 4), rate, seed + 3});
    std::vector<int> rows(judge_draw(4, 8));
    for (int &share : rows) {
        share = judge_draw(1, 20);
    }
    run({rows, 2, rate, seed + 6});
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"train", "two devices with equal shares", two_devices, EVERYWHERE},
        {"train", "two to four devices with unequal shares, some of them empty", shares, EVERYWHERE},
        {"one device", "one device", one_device, EVERYWHERE},
        {"train", "many steps in succession, and none", many_steps, EVERYWHERE},
        {"train", "up to eight devices, more than there are", more_than_there_are, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    setenv("EMULATOR_DEVICES", "4", 1); // as many as the emulator is to show to the runner
    shown = 4;
    return judge_main(argc, argv, "26", {&train_function}, checks, sizeof checks / sizeof checks[0]);
}
