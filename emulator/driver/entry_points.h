/* Functions of the driver by name. */
#ifndef ENTRY_POINTS_H
#define ENTRY_POINTS_H

enum entry_point_found {
    ENTRY_POINT_FOUND,
    ENTRY_POINT_NOT_FOUND,
    ENTRY_POINT_TOO_OLD
};                                   /* numbers of both interfaces */
enum { ENTRY_POINT_PER_THREAD = 2 }; /* flag: stream 0 is the calling thread's own */

/* The newest form of a function that a version of CUDA (12050 for 12.5) has. One that is not emulated is found, too:
 * called, it reports that. *out is NULL unless it is found. */
enum entry_point_found entry_point_find(const char *name, int version, unsigned long long flags, void **out);

#endif
