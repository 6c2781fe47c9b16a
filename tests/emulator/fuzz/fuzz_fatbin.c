/* Fuzzes the reader of fat binaries: whatever bytes an executable holds, it must answer without reading beyond them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "fuzz_fatbin: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[256] = "";
    struct fatbin_image image = {0};
    switch (fatbin_unpack(data, size, &image, error, sizeof error)) {
    case FATBIN_OK:
        must(image.text && image.text[image.length] == '\0', "the text does not end where it says");
        free(image.text);
        break;
    default:
        must(error[0] && !strchr(error, '\n'), "a failure needs one line that says why");
        must(!image.text, "a failure leaves text behind");
    }
    return 0;
}
