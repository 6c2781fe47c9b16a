/* Constants of an instrumented load or store: in the compiled code of the second tier they are literals. */
#ifndef PROBED_H
#define PROBED_H

#include <stdint.h>

struct probed_access {
    uint32_t bytes;      /* accessed by a lane */
    uint32_t record;     /* probe.record */
    uint32_t begin, end; /* the shared addresses that it may access */
};

#endif
