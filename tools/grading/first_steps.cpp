/* first_steps.cpp - the first step to take about a verdict. None where general advice would only repeat the message. */
#include "tools/grading/checks.h"

struct next_step first_step(const char *verdict) {
    static const struct {
        const char *verdict, *step, *tool;
    } steps[] = {
        {"not_implemented", "do the next TODO (the head of the file names the first one)", ""},
        {"nan", "follow such an input through your formula by hand", ""},
        {"stale_output", "find the thread that should have written it (is it launched? does the guard let it pass?)",
         ""},
        {"out_of_bounds", "compare the largest index with the length of the array, and look at the guard", ""},
        {"misaligned", "ask for what alignment the address was promised", ""},
        {"race", "ask what makes the second of the two accesses above wait for the first", ""},
        {"uninitialized", "ask who should have written the element that is named above, and when", ""},
        {"divergent_barrier", "ask of each thread of the block to which barriers it comes, and how often", ""},
        {"lost_lane", "ask which lanes the mask names, and which of them come to that line", ""},
        {"timeout", "ask of each loop and each wait what makes it end, and in which thread it does not", ""},
        {"access_limit", "look at the line that does it", "profile"},
        {"launch_error", "print the grid and the block just before the launch", ""},
    };
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        if (strcmp(steps[s].verdict, verdict) == 0) {
            return {steps[s].step, steps[s].tool};
        }
    }
    return {};
}
