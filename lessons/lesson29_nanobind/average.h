/* average.h - the library that exercise 29 binds: a moving average of n numbers, on the device (average.cu, which you need not read).
 *
 * Training keeps one of a network's weights: values = values + share * (x - values), with 0 < share <= 1. At first the values are 0.
 * All functions but average_error return 0, or a CUDA error's number, for example 1 where share is not in that range, or n less than 1.
 */
#pragma once

extern "C" {

struct average;

/* Makes an average of n values. The caller owns *made. */
int average_create(struct average **made, long long n);
/* Waits for the average's work, and frees it with its values. */
int average_destroy(struct average *average);

/* The address of the n values, on the device. They belong to the average: as long as it lives they stay there, and each update changes them. */
int average_values(struct average *average, float **values);

/* Queue the work. x has n floats, one behind the other, in CPU memory or on the device. It is read later: until average_wait it must stay. */
int average_update(struct average *average, const float *x, float share);
int average_update_there(struct average *average, const float *x, float share);
/* Queues a copy of the values to an array of n floats in CPU memory, which is written later: until average_wait. */
int average_copy(struct average *average, float *to);
/* Waits until all that is queued is done. */
int average_wait(struct average *average);

/* An error's text. It belongs to the library. */
const char *average_error(int code);
}
