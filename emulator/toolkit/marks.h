/* Programs, by NVIDIA's handles, that were asked for intermediate code of the link-time optimizer and compiled to PTX
 * instead. */
#ifndef MARKS_H
#define MARKS_H

#include <stdbool.h>

void marks_set(const void *program, bool marked);
bool marks_has(const void *program);

#endif
