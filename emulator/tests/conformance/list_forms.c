/* Prints every instruction form of the emulator, as forms.txt has them. */
#include "ops/forms.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Between bf16 and 8 bits only registers of 8 bits are legal, and the vectors have none: tests/coverage has these forms. */
static bool is_left_out(const char *name) {
    return strncmp(name, "cvt.", 4) == 0 && strstr(name, ".bf16") && (strstr(name, ".s8") || strstr(name, ".u8"));
}

int main(void) {
    for (size_t i = 0; i < form_count(); i++)
        if (!is_left_out(form_at(i)->name))
            printf("%s %s\n", form_at(i)->name, form_at(i)->operands);
    return 0;
}
