/* Grader of exercise 11b, a step of a radix sort in a single scan launch: split, as lessons/lesson11b_lookback/exercise.cu describes it.
 * lessons/lesson11_scan/split.h has the checks. */
#include "tools/grading/grader.h"

#include "lessons/lesson11_scan/split.h" // uses grader.h

static const struct function split =
    FUNCTION(void, split, const unsigned *, unsigned *, int, int, unsigned long long *, cudaStream_t);

static const char advice[] =
    "A zero's position is the number of zeros before it; a one's is the number of all zeros plus the ones before it. "
    "A ticket or a\n          prefix is out of range if its word was not 0 before the first block: all 8 bytes of it "
    "(cudaMemsetAsync counts bytes).";
static const char timeout_advice[] =
    "Do tiles wait for tiles? A block may wait only for blocks that have begun, and the order in which blocks "
    "begin is\n          unspecified: if the resident blocks wait for one that cannot start yet, "
    "they deadlock. So a block takes its tile by\n          ticket (take_tile), and waits only for lower tiles. "
    "And is what a tile publishes, and what it polls, the same word?";

int main(int argc, char **argv) {
    /* 256 tiles: it shows that they look back further than 32 tiles */
    const struct split_task task = {"11b", &split,          "words", (LONGEST / TILE + 3) * 8,
                                    TILE,  LONGEST / 2 - 5, advice,  timeout_advice};
    setenv("EMULATOR_RESIDENT", "64",
           1); // fewer blocks than the device holds: a tile must not wait for one that begins later
    return split_main(argc, argv, &task, "at most 2048 elements, which are a single tile",
                      "0, 3, 50, 97 and 100 % zeros, n = 0 1 31 32 33 256 257 1000 2047 2048 2049 6145 100003 524283",
                      "words as the last call left them");
}
