/* Makes the second tier an observer of the machine, when the library is loaded. */
#include "machine/observer.h"
#include "profile/counters.h"
#include "tier/tier.h"

static void launch_prepares(const struct kernel *kernel) {
    tier_launch(kernel, counters_on());
}

__attribute__((constructor)) static void observe_machine(void) {
    observer.launch_prepares = launch_prepares;
    observer.interpreted = tier_spent;
}
