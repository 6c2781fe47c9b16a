/* Prints every instruction form of the emulator, as forms.txt has them. */
#include "ops/forms.h"

#include <stdio.h>

int main(void) {
    for (size_t i = 0; i < form_count(); i++)
        printf("%s %s\n", form_at(i)->name, form_at(i)->operands);
    return 0;
}
