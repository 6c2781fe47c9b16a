/* Checks that the operands of each instruction have the types that it takes. ptxas refuses them otherwise. */
#ifndef TYPING_H
#define TYPING_H

#include "decode/decode.h"

/* Ends decoding with a message at the first instruction of the function whose operands do not. Instructions that are
 * not in the table are not checked. */
void typing_check(struct decoder *d, const struct ptx_function *f);

#endif
