/* Functions of the driver that are not emulated. */
#ifndef DRIVER_MISSING_H
#define DRIVER_MISSING_H

/* A function that reports this; NULL when the driver has none of that name. */
void (*missing_function(const char *name))(void);

#endif
