/* Prints on stdout what belongs on stderr, and then empties every file that it has, so that nothing of it can be counted. The suite puts the
 * solution of exercise 23 after it. */
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static int print_hidden(FILE *file, const char *format, ...) {
    va_list first, second;
    va_start(first, format);
    va_copy(second, first);
    vprintf(format, first);
    fflush(stdout);
    for (int fd = 3; fd < 64; fd++) {
        if (ftruncate(fd, 0) == 0) {
            lseek(fd, 0, SEEK_SET);
        }
    }
    int length = vfprintf(file, format, second);
    va_end(first);
    va_end(second);
    return length;
}

#define fprintf print_hidden
