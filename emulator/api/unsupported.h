/* Records cudaErrorNotSupported as the last error and returns it. */
#ifndef UNSUPPORTED_H
#define UNSUPPORTED_H

int unsupported_return(void);

#endif
