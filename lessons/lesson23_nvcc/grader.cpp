/* Grader of exercise 23: warp_sums and choose_image, as lessons/lesson23_nvcc/exercise.cu describes them.
 *
 * On the emulator warp_sums runs on devices of compute capability 6.1 to 12.1: with one instruction for a warp's sum, or with shuffles, or not at
 * all, with words. Everywhere: sizes around a warp and a block, any address, a stream of the caller's, no waiting, a launch that fails.
 * choose_image is compared for sets of images of all kinds, at each compute capability. */
#include <algorithm>
#include <set>
#include <stdlib.h>

#include "tools/grading/grader.h"

static const struct function warp_sums = FUNCTION(cudaError_t, warp_sums, const int *, int *, int, cudaStream_t);
static const struct function choose_image = FUNCTION(int, choose_image, const int *, int, int);

enum { WARP = 32, NO_IMAGE = cudaErrorNoKernelImageForDevice };
enum { MANY = 32 * 1024 };
enum { LOWEST = 75, HIGHEST = 90 }; // where warp_sums has to work
/* Instructions of a warp for a sum, with __reduce_add_sync and without, and for being launched. */
enum { MOST_REDUCED = 40, MOST_SHUFFLED = 64, MOST_LAUNCHED = 16 };

// ---------------------------------------------------------------- warp_sums

struct work {
    int n;
    uint64_t seed;
    size_t offset; /* of both arrays, in elements */
    bool own_stream;
};

struct arrays {
    std::vector<int> x, expected;
};

static struct arrays make_arrays(const struct work *w) {
    struct arrays a;
    std::vector<float> dice(w->n);
    verify_random(dice.data(), w->n, -1e6f, 1e6f, w->seed);
    a.expected.resize((w->n + WARP - 1) / WARP);
    for (int i = 0; i < w->n; i++) {
        a.x.push_back((int)dice[i]);
        a.expected[i / WARP] += a.x[i];
    }
    return a;
}

static void describe(const struct work *w, const char *capability, const char *what = "") {
    judge_doing("warp_sums, n = %d, seed %llu%s%s%s%s%s", w->n, (unsigned long long)w->seed,
                w->offset ? ", at another address" : "", w->own_stream ? ", in a stream" : "",
                capability ? ", on a device of compute capability " : "", capability ? capability : "", what);
}

static struct call make_call(const struct work *w, const struct arrays *a, struct handle *sums) {
    struct call c = judge_call(&warp_sums);
    struct place place = {w->offset * sizeof(int), 0};
    struct handle x = judge_input(&c, "x", a->x.data(), a->x.size() * sizeof(int), place);
    *sums = judge_output(&c, "sums", a->expected.size() * sizeof(int), place);
    judge_pass(&c, x, *sums, w->n, STREAM);
    if (w->own_stream) {
        judge_own_stream(&c);
    }
    return c;
}

// ---------------------------------------------------------------- devices that are refused

static bool contains(const struct result *r, const std::string &word) {
    return r->printed.find(word) != std::string::npos;
}

/* Of a call on a device of this capability, for which warp_sums is not. */
static void judge_refusal(const struct result *result, const char *capability) {
    const struct result &r = *result;
    if (r.answer.launches || r.answer.calls[CALL_LAUNCH]) {
        judge_fail("api_error",
                   "a kernel was launched on a device of compute capability %s, which warp_sums has to reject.",
                   capability);
    }
    if (r.ended) {
        judge_fail("crash",
                   "the program has ended in warp_sums: it returns the error, for its caller may have another device.");
    }
    if (r.answer.returned != NO_IMAGE) {
        judge_fail("api_error",
                   "warp_sums returned %s on a device of compute capability %s; it is to return "
                   "cudaErrorNoKernelImageForDevice.",
                   r.answer.error_names[0], capability);
    }
    if (!contains(result, capability) || !contains(result, "7.5") || !contains(result, "9.0")) {
        judge_fail("api_error",
                   "warp_sums has rejected the device, and printed:\n          '%s'\n          The message has to "
                   "contain three numbers: the device's %s, and the limits 7.5 and 9.0.",
                   r.printed.c_str(), capability);
    }
    if (r.to_stdout || std::count(r.printed.begin(), r.printed.end(), '\n') != 1 || r.printed.back() != '\n') {
        judge_fail("api_error",
                   "warp_sums has refused the device, and printed:\n          '%s'\n          It is one line, on %s.",
                   r.printed.c_str(),
                   r.to_stdout ? "stderr, where results are not disturbed: fprintf(stderr, ...)" : "stderr");
    }
}

// ---------------------------------------------------------------- one call

/* The GPU that is there is one for which warp_sums is not: it has refused it, as it has to. */
static bool refused_here;

static bool outside(unsigned capability) {
    return capability < LOWEST || capability > HIGHEST;
}

static void look(const struct arrays *a, const struct result *r, struct handle sums) {
    const int *found = judge_content<int>(r, sums);
    if (r->answer.returned == NO_IMAGE && !r->answer.calls[CALL_LAUNCH]) {
        judge_fail("api_error", "warp_sums has rejected a device of compute capability %u.%u, on which it has to work.",
                   r->answer.capability / 10, r->answer.capability % 10);
    }
    if (r->answer.launches == 0 && !a->x.empty() && judge_on_emulator()) {
        judge_fail("not_implemented", "no kernel was launched.");
    }
    for (size_t w = 0; w < a->expected.size(); w++) {
        if (found[w] != a->expected[w]) {
            judge_fail(found[w] == -1 ? "stale_output" : "wrong_result", "sums[%zu]: expected %d, found %d%s%s", w,
                       a->expected[w], found[w],
                       found[w] == a->x[WARP * w] ? ", which is the first element alone: where are the others added?"
                                                  : "",
                       judge_launch_text(r).c_str());
        }
    }
    if (r->answer.returned != cudaSuccess) {
        judge_fail("api_error", "warp_sums returned %s, and the sums are right: it returns cudaSuccess.",
                   r->answer.error_names[0]);
    }
    judge_rest(r);
}

/* Ends the check if the program cannot run on this device, or says that it cannot. */
static void judge_image(const struct call *c) {
    struct result r = judge_try(c);
    judge_only_looked(&r);
    bool returned = r.answer.returned == NO_IMAGE && !r.ended;
    if (returned && !r.answer.calls[CALL_LAUNCH]) {
        judge_fail("api_error", "warp_sums has rejected a device on which it has to work.%s",
                   c->job.others ? " It is the current device that counts (cudaGetDevice)." : "");
    }
    if (returned || r.answer.error_left == NO_IMAGE) {
        judge_fail("api_error",
                   "the launch has failed: the program has no image for this device. Which -gencode are in the "
                   "line '// nvcc:'?");
    }
}

/* On a device where it has to work; NULL: the one that is there. */
static struct result run(const struct work w, const char *capability = NULL, bool counted = false, int others = 0) {
    struct handle sums;
    describe(&w, capability, others ? ", which is device 1; device 0 has another one" : "");
    struct arrays a = make_arrays(&w);
    struct call c = make_call(&w, &a, &sums);
    judge_stdout(&c);
    if (others) {
        judge_on_device(&c, 1, others);
    }
    if (capability) {
        judge_as_capability(capability);
        judge_image(&c);
    }
    if (counted) {
        judge_count(&c);
    }
    struct result r = judge_run(&c);
    if (!judge_on_emulator() && outside(r.answer.capability)) {
        judge_only_looked(&r);
        judge_refusal(&r, judge_print("%u.%u", r.answer.capability / 10, r.answer.capability % 10).c_str());
        refused_here = true;
    } else {
        look(&a, &r, sums);
    }
    return r;
}

static void sums(void) {
    static const int sizes[] = {1000, 0, 1, 31, 32, 33, 255, 257, 1025, 70001};
    for (int s = 0; s < 10; s++) {
        run({sizes[s], (uint64_t)s + 1});
    }
    run({20001, 21, 1});
    run({20001, 22, 3, true});
}

static void refused(void) {
    const struct work w = {1000, 31};
    struct handle sums;
    describe(&w, NULL, ", and its launch fails");
    struct arrays a = make_arrays(&w);
    if (!refused_here) {
        judge_refused_launch(make_call(&w, &a, &sums));
    }
}

static void busy(void) {
    const struct work w = {1000, 32, 0, true};
    struct handle sums;
    run(w);
    describe(&w, NULL, " that is busy");
    struct arrays a = make_arrays(&w);
    if (!refused_here) {
        judge_busy_stream(make_call(&w, &a, &sums));
    }
}

static void refuses(const char *capability, uint64_t seed, int others = 0) {
    const struct work w = {1000, seed};
    struct handle sums;
    describe(&w, capability, others ? ", which is device 1; device 0 has another one" : "");
    struct arrays a = make_arrays(&w);
    struct call c = make_call(&w, &a, &sums);
    c.quiet = true;
    judge_stdout(&c);
    if (others) {
        judge_on_device(&c, 1, others);
    }
    judge_as_capability(capability, true);
    struct result r = judge_try(&c);
    judge_only_looked(&r);
    judge_refusal(&r, capability);
}

// ---------------------------------------------------------------- devices on which it works

/* The PTX of all kernels that were launched, as this device takes it. */
static std::string ptx_on(const struct result *r, int device) {
    std::string all;
    std::set<std::string> kernels;
    for (const struct launch &l : r->launches) {
        all += kernels.insert(l.kernel).second ? judge_ptx(l.kernel, device) : "";
    }
    return all;
}

static double warps_launched(const struct result *r) {
    double warps = 0;
    for (const struct launch &l : r->launches) {
        unsigned threads = l.block[0] * l.block[1] * l.block[2];
        warps += (double)l.grid[0] * l.grid[1] * l.grid[2] * ((threads + WARP - 1) / WARP);
    }
    return warps;
}

/* Instructions of a warp for a sum, on a device of this capability; and if it has the instruction, that is what they are. */
static double instructions_on(const char *capability, int n, uint64_t seed) {
    const struct work w = {n, seed};
    struct result r = run(w, capability, true);
    int device = (int)(10 * atof(capability) + 0.5);
    double sums = (n + WARP - 1) / WARP, instructions = (double)r.answer.counters.warp_instructions / sums;
    double most = (device >= 80 ? MOST_REDUCED : MOST_SHUFFLED) + MOST_LAUNCHED * warps_launched(&r) / sums;
    std::string ptx = ptx_on(&r, device);
    if (device >= 80 && ptx.find("redux.sync") == std::string::npos) {
        judge_fail(
            "access_limit",
            "the sums are right, but were not computed with redux.sync, to which __reduce_add_sync compiles: is "
            "__reduce_add_sync in the image that this device selects? Which __CUDA_ARCH__ was it compiled with?");
    }
    if (device >= 80 && ptx.find("shfl.sync") != std::string::npos) {
        judge_fail("access_limit", "the sums are right, but the image that this device selects has shuffles, in "
                                   "addition to __reduce_add_sync or instead of it.");
    }
    if (instructions > most) {
        judge_fail("access_limit",
                   "the sums are right, but a warp executes %.1f instructions for each of them (at most %.1f)%s",
                   instructions, most, device >= 80 ? ": one adds up, __reduce_add_sync." : ": five shuffles do it.");
    }
    return instructions;
}

static void capabilities_thrifty(void) {
    static const char *const later[] = {"9.0", "8.0", "8.6"};
    double shuffles = instructions_on("7.5", MANY, 51), most = 0;
    for (const char *capability : later) {
        most = std::max(most, instructions_on(capability, MANY, 52));
    }
    judge_note("%.1f instructions of a warp for a sum, and %.1f on a device of 7.5", most, shuffles);
}

/* The caller has chosen another device than the first: that is the one to ask. */
static void current_device(void) {
    run({1000, 53}, "9.0", false, 101);
    run({1000, 54, 0, true}, "7.5", false, 61);
    refuses("10.0", 55, 80);
    refuses("7.0", 56, 90);
}

static void capabilities(void) {
    static const char *const all[] = {"7.5", "8.0", "8.6", "8.7", "8.9", "9.0"};
    for (const char *capability : all) {
        run({1025, 41}, capability);
    }
}

static void refuses_others(void) {
    static const char *const all[] = {"7.0", "10.0", "12.0", "7.2", "6.1"};
    for (int k = 0; k < 5; k++) {
        refuses(all[k], (uint64_t)k + 61);
    }
}

// ---------------------------------------------------------------- choose_image

static bool fits(int image, int device) {
    return image < 0 ? -image <= device : image / 10 == device / 10 && image <= device;
}

/* Higher is better: machine code before PTX. */
static int worth(int image) {
    return image > 0 ? 1000 + image : -image;
}

static int chosen(const std::vector<int> &images, int device) {
    int best = -1;
    for (int i = 0; i < (int)images.size(); i++) {
        if (fits(images[i], device) && (best < 0 || worth(images[i]) > worth(images[best]))) {
            best = i;
        }
    }
    return best;
}

static std::string name_of(int image) {
    return judge_print(image > 0 ? "sm_%d" : "compute_%d", abs(image));
}

static std::string names_of(const std::vector<int> &images) {
    std::string text;
    for (int image : images) {
        text += (text.empty() ? "" : ", ") + name_of(image);
    }
    return text.empty() ? "no images" : text;
}

static std::string choice_text(const std::vector<int> &images, int choice) {
    if (choice == -1) {
        return "-1, none";
    }
    return choice < -1 || choice >= (int)images.size() ? judge_print("%d, which is no index", choice)
                                                       : judge_print("%d, ", choice) + name_of(images[choice]);
}

static const char *why(const std::vector<int> &images, int device, int choice) {
    if (choice < 0 || choice >= (int)images.size()) {
        return choice == -1 ? "an image that fits is there" : "the index of an image, or -1";
    }
    int image = images[choice];
    if (image > 0 && image / 10 != device / 10) {
        return "machine code runs on its own major version only";
    }
    if (image > 0 ? image > device : -image > device) {
        return "that is for later devices";
    }
    return image > 0 ? "another one is nearer to the device" : "there is a better one: machine code, or newer PTX";
}

static void choose(const std::vector<int> &images, int device) {
    judge_doing("choose_image, %s, on a device of compute capability %d.%d", names_of(images).c_str(), device / 10,
                device % 10);
    struct call c = judge_call(&choose_image);
    struct handle given = judge_host_input(&c, "images", images.data(), images.size() * sizeof(int));
    judge_pass(&c, given, (int)images.size(), device);
    struct result r = judge_run(&c);
    int expected = chosen(images, device);
    if (r.answer.returned != expected) {
        judge_fail("wrong_result", "expected %s, found %s: %s", choice_text(images, expected).c_str(),
                   choice_text(images, r.answer.returned).c_str(), why(images, device, r.answer.returned));
    }
    judge_rest(&r);
}

static const int devices[] = {70, 75, 80, 86, 87, 89, 90, 100, 103, 120};

/* Each of two rules may be tried against each other: machine code or PTX, lower or higher, its own major version or not. */
static void pairs(void) {
    static const int all[] = {75, 80, 86, 90, -75, -80, -86, -90, -100};
    for (int first : all) {
        for (int second : all) {
            for (int device : {75, 80, 86, 89, 100}) {
                if (first != second) {
                    choose({first, second}, device);
                }
            }
        }
    }
}

static void images(void) {
    static const std::vector<int> sets[] = {
        {75, 80, 90, -90},  {},        {-75},      {-75, -80, -90}, {-90, -75, -80}, {80},       {86, 80},
        {80, 86, -86},      {89, -75}, {-100, 90}, {75, -75, 86},   {120, -120},     {103, 100}, {70, -70, 90},
        {-80, 80, -75, 75},
    };
    for (const std::vector<int> &set : sets) {
        for (int device : devices) {
            choose(set, device);
        }
    }
}

static std::vector<int> drawn_images(void) {
    std::vector<int> all;
    int count = judge_draw(1, 6);
    while ((int)all.size() < count) {
        int image = devices[judge_draw(0, 9)] * (judge_draw(0, 1) ? 1 : -1);
        if (std::find(all.begin(), all.end(), image) == all.end()) {
            all.push_back(image);
        }
    }
    return all;
}

static void again(void) {
    static const char *const good[] = {"7.5", "8.0", "8.6", "8.9", "9.0"}, *const bad[] = {"7.0", "10.3", "12.1",
                                                                                           "11.0"};
    for (int k = 0; k < 40; k++) {
        std::vector<int> set = drawn_images();
        choose(set, devices[judge_draw(0, 9)]);
    }
    run({judge_draw(1, 3000), (uint64_t)judge_draw(100, 1000000), (size_t)judge_draw(0, 3), true});
    if (judge_on_emulator()) {
        instructions_on(good[judge_draw(0, 4)], judge_draw(1, 3000), (uint64_t)judge_draw(100, 1000000));
        refuses(bad[judge_draw(0, 3)], (uint64_t)judge_draw(100, 1000000));
    }
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"warp_sums", "warp_sums: n = 0 1 31 32 33 255 257 1000 1025 70001, any address, in a stream", sums,
         EVERYWHERE},
        {"warp_sums", "warp_sums works on devices of compute capability 7.5, 8.0, 8.6, 8.7, 8.9, 9.0", capabilities,
         ON_EMULATOR},
        {"warp_sums", "warp_sums: one instruction for a sum from 8.0 on", capabilities_thrifty, ON_EMULATOR},
        {"warp_sums", "warp_sums rejects 6.1, 7.0, 7.2, 10.0, 12.0, and reports why in a line on stderr",
         refuses_others, ON_EMULATOR},
        {"warp_sums", "warp_sums queries the current device, not always device 0", current_device, ON_EMULATOR},
        {"warp_sums", "warp_sums reports a failed launch", refused, EVERYWHERE},
        {"warp_sums", "warp_sums returns without waiting", busy, EVERYWHERE},
        {"choose_image", "choose_image: 15 sets of images on 10 devices", images, EVERYWHERE},
        {"choose_image", "choose_image: all pairs of 9 images on 5 devices", pairs, EVERYWHERE},
        JUDGE_AGAIN(again),
    };
    setenv("EMULATOR_DEVICES", "2", 1);
    return judge_main(argc, argv, "23", {&warp_sums, &choose_image}, checks, sizeof checks / sizeof checks[0]);
}
