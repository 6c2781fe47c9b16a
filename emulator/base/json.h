/* Helpers for writing JSON. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

/* n bytes as a JSON string, with its quotes. */
void json_put_string(FILE *f, const char *s, size_t n);

#endif
