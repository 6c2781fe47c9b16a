/* Runs tests on the emulator, without the runtime API in between. */
#ifndef EMULATED_H
#define EMULATED_H

#include "plan.h"

struct module;

#define EMULATED_KERNELS 64 /* tests per module */

bool emulated_open(void); /* false when there is no memory */

/* Loads the kernels f0, f1, ... of count tests. NULL with the reason in error. */
struct module *emulated_load(const struct plan *plans, size_t count, char *error, size_t size);

/* Runs kernel number i of a module. The outputs are masked to the bits that their operands have. False with the
 * reason in error. */
bool emulated_run(const struct plan *plan, struct module *module, size_t i, const uint64_t *inputs, uint64_t *outputs,
                  char *error, size_t size);

#endif
