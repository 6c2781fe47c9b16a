/* See watch.h. */
#include "check/watch.h"

struct launch_watch *watch_launch_begin(struct launch *launch) {
    (void)launch;
    return NULL;
}
void watch_launch_end(struct launch *launch) {
    (void)launch;
}
void watch_block_start(struct block *b) {
    (void)b;
}
void watch_block_free(struct block *b) {
    (void)b;
}
void watch_before(struct warp *w, const struct insn *in) {
    (void)w, (void)in;
}
void watch_after(struct warp *w, const struct insn *in, uint32_t mask, const struct insn *next) {
    (void)w, (void)in, (void)mask, (void)next;
}
void watch_barrier_opens(struct block *b, unsigned barrier) {
    (void)b, (void)barrier;
}
