/* What ptxas says about the candidates. */
#ifndef JUDGED_H
#define JUDGED_H

#include <stdbool.h>

#include "grammar.h"

/* Writes one module with all candidates, one per line, but those that are rejected already (NULL: none). `stop`: it ends
 * with a mistake, so that ptxas reads everything and compiles nothing. */
void judged_write(const struct grammar *p, const bool *rejected, bool stop);

/* Reads what ptxas printed about that module: marks the candidates it rejected. Returns false when ptxas did not come to the
 * end of the module: one candidate that it cannot parse is marked, and it must be asked again without it. */
bool judged_read(const struct grammar *p, const char *path, bool *rejected);

#endif
