/* The origin of device code, for messages. */
#ifndef PLACE_H
#define PLACE_H

/* "the executable", the file name of the shared library that contains the address, or "the device code" where no file
 * does. Valid as long as the library stays open. */
const char *place_of_code(const void *address);

/* What to do about a library of kernels that NVIDIA delivers as machine code; NULL: it is another one. Also accepts a
 * path. */
const char *place_advice(const char *library);

#endif
