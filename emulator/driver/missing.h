/* Functions of the driver that are not emulated. */
#ifndef DRIVER_MISSING_H
#define DRIVER_MISSING_H

/* One that says so; NULL when the driver has none of that name. */
void (*missing_function(const char *name))(void);

#endif
