#include "toolkit/result.h"

#include <stdlib.h>
#include <string.h>

#include "fatbin/bundle.h"

int result_bundle(void *program, result_size size_of, result_bytes bytes_of, size_t *size, char *bytes, int no_memory) {
    size_t length = 0, bundled = 0;
    int error = size_of(program, &length);
    char *text = error || length < 2 ? NULL : malloc(length + 1);
    if (!error && length >= 2 && !text)
        error = no_memory;
    if (text && !(error = bytes_of(program, text))) {
        text[length] = '\0';
        void *bundle = bundle_make(&(struct bundle_text){text, strlen(text)}, 1, &bundled);
        if (!bundle)
            error = no_memory;
        else if (bytes)
            memcpy(bytes, bundle, bundled);
        free(bundle);
    }
    free(text);
    if (!error && size)
        *size = bundled;
    return error;
}
