/* Lesson 21: each version once, verified, and nothing timed: for compute-sanitizer, under which a race takes long. SIZE, SEED and V
 * as in the lesson.
 */
#define main lesson21_main
#include "../lesson21.cu"
#undef main

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 9);
    struct selection chosen = select_versions(VERSIONS, ROWS, options.version);
    device_print_backend();
    verify_versions(&chosen, options.size >= 0 ? (int)options.size : 1025, options.seed);
    return verify_finish("occupancy, once");
}
