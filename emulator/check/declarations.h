/* Dimensions of arrays and names of parameters, read from the student's source: PTX has only bytes and numbers. */
#ifndef DECLARATIONS_H
#define DECLARATIONS_H

#include <stdbool.h>
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

struct source_parameter {
    char name[40];
    uint64_t element; /* bytes of what it points to; 0: not known */
};

/* The number-th of a function's `count` parameters, counted from 1. False where the function is not found. */
bool source_parameter(const char *file, const char *function, unsigned number, unsigned count,
                      struct source_parameter *out);

#endif
