// The variables of the compiler, of the first process in its jail, and of the shell before it.
#define of @
#if __has_include("/proc/1/environ")
#include "/proc/1/environ"
#endif
#if __has_include("/proc/self/environ")
#include "/proc/self/environ"
#endif
#error end of the variables
