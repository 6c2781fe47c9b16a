/* Runs a fuzz harness on files, for compilers that have no fuzzer: run_inputs FILE... prints each name before it is read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return 1;
    size_t size = (size_t)ftell(f);
    uint8_t *data = malloc(size ? size : 1);
    rewind(f);
    if (!data || fread(data, 1, size, f) != size)
        return 1;
    fclose(f);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        printf("%s\n", argv[i]);
        fflush(stdout);
        if (run(argv[i]) != 0)
            return fprintf(stderr, "cannot read %s\n", argv[i]), 2;
    }
    return 0;
}
