/* User objects: what a program wants destroyed when no graph needs it any longer. */
#ifndef USER_OBJECT_H
#define USER_OBJECT_H

#include <stdbool.h>

/* What a graph or an executable graph holds: a list of objects, each with a number of references. */
struct held_object;
void held_objects_release(struct held_object *list);
/* A second list of the same objects, with separate references. False: no memory. */
bool held_objects_copy(struct held_object **out, const struct held_object *list);

#endif
