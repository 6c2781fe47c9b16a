/* The symbols of functions.h. Its functions are only named here, without their parameters. Weak ones are not there
 * for an older toolkit. */
#ifndef FUNCTION_SYMBOLS_H
#define FUNCTION_SYMBOLS_H

#define X(name, symbol, since, twin)                                                                                   \
    extern __attribute__((weak)) void symbol(void);                                                                    \
    extern __attribute__((weak)) void twin(void);
#include "driver/functions.h"

#endif
