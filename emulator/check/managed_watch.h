/* Managed memory that the host touches while kernels that use it may still be running.
 *
 * With racecheck on, managed memory is mapped twice: kernels use one mapping, the host the other, which is closed
 * from a launch until the host waits. The first touch of an allocation faults, is noted, and opens it again; when the
 * host has waited, what it touched is compared with what the kernels did. */
#ifndef MANAGED_WATCH_H
#define MANAGED_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "check/stream_order.h"
#include "memory/memory.h"

/* Gives the allocation, all of it filled with `fill`, a second mapping for kernels: a->host. */
void managed_open(struct allocation *a, uint8_t fill);
void managed_close(const struct allocation *a);

/* A kernel has been submitted. */
void managed_protect(void);
/* The host has waited for something; idle: for all that there was. */
void managed_settle(bool idle);
/* What the program's threads have waited for; set once. */
void managed_clock(const struct stream_clock *host);
/* This thread runs a callback of a stream, or no longer: the stream's order permits what it touches. */
void managed_in_callback(bool in);

/* From the handler of SIGSEGV: true when the access may be tried again. */
bool managed_fault(uint64_t address, bool write, const char *function);

#endif
