/* Prints the kernels of the forms whose name starts with a prefix: print_ptx FORMS [PREFIX] */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc < 2)
        return fprintf(stderr, "usage: print_ptx FORMS [PREFIX]\n"), 2;
    size_t count;
    struct plan *plans = plan_read(argv[1], &count);
    if (!plans)
        return 1;
    const char *prefix = argc > 2 ? argv[2] : "";
    printf("%s", plan_module_header);
    for (size_t i = 0; i < count; i++) {
        char text[4096], name[32];
        if (strncmp(plans[i].name, prefix, strlen(prefix)) != 0)
            continue;
        snprintf(name, sizeof name, "f%zu", i);
        fwrite(text, 1, plan_kernel(&plans[i], name, text, sizeof text), stdout);
    }
    free(plans);
    return 0;
}
