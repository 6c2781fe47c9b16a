# Lesson 11: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/^static __global__ void scan_kernel1/,/^}/{
  s/s\[1 - now\]\[t\] =/s[now][t] =/
  /now = 1 - now;/d
}' \
  2 '/^static __global__ void scan_kernel2/,/^}/{
  s/s\[BLOCK\]/s[BLOCK + BLOCK \/ WARP]/
  s/\([^a-z]\)s\[\(right - step\|right\|t\|BLOCK - 1\)\]/\1s[(\2) + (\2) \/ WARP]/g
}'
change 1
sanitized V=1 SIZE=1000
answers error 'Race reported between Write access'
answers error 'with no __syncthreads() between'

change 2
ran V=2 SIZE=524288
says "$(printed '/^scan_kernel2 / && NF == 6 { print "fall from 4.02 to " $5 }')"
says "$(printed '/^scan_kernel2 / && NF == 6 { print "rise from 131.14 to " $2 }')"
ended 0

change 3 's/scan_rows<true>(v)/scan_rows<false>(v)/'
ran V=3 SIZE=1000
answers error '1000 of 1000 are wrong'
