# Lesson 06: the changes under "Change it", and what its page says of them (tests/lessons/change_it.test.sh).

together 1 '/^static __global__ void scan_kernel5/,/^}/{
  /int before = __shfl_up_sync/d
  s/sum += lane >= step ? before : 0;/if (lane >= step) { sum += __shfl_up_sync(ALL_LANES, sum, step); }/
}' \
  2 '/^static __global__ void above_kernel2/,/^}/s/^    int value = i < n ? x\[i\] : 0, sum = value;/    if (i >= n) { return; }\n&/' \
  3 '/^static __global__ void above_kernel3/,/^}/s/ALL_LANES/0xffff/'
change 1
ran V=5 SIZE=64
answers error '62 of 64 are wrong'
sanitized V=5 SIZE=64
answers error 'which skips it'
answers error 'which does not participate'

change 2
ran V=2 SIZE=40
answers 0 'PASS'
sanitized V=2 SIZE=40
answers 0 'its lane reads from lane 8, which does not participate'

change 3
ran V=3 SIZE=40
answers error 'A thread executes a *_sync function whose mask does not name it'

change 4 '/^static __global__ void scan_kernel5/,/^}/s/lane >= step ? before : 0/before/'
ran V=5 SIZE=64
answers error '-15584'
says "$(printed '$1 == 0 && NF == 3 { print $3 " instead of " $2 ", which is " $3 / $2 " times x[0]" }')"
sanitized V=5 SIZE=64
case $output in
*'ERROR SUMMARY: 0 errors'*) says 'No report' ;;
*) no "$what" "there is a report" && show_output ;;
esac
