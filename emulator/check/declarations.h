/* The dimensions of an array, read from the student's source: PTX knows only how many bytes it has. */
#ifndef DECLARATIONS_H
#define DECLARATIONS_H

#include <stdint.h>

#define MAX_DIMENSIONS 4

/* A __shared__ array, and the function in which it is declared; NULL: in none. */
struct shared_array {
    const char *name, *function;
    uint64_t size;
};

/* Looks in the file for the array's declaration; returns how many dimensions it has, 0 when it is not found or its
 * bounds are not plain numbers, sums, products or names of such. */
unsigned source_dimensions(const char *file, const struct shared_array *array, uint64_t bounds[MAX_DIMENSIONS]);

#endif
