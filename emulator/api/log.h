/* The log of errors that cudaLogs... functions read. */
#ifndef API_LOG_H
#define API_LOG_H

#include "api/api.h"

void log_message(const char *text); /* why a call is refused */
void log_error(cudaError_t error);  /* a call returns an error */

#endif
