/* The dimensions of an array, read from the student's source: PTX knows only how many bytes it has. */
#ifndef DIMENSIONS_H
#define DIMENSIONS_H

#include <stdint.h>

#define MAX_DIMENSIONS 4

/* Looks in the file for the declaration of a __shared__ array of that name and size; returns how many dimensions it
 * has, 0 when it is not found or its bounds are not plain numbers, sums, products or names of such. */
unsigned source_dimensions(const char *file, const char *name, uint64_t size, uint64_t bounds[MAX_DIMENSIONS]);

#endif
