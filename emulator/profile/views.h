/* Pictures of a kernel's execution, each as SVG and as text.
 *
 * EMULATOR_VIEW=folder (for the SVG files)   EMULATOR_VIEW_LINE=31   and those of output.h for kernels and files */
#ifndef VIEWS_H
#define VIEWS_H

#include <stdio.h>

#include "profile/launches.h"
#include "profile/trace.h"

/* Of each kernel's largest launch: its accesses to memory, the heat of its buffers and its divergence; for one line
 * only that line's accesses. The text goes to `out`, the SVG files into the folder. */
void views_write(FILE *out, const struct launch_profile *launches, const char *folder, uint32_t line);

/* One picture. `where`: "line 31: y[i] = x[i];" */
void view_sectors(FILE *svg, FILE *text, const struct access_example *e, const char *where);
void view_banks(FILE *svg, FILE *text, const struct access_example *e, const char *where);
void view_heat(FILE *svg, FILE *text, const struct heat *h, const char *kernel, const uint32_t block[3]);
void view_divergence(FILE *svg, FILE *text, const struct trace *t, const char *kernel);

/* Which lanes share a cell: "7", "0-3", "0,9" or "x32" (lanes in `lanes`); with at most `room` characters. */
void view_lanes(uint32_t lanes, unsigned room, char *out, size_t size);

#endif
