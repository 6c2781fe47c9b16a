/* What ptxas says of a text in PTX. Since it may take seconds, the answer is kept (base/cache.h). */
#ifndef ASK_PTXAS_H
#define ASK_PTXAS_H

#include <stddef.h>
#include <stdio.h>

#define PTXAS_OPTIONS 1000 /* bytes; there is no ' in the options but around words */

/* Has `read` read its words; there are none where there is no ptxas. One thread at a time. */
void ask_ptxas(const char *options, const char *text, size_t length, void (*read)(FILE *said));

#endif
