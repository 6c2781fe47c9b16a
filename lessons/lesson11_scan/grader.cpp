/* Grader of exercise 11, a step of a radix sort in three launches: split, as lessons/lesson11_scan/exercise.cu describes it. split.h has the
 * checks. */
#include "tools/grading/grader.h"

#include "lessons/lesson11_scan/split.h" // uses grader.h

static const struct function split = FUNCTION(void, split, const unsigned *, unsigned *, int, int, int *, cudaStream_t);

static const char advice[] =
    "A zero's position is the number of zeros before it; a one's is the number of all zeros plus the ones before it. "
    "What the second\n          launch leaves in sums must be the zeros before each tile, the tile itself excluded.";
static const char timeout_advice[] =
    "No block waits for another one here: the next launch begins when all blocks of the last one have finished. Does "
    "each loop end,\n          and does every thread of the block reach each barrier?";

int main(int argc, char **argv) {
    /* 512 tiles: the second launch needs more than one round */
    const struct split_task task = {"11", &split,      "sums", (LONGEST / TILE + 2) * 4,
                                    256,  LONGEST - 5, advice, timeout_advice};
    return split_main(argc, argv, &task, "at most 256 elements, which a single warp has",
                      "0, 3, 50, 97 and 100 % zeros, n = 0 1 31 32 33 256 257 1000 2047 2048 2049 6145 100003 1048571",
                      "sums as the last call left them");
}
