/* The symbols of functions.h. Its functions are only named here, without their parameters. With an older toolkit the
 * weak ones are missing. */
#ifndef FUNCTION_SYMBOLS_H
#define FUNCTION_SYMBOLS_H

#define X(name, symbol, since, twin)                                                                                   \
    extern __attribute__((weak)) void symbol(void);                                                                    \
    extern __attribute__((weak)) void twin(void);
#include "driver/functions.h"

#endif
