# 1 "x.h" 3
#include "FILE"
