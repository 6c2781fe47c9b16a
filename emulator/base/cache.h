/* The folder for results that take long to make and are found again by their inputs: compiled kernels, ptxas's
 * output. */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_KEY   33 /* 32 digits that identify the inputs of a result, and 0 */
#define CACHE_START 0xcbf29ce484222325u

/* Owned by the user: a folder of another user's could not be trusted. False: there is none. */
bool cache_folder(char *path, size_t size);

/* `h` is the hash so far, or CACHE_START. */
uint64_t cache_hash(uint64_t h, const void *data, size_t n);
void cache_key(char key[CACHE_KEY], uint64_t high, uint64_t low);

/* Before something is added: where there are too many files, the half that has been unused the longest is removed. */
void cache_prune(const char *folder);
/* It is still in use. */
void cache_renew(const char *path);

#endif
