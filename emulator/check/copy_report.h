/* Words for what goes wrong between copies, and between a copy and the allocation or the free of its memory, in the
 * order of streams. */
#ifndef COPY_REPORT_H
#define COPY_REPORT_H

#include "base/text.h"
#include "check/stream_order.h"
#include "memory/memory.h"

/* The name of a copy or a fill whose function is not known. */
#define SOME_COPY "a copy or fill"

/* An operation, with how the program submitted it. */
struct ran ran_found(const struct ran *r);

/* Two copies or fills access a byte, at least one of them with a write. */
void report_two_copies(const struct ran *now, const struct ran *then, const struct allocation *a, uint64_t where,
                       bool write, bool write_then);
/* One of the two is the allocation or the free of the memory. */
void report_lifetime(const struct ran *now, const struct ran *then, const struct allocation *a);

/* "cudaMemcpyAsync in stream 5, called by main() in x.cu:40"; the call alone where no more is known. */
void put_submission(struct text *t, const char *what, const struct submission *s);
/* Whose memory it is: a variable's, or which call made it. */
void put_owner(struct text *t, const struct allocation *a);
/* The program's instruction that submitted it: the innermost one that is not in one of the toolkit's headers. */
uintptr_t submission_caller(const struct submission *s);
/* " in stream 5"; nothing where that is not known. */
void put_stream(struct text *t, const struct submission *s);

#endif
