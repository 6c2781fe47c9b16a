/* The output of the profiles when the program ends: a report for people, CSV or JSON for tools, or pictures.
 *
 * EMULATOR_PROFILE_SAVE=file saves it for a later run, EMULATOR_PROFILE_BASE=file compares with a saved one (saved.h).
 * EMULATOR_PROFILE=text|csv|json   EMULATOR_PROFILE_FILE=path (standard error)   EMULATOR_PROFILE_KERNEL=part of a name
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

bool output_wanted(void);
bool output_wants_kernel(const char *name); /* as PTX names it */
void output_at_exit(void);                  /* there is something to write; may be called any number of times */

/* Reports that no kernel was launched, or none with the selected name, and which were. */
void output_no_kernel(FILE *out);

bool output_one_kernel(void); /* only kernels of some name are selected */

/* Programs with more than two kernels only get a summary: the words that show a single one ("KERNEL=name"), or NULL. */
const char *output_brief(void);

bool output_wants_pictures(void); /* EMULATOR_VIEW: see views.h */

#endif
