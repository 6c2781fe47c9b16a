/* Which PTX does the emulator take? accepts < NAMES_OF_FILES prints "accepted NAME" or "refused NAME: why" for each: a file is
 * accepted when it loads and each of its kernels decodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/module.h"

static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        fprintf(stderr, "accepts: cannot read %s\n", path);
        exit(2);
    }
    *size = (size_t)ftell(f);
    char *text = malloc(*size + 1);
    rewind(f);
    if (!text || fread(text, 1, *size, f) != *size)
        exit(2);
    fclose(f);
    return text;
}

static void judge(const char *path) {
    char error[400] = "";
    size_t size, count;
    char *text = read_file(path, &size);
    struct module *m = module_load(text, size, path, error, sizeof error);
    struct kernel *k = m ? module_kernels(m, &count) : NULL;
    for (size_t i = 0; m && i < count && !error[0]; i++)
        if (!kernel_prepare(&k[i]))
            snprintf(error, sizeof error, "%s", k[i].error);
    if (error[0])
        printf("refused %s: %s\n", path, error);
    else
        printf("accepted %s\n", path);
    fflush(stdout);
    module_unload(m);
    free(text);
}

int main(void) {
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        judge(path);
    }
    return 0;
}
