/* The folder for what takes long to make and is found again by what it was made of: compiled kernels, what ptxas
 * said. */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_KEY   33 /* 32 digits that stand for what something was made of, and 0 */
#define CACHE_START 0xcbf29ce484222325u

/* The user's own, or nobody else could be trusted with it. False: there is none. */
bool cache_folder(char *path, size_t size);

/* `h` is what came before, or CACHE_START. */
uint64_t cache_hash(uint64_t h, const void *data, size_t n);
void cache_key(char key[CACHE_KEY], uint64_t high, uint64_t low);

/* Before something is added: where there are too many files, the half that was not used for longest goes. */
void cache_prune(const char *folder);
/* It is still in use. */
void cache_renew(const char *path);

#endif
