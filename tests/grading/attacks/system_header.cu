// own.h says of itself that it belongs to the system: what it includes is in no list of dependencies.
#include "own.h"
