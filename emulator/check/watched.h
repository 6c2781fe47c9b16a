/* What is known of a watched load or store before it runs: constants of the second tier's text. */
#ifndef WATCHED_H
#define WATCHED_H

#include <stdint.h>

struct watched_access {
    uint32_t bytes;      /* of a lane */
    uint32_t mark;       /* site.mark */
    uint32_t begin, end; /* shared addresses that it may access */
};

#endif
