# Lesson 10: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

loop='for (int i = first; i < min(first + each, n); i++)'
together 1 '/sum_kernel10(const/,/^}/{/partial\[blockIdx.x\] = sum;/{n;d;}}' \
  2 '/__syncwarp(); \/\/ all have read/d' \
  3 "/sum_kernel7(const/,/^}/{s/^    for (.*; i += stride)/    int each = (n + stride - 1) \/ stride, first = (blockIdx.x * BLOCK + threadIdx.x) * each;\n    $loop/;}"
change 1
ran V=10
ended 0
sanitized V=10 SIZE=100003
answers error 'and nothing orders the two blocks'

change 2
ran V=5 SIZE=1000
ended 0
sanitized V=5 SIZE=1000
answers 0 'with no __syncwarp() between'

change 3
ran V=7 SIZE=1048576
says "From 4.00 to $(printed '/^sum_kernel7/ && NF > 4 { print $3 }')"
