/* Freeing the memory of saved activations. */
#include "machine/call_stack.h"

#include <stdlib.h>

void call_stack_free(struct call_stack *stack) {
    for (int l = 0; stack && l < WARP_SIZE; l++)
        while (stack->top[l]) {
            struct saved *s = stack->top[l];
            stack->top[l] = s->below[l];
            s->mask &= ~(1u << l);
            if (!s->mask)
                free(s);
        }
    free(stack);
}
