/* first_steps.cpp - the first step to take about a verdict. None where general advice would only repeat the message. */
#include "tools/grading/checks.h"

struct next_step first_step(const char *verdict) {
    static const struct {
        const char *verdict, *step, *tool;
    } steps[] = {
        {"not_implemented", "do the next TODO (the head of the file names the first one)", ""},
        {"nan", "evaluate your formula for such an input by hand", ""},
        {"stale_output", "find the thread that should have written it (is it launched? does the guard exclude it?)",
         ""},
        {"out_of_bounds", "compare the largest index with the length of the array, and check the guard", ""},
        {"misaligned", "check which alignment the exercise guarantees for the address", ""},
        {"race", "find what orders the second of the two accesses above after the first", ""},
        {"uninitialized", "find the thread that should have written the element above, and when", ""},
        {"divergent_barrier", "check for each thread of the block which barriers it reaches, and how often", ""},
        {"lost_lane", "compare the lanes that the mask names with those that reach that line", ""},
        {"timeout", "check for each loop and each wait what ends it, and in which thread that does not happen", ""},
        {"access_limit", "look at the line that causes it", "profile"},
        {"launch_error", "print the grid and the block just before the launch", ""},
    };
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        if (strcmp(steps[s].verdict, verdict) == 0) {
            return {steps[s].step, steps[s].tool};
        }
    }
    return {};
}
