/* Which handles exist. A program may pass anything for a handle, so it is looked up before it is followed. */
#ifndef HANDLES_H
#define HANDLES_H

#include <stdbool.h>

enum handle_kind { HANDLE_GRAPH = 1, HANDLE_NODE, HANDLE_EXEC, HANDLE_USER_OBJECT };

bool handle_add(const void *handle, enum handle_kind kind); /* false: no memory */
void handle_remove(const void *handle);
bool handle_is(const void *handle, enum handle_kind kind);

#endif
