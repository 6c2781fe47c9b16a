/* What becomes of the profiles: a report for people, CSV or JSON for tools, or pictures, when the program ends.
 *
 * EMULATOR_PROFILE=text|csv|json   EMULATOR_PROFILE_FILE=path (standard error)   EMULATOR_PROFILE_KERNEL=part of a name */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

bool output_wanted(void);
bool output_wants_kernel(const char *name); /* as PTX names it */
void output_at_exit(void);                  /* there is something to write: call it as often as you like */

bool output_wants_pictures(void); /* EMULATOR_VIEW: see views.h */

#endif
