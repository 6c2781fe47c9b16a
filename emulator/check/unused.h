/* Memory that a program allocates and never fills. Reported when it is freed, or at the end of the program, when unused
 * is on. */
#ifndef UNUSED_H
#define UNUSED_H

#include "memory/memory.h"

void report_unused(const struct allocation *a);
void report_all_unused(int device); /* of what is still allocated there; -1: anywhere */

#endif
