// A header that includes itself twice: 2^200 times, were there not a limit.
#include "twice.h"
