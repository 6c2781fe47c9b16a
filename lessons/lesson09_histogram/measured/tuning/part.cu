/* part.cu - the candidates; compiled once for each PART_OF_LIST, so that the compiler's work is shared out. */
#include "sweep.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

template <int T, int B, int L, int AHEAD, int PART, int HOW> static void reading(void) {
    enter<Nothing<T>, T, B, L, AHEAD, PART, HOW, 0, 0>("reading");
}

template <int COPIES, int T, int B, int L, int RUN> static void interleaved(void) {
    char name[40];
    snprintf(name, sizeof name, "interleaved%d", COPIES);
    enter<Interleaved<T, COPIES, 0>, T, B, L, 0, 2, 1, RUN, 0>(name);
}

template <int COPIES, int T, int B, int L, int RUN> static void warps(void) {
    char name[40];
    snprintf(name, sizeof name, "warps%d", COPIES);
    enter<Warps<T, COPIES, 0>, T, B, L, 0, 2, 1, RUN, 0>(name);
}

/* The ways of finishing, with and without a launch before. */
template <int T, int B, int L, int AHEAD, int PART, int HOW, int RUN> static void lanes(void) {
    enter<Lanes<T, 0, true, 0>, T, B, L, AHEAD, PART, HOW, RUN, 0>("lanes64 one");
    enter<Lanes<T, 0, true, 0>, T, B, L, AHEAD, PART, HOW, RUN, 2>("lanes64 one");
}

template <int L, int AHEAD> static void lanes_all_parts(void) {
    lanes<1024, 1, L, AHEAD, 0, 1, 0>();
    lanes<1024, 1, L, AHEAD, 1, 1, 0>();
    lanes<1024, 1, L, AHEAD, 2, 1, 0>();
}

/* All ways of finishing. */
template <int L, int AHEAD, int PART, int RUN> static void lanes_all_ends(void) {
    enter<Lanes<1024, 0, false, 0>, 1024, 1, L, AHEAD, PART, 1, RUN, 0>("lanes64 four");
    enter<Lanes<1024, 0, true, 1>, 1024, 1, L, AHEAD, PART, 1, RUN, 0>("lanes64 rot");
    enter<Lanes<1024, 0, true, 2>, 1024, 1, L, AHEAD, PART, 1, RUN, 0>("lanes64 zeros");
    enter<Lanes<1024, 0, true, 3>, 1024, 1, L, AHEAD, PART, 1, RUN, 0>("lanes64 both");
    enter<Lanes<1024, 0, true, 0>, 1024, 1, L, AHEAD, PART, 1, RUN, 1>("lanes64 one");
    enter<Lanes<1024, 0, true, 1>, 1024, 1, L, AHEAD, PART, 1, RUN, 2>("lanes64 rot");
    enter<Lanes<1024, 0, true, 2>, 1024, 1, L, AHEAD, PART, 1, RUN, 2>("lanes64 zeros");
    enter<Lanes<1024, 0, true, 3>, 1024, 1, L, AHEAD, PART, 1, RUN, 2>("lanes64 both");
}

void JOIN(fill_, PART_OF_LIST)(void) {
#if PART_OF_LIST == 0
    enter<Global<256>, 256, 8, 4, 0, 2, 1, 0, 0>("global");
    enter<Match<256>, 256, 8, 4, 0, 2, 1, 0, 0>("match");
    enter<Bytes<128, 1>, 128, 6, 2, 1, 2, 1, 0, 0>("bytes ilp1");
    enter<Bytes<128, 2>, 128, 6, 2, 1, 2, 1, 0, 0>("bytes ilp2");
    enter<Bytes<64, 1>, 64, 13, 2, 1, 2, 1, 0, 0>("bytes ilp1");
    reading<1024, 1, 4, 0, 2, 1>();
    reading<1024, 2, 4, 0, 2, 1>();
    reading<512, 4, 4, 0, 0, 1>();
    reading<512, 4, 4, 0, 2, 1>();
    reading<256, 8, 4, 0, 0, 1>();
    reading<256, 8, 8, 0, 0, 1>();
    reading<256, 16, 8, 0, 0, 1>();
    reading<512, 8, 4, 0, 0, 1>();
    warps<1, 256, 8, 4, 0>();
    warps<1, 1024, 1, 4, 0>();
    warps<1, 1024, 2, 4, 0>();
    warps<1, 1024, 2, 4, 1>();
    warps<8, 1024, 2, 4, 0>();
    warps<32, 1024, 2, 4, 0>();
    interleaved<4, 1024, 2, 4, 0>();
    interleaved<8, 1024, 2, 4, 0>();
    interleaved<16, 1024, 2, 4, 0>();
    interleaved<32, 1024, 1, 4, 0>();
    interleaved<32, 1024, 2, 4, 0>();
    interleaved<32, 1024, 2, 4, 2>();
#elif PART_OF_LIST == 1
    lanes_all_parts<2, 0>();
    lanes_all_parts<2, 1>();
    lanes_all_parts<2, 2>();
    lanes_all_parts<4, 0>();
    lanes_all_parts<4, 1>();
    lanes_all_parts<4, 2>();
#elif PART_OF_LIST == 2
    lanes_all_parts<3, 0>();
    lanes_all_parts<3, 1>();
    lanes_all_parts<6, 0>();
    lanes_all_parts<6, 2>();
    lanes_all_parts<8, 0>();
    lanes_all_parts<8, 2>();
#elif PART_OF_LIST == 3
    lanes_all_ends<4, 0, 2, 0>();
    lanes_all_ends<4, 1, 2, 0>();
    lanes_all_ends<4, 2, 2, 0>();
    lanes_all_ends<4, 1, 2, 2>();
    lanes_all_ends<8, 0, 2, 0>();
#elif PART_OF_LIST == 4
    lanes<1024, 1, 4, 0, 2, 1, 2>();
    lanes<1024, 1, 4, 1, 2, 1, 2>();
    lanes<1024, 1, 4, 2, 2, 1, 2>();
    lanes<1024, 1, 8, 0, 2, 1, 2>();
    lanes<1024, 1, 4, 1, 2, 1, 3>();
    lanes<1024, 1, 4, 0, 2, 3, 0>();
    lanes<1024, 1, 4, 1, 2, 3, 0>();
    lanes<1024, 1, 4, 1, 2, 0, 0>();
    lanes<768, 1, 4, 1, 2, 1, 0>();
    lanes<768, 1, 6, 0, 2, 1, 0>();
    lanes<512, 1, 8, 0, 2, 1, 0>();
    lanes<512, 1, 8, 1, 2, 1, 0>();
#elif PART_OF_LIST == 5
    lanes<512, 2, 4, 0, 2, 1, 0>();
    lanes<512, 2, 4, 1, 2, 1, 0>();
    lanes<512, 2, 8, 0, 2, 1, 0>();
    lanes<512, 2, 8, 2, 2, 1, 0>();
    lanes<512, 3, 4, 1, 2, 1, 0>();
    lanes<1024, 2, 2, 1, 2, 1, 0>();
    lanes<1024, 2, 4, 0, 2, 1, 0>();
#endif
}
