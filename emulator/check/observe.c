/* Makes the checks observers of the machine and of memory, when the library is loaded. */
#include "base/checks.h"
#include "check/allocation_watch.h"
#include "check/authors.h"
#include "check/follow.h"
#include "check/managed_watch.h"
#include "check/report_parts.h"
#include "check/report.h"
#include "check/watch.h"
#include "machine/observer.h"
#include "memory/observer.h"

static void launch_begins(struct launch *l) {
    l->watch = watch_launch_begin(l);
    authors_launch_begins(l);
}

static void launch_ended(struct launch *l) {
    authors_launch_ended(l);
    if (l->watch)
        watch_launch_end(l);
}

static void follow(struct warp *w) {
    follow_begin(w);
}

static void allocated(struct allocation *a, uint8_t fill) {
    a->watch = allocation_watch_new(a);
    authors_open(a);
    if (a->kind == MEMORY_MANAGED && check_is_on(CHECK_RACE))
        managed_open(a, fill);
}

static bool host_fault(uint64_t address, bool write, const char *function) {
    if (managed_fault(address, write, function))
        return true;
    report_host_fault(address, write, function);
    return false;
}

__attribute__((constructor)) static void observe_memory(void) {
    memory_observer = (struct memory_observer){
        .allocated = allocated,
        .revived = authors_open,
        .freed = allocation_watch_freed,
        .host_fault = host_fault,
        .written = allocation_written,
        .renewed = allocation_renewed,
        .find_unwritten = allocation_find_unwritten,
    };
}

__attribute__((constructor)) static void observe_machine(void) {
    observer.found_access = report_found_access;
    observer.found = report_found;
    observer.found_in_launch = report_found_in_launch;
    observer.line = own_line_text;
    observer.launch_begins = launch_begins;
    observer.launch_ended = launch_ended;
    observer.block_begins = watch_block_start;
    observer.block_ended = watch_block_free;
    observer.barrier_opens = watch_barrier_opens;
    observer.cluster_opens = watch_cluster_opens;
    observer.block_exits = watch_block_exits;
    observer.memory_read = watch_read;
    observer.sync_executes = skipped_sync_check;
    observer.argument_printed = follow_printed;
    observer.follow = follow;
    observer.follow_on = follow_end;
    observer.run_followed = follow_run;
    observer.shuffle = follow_shuffle;
    observer.voters = follow_voters;
    observer.verdict = follow_verdict;
    observer.ballot = follow_ballot;
    observer.gather = follow_gather;
}
