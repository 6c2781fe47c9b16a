/* The log of errors. */
#define _GNU_SOURCE
#include "driver_test.h"

#if CUDA_VERSION >= 13000
#include <unistd.h>

static int heard;
static void CUDA_CB hear(void *data, CUlogLevel level, char *message, size_t length) {
    heard += level == CU_LOG_LEVEL_ERROR && length == strlen(message) && length;
    strcpy(data, message);
}

static void go_wrong(void) {
    CUdeviceptr p;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(12345));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 50));
}

int main(void) {
    static char last[1 << 16], text[1 << 16];
    char path[] = "/tmp/cuda_log_XXXXXX";
    CUlogsCallbackHandle handle = NULL;
    CUlogIterator now = 0;
    size_t size = sizeof text, length;
    begin();
    EXPECT(CUDA_SUCCESS, cuLogsRegisterCallback(hear, last, &handle));
    EXPECT(CUDA_SUCCESS, cuLogsCurrent(&now, 0));
    const CUlogIterator before = now;
    go_wrong();
    check("a listener hears of errors", heard > 0 && *last, "it does not");
    EXPECT(CUDA_SUCCESS, cuLogsDumpToMemory(&now, text, &size, 0));
    check("the messages since then", size == strlen(text) && size && strstr(text, "[CUDA][E]"), "none");
    check("the place in the log has moved", now != before, "it has not");
    size = sizeof text;
    EXPECT(CUDA_SUCCESS, cuLogsDumpToMemory(&now, text, &size, 0));
    EXPECT_EQUAL("nothing has happened since", 0, size);
    int file = mkstemp(path);
    now = before;
    EXPECT(CUDA_SUCCESS, cuLogsDumpToFile(&now, path, 0));
    char *found = file_bytes(path, &length);
    check("the messages in a file", length && strstr(found, "[CUDA][E]"), "none");
    close(file);
    unlink(path);
    EXPECT(CUDA_SUCCESS, cuLogsUnregisterCallback(handle));
    heard = 0;
    go_wrong();
    EXPECT_EQUAL("who has left hears nothing", 0, heard);
    if (refuses_nonsense()) {
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback(handle));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuLogsCurrent(NULL, 0));
    }
    return failures != 0;
}
#else
int main(void) {
    return 0;
}
#endif
