#include "machine/device_printf.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#define BUFFER_LIMIT                                                                                                   \
    ((size_t)8 << 20) /* as the default of cudaLimitPrintfFifoSize is 1 MiB: more is written out early */

static struct {
    pthread_mutex_t lock;
    char *text;
    size_t used, size;
} buffer = {PTHREAD_MUTEX_INITIALIZER, NULL, 0, 0};

static void write_out(void) {
    if (buffer.used)
        fwrite(buffer.text, 1, buffer.used, stdout);
    buffer.used = 0;
}

void device_printf_flush(void) {
    pthread_mutex_lock(&buffer.lock);
    write_out();
    pthread_mutex_unlock(&buffer.lock);
}

bool device_printf_pending(void) {
    pthread_mutex_lock(&buffer.lock);
    bool pending = buffer.used != 0;
    pthread_mutex_unlock(&buffer.lock);
    return pending;
}

static void append(const char *text, size_t n) {
    pthread_mutex_lock(&buffer.lock);
    if (buffer.used + n > BUFFER_LIMIT)
        write_out();
    if (buffer.used + n > buffer.size) {
        size_t size = 2 * (buffer.used + n) + 4096;
        buffer.text = or_out_of_memory(realloc(buffer.text, size));
        buffer.size = size;
    }
    memcpy(buffer.text + buffer.used, text, n);
    buffer.used += n;
    pthread_mutex_unlock(&buffer.lock);
}

/* One thread's line under construction, and the position of its next argument. */
struct line {
    char text[4096];
    size_t used;
    const uint8_t *values;
    size_t bytes, at;
    int count;
    const struct printf_reader *reader;
};

static uint64_t next_value(struct line *line, size_t size) {
    uint64_t value = 0;
    line->at = (line->at + size - 1) & ~(size - 1);
    if (line->values && line->at + size <= line->bytes)
        memcpy(&value, line->values + line->at, size);
    line->reader->read(line->reader->context, line->at, size);
    line->at += size;
    line->count++;
    return value;
}

static void put(struct line *line, const char *text, size_t n) {
    if (n > sizeof line->text - line->used)
        n = sizeof line->text - line->used;
    memcpy(line->text + line->used, text, n);
    line->used += n;
}

/* Copies flags, width and precision to `spec`, with '*' replaced by its argument. Returns where the conversion's length
 * modifiers begin. */
static const char *specification(struct line *line, const char *p, char *spec, size_t size) {
    size_t n = 0;
    spec[n++] = '%';
    while (*p && strchr("-+ #0123456789.*", *p) && n + 16 < size) {
        if (*p == '*')
            n += (size_t)snprintf(spec + n, size - n, "%d", (int)next_value(line, 4));
        else
            spec[n++] = *p;
        p++;
    }
    spec[n] = '\0';
    return p;
}

static void convert(struct line *line, char *spec, const char *length, size_t length_size, char conversion) {
    char out[1200];
    size_t n = strlen(spec);
    bool wide = (length_size && strchr("ljzt", length[0])) || conversion == 'p';
    int printed = 0;
    if (strchr("diouxXc", conversion)) {
        uint64_t value = next_value(line, wide ? 8 : 4);
        memcpy(spec + n, length, length_size);
        spec[n + length_size] = conversion;
        spec[n + length_size + 1] = '\0';
        printed = wide ? snprintf(out, sizeof out, spec, value) : snprintf(out, sizeof out, spec, (uint32_t)value);
    } else if (strchr("fFeEgGaA", conversion)) {
        uint64_t bits = next_value(line, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        spec[n] = conversion;
        spec[n + 1] = '\0';
        printed = snprintf(out, sizeof out, spec, value);
    } else if (conversion == 's') {
        const char *text = line->reader->find(line->reader->context, next_value(line, 8));
        strcpy(spec + n, "s");
        printed = snprintf(out, sizeof out, spec, text ? text : "(null)");
    } else if (conversion == 'p') {
        uint64_t value = next_value(line, 8);
        printed = value ? snprintf(out, sizeof out, "0x%llx", (unsigned long long)value)
                        : snprintf(out, sizeof out, "(nil)"); /* as on an H200 */
    }
    if (printed > 0)
        put(line, out, (size_t)printed < sizeof out ? (size_t)printed : sizeof out - 1);
}

/* A GPU prints conversions that its printf does not support unchanged: %zu and the like, and a precision that is an
 * argument (observed on an H200). */
static bool is_supported(const char *begin, const char *end) {
    for (const char *p = begin; p < end; p++)
        if (strchr("zjtL", *p) || (*p == '.' && p[1] == '*'))
            return false;
    return true;
}

int device_printf(const char *format, const uint8_t *values, size_t bytes, const struct printf_reader *reader) {
    struct line line = {.values = values, .bytes = bytes, .reader = reader};
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            put(&line, p, 1);
            continue;
        }
        if (p[1] == '%') {
            put(&line, ++p, 1);
            continue;
        }
        const char *end = p + 1 + strspn(p + 1, "-+ #0123456789.*hljztL");
        if (!*end)
            break;
        if (!is_supported(p, end)) {
            put(&line, p, (size_t)(end - p) + 1);
            p = end;
            continue;
        }
        char spec[96];
        const char *length = specification(&line, p + 1, spec, sizeof spec - 8);
        convert(&line, spec, length, (size_t)(end - length), *end);
        p = end;
    }
    append(line.text, line.used);
    return line.count;
}
