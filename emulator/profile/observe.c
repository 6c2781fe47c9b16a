/* Makes the counters observers of the machine, when the library is loaded. */
#include "machine/observer.h"
#include "profile/counters.h"

__attribute__((constructor)) static void observe_machine(void) {
    observer.counters_new = counters_new;
    observer.counters_end = counters_end;
    observer.launch_counted = counters_launch_done;
    observer.block_counted = counters_block;
    observer.count_warp = counters_warp;
    observer.count = counters_count;
    observer.run_counted = counters_run;
    observer.branch = counters_branch;
    observer.diverged = counters_diverged;
}
