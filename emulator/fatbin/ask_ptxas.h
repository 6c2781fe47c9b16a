/* The output of ptxas for a PTX text. Since it may take seconds, the answer is kept (base/cache.h). */
#ifndef ASK_PTXAS_H
#define ASK_PTXAS_H

#include <stddef.h>
#include <stdio.h>

#define PTXAS_OPTIONS 1000 /* bytes; there is no ' in the options but around words */

/* Calls `read` with the output, which is empty where there is no ptxas. One thread at a time. */
void ask_ptxas(const char *options, const char *text, size_t length, void (*read)(FILE *said));

#endif
