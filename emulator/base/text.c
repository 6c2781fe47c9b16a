/* See text.h: snprintf is not on the list of functions that a signal handler may call. */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

void text_piece(struct text *t, const char *s, size_t n) {
    size_t room = sizeof t->bytes - t->length;
    if (n > room)
        n = room;
    memcpy(t->bytes + t->length, s, n);
    t->length += n;
}

void text_string(struct text *t, const char *s) {
    text_piece(t, s, strlen(s));
}

static void text_in_base(struct text *t, uint64_t n, unsigned base) {
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[n % base];
        n /= base;
    } while (n);
    text_piece(t, digits + at, sizeof digits - at);
}

void text_number(struct text *t, uint64_t n) {
    text_in_base(t, n, 10);
}

void text_grouped(struct text *t, uint64_t n) {
    if (n >= 1000) {
        text_grouped(t, n / 1000);
        text_piece(t, (char[]){',', (char)('0' + n / 100 % 10), (char)('0' + n / 10 % 10), (char)('0' + n % 10)}, 4);
    } else {
        text_number(t, n);
    }
}

void text_hex(struct text *t, uint64_t n) {
    text_string(t, "0x");
    text_in_base(t, n, 16);
}

static void text_signed(struct text *t, int64_t n) {
    if (n < 0)
        text_string(t, "-");
    text_number(t, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void text_format(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *p = format; *p; p++) {
        size_t plain = strcspn(p, "%");
        text_piece(t, p, plain);
        p += plain;
        if (!*p || !*++p)
            break;
        switch (*p) {
        case 's':
            text_string(t, va_arg(arguments, const char *));
            break;
        case 'u':
            text_number(t, va_arg(arguments, unsigned));
            break;
        case 'i':
            text_signed(t, va_arg(arguments, int));
            break;
        case 'l':
            text_number(t, va_arg(arguments, uint64_t));
            break;
        case 'g':
            text_grouped(t, va_arg(arguments, uint64_t));
            break;
        case 'x':
            text_hex(t, va_arg(arguments, uint64_t));
            break;
        default:
            text_piece(t, p, 1);
        }
    }
    va_end(arguments);
}

void text_send(const struct text *t) {
    size_t sent = 0;
    while (sent < t->length) {
        ssize_t n = write(STDERR_FILENO, t->bytes + sent, t->length - sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        sent += (size_t)n;
    }
}
