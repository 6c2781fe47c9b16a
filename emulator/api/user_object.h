/* User objects: resources of a program to be destroyed when no graph needs them any longer. */
#ifndef USER_OBJECT_H
#define USER_OBJECT_H

#include <stdbool.h>

/* The objects of a graph or an executable graph: a list, each with a number of references. */
struct held_object;
void held_objects_release(struct held_object *list);
/* A second list of the same objects, with separate references. False: no memory. */
bool held_objects_copy(struct held_object **out, const struct held_object *list);

#endif
